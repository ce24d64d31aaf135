/**
 * The error table: every code that a stage can end or refuse with, its exit code and what to do next. docs/errors.md is
 * the same table in words; a test compares the two. It also tells exit code 4, which no stage gives: the machine lacks
 * something.
 */

export interface ErrorEntry {
  readonly message: string;
  readonly exitCode: 0 | 1 | 2 | 3;
  readonly next: string;
}

export const errorTable = {
  INTERNAL_RULE: {
    message: 'A rule of the program itself does not hold',
    exitCode: 1,
    next: 'Report it with the session folder: the ledger explains how it came about',
  },
  TRANSITION_FORBIDDEN: {
    message: 'A node cannot change its status this way',
    exitCode: 1,
    next: 'Report it with the session folder',
  },
  EVENT_ORDER: {
    message: 'The ledger holds an event that cannot follow the ones before it',
    exitCode: 1,
    next: 'Run `a7-rt ledger verify SESSION`; `a7-rt restore SESSION` if the chain is broken',
  },
  STAGE_UNKNOWN: {
    message: 'The session has no such stage',
    exitCode: 2,
    next: 'Run `a7-rt status SESSION` to see its stages',
  },
  STAGE_SEALED: {
    message: 'A sealed stage is immutable',
    exitCode: 2,
    next: 'Build another stage, or add a node to an active one and run `a7-rt seed SESSION`',
  },
  BUDGET_EXCEEDED: {
    message: 'The board does not fit its token budget',
    exitCode: 3,
    next: 'Raise the board budget above the stated minimum, then run again',
  },
  BUDGET_REACHED: {
    message: 'The cost cap of this run is reached',
    exitCode: 3,
    next: 'Run again with a higher `--max-cost`; no paid answer is bought twice',
  },
  DIRTY_TREE: {
    message: 'The working tree in content/ holds changes that no commit made',
    exitCode: 3,
    next: 'Move them away or undo them (`git -C content status`), then run again',
  },
  PROJECT_FAILED: {
    message: "The project's own gate plan (`verify.yaml`) does not pass on the whole tree",
    exitCode: 1,
    next: 'The message names command and cause: correct a contract (`a7-rt seed SESSION`), the code (`a7-rt replace SESSION NODE --file FILE`) or `verify.yaml`, then run again',
  },
  SEAL_UNVERIFIED: {
    message: 'The whole tree could not be gated, by the fault of the platform',
    exitCode: 1,
    next: 'Look at `a7-rt doctor`, then run again',
  },
  NODES_DONE: {
    message: 'The selected nodes are built; the stage is not sealed',
    exitCode: 0,
    next: 'Run without `--node` to build and seal the rest',
  },
  HALTED: {
    message: 'The stage was halted',
    exitCode: 3,
    next: 'Read the reason with `a7-rt status SESSION`, then run again to resume',
  },
  auth: {
    message: 'The model endpoint refused the key (401)',
    exitCode: 3,
    next: 'Put a valid key where the message says, then run again; nothing was counted',
  },
  forbidden: {
    message: 'The key may not use the model (403)',
    exitCode: 3,
    next: 'Give the key access, or choose another model with `--model`, then run again',
  },
  payment_required: {
    message: 'The provider wants credit first (402, or 429 `insufficient_quota`)',
    exitCode: 3,
    next: 'Add credit, or choose another model with `--model`, then run again',
  },
  not_found: {
    message: 'No such model or endpoint (404, or a web page)',
    exitCode: 3,
    next: 'Check `--model` and `--base-url`, then run again',
  },
  bad_request: {
    message: 'The endpoint refused the request',
    exitCode: 3,
    next: 'Check the configuration of the model against what the message says, then run again',
  },
  context_length: {
    message: "A request is longer than the model's context",
    exitCode: 3,
    next: 'Choose a model with a larger context with `--model`, then run again',
  },
  tools_unsupported: {
    message: 'The model has no tool calls',
    exitCode: 3,
    next: 'Run `a7-rt models --check` to find another way to call tools, or choose another model with `--model`; then run again',
  },
  no_model: {
    message: 'No model is configured for a role',
    exitCode: 3,
    next: 'Give `--model`, or name one in `.a7/config.toml`, then run again',
  },
  agent_unavailable: {
    message: 'The coding agent of a role cannot be started here: not installed, or without a model',
    exitCode: 3,
    next: 'Do what the message says (`a7-rt agents --install NAME`, `--model NAME`), then run again; nothing was counted',
  },
  agent_model: {
    message: 'A coding agent ended because of its model, and left nothing',
    exitCode: 3,
    next: 'Look at the endpoint and `--model`, then run again; nothing was counted',
  },
  unavailable: {
    message: 'The model endpoint was not reached, or stayed busy, for about two minutes',
    exitCode: 3,
    next: 'Look at network, endpoint and `--base-url`, then run again; nothing was counted',
  },
  MANAGER_UNREADABLE: {
    message: "The manager's model answered three times in a row with what is no action",
    exitCode: 3,
    next: 'Choose another model for the manager, or decide by rules with `--manager policy`, then run again',
  },
  WILD_RECURRENCE: {
    message: 'The agents of one node ended twice without work: silence, or what is no answer',
    exitCode: 3,
    next: '`a7-rt why SESSION NODE` names both ways: `a7-rt act SESSION REDISPATCH NODE ...` sends an agent again (after another model, another setting), a corrected contract and `a7-rt seed SESSION` start the node anew',
  },
  RETRY_BUDGET: {
    message: 'A node used up its redispatches',
    exitCode: 3,
    next: '`a7-rt why SESSION NODE` names both ways: `a7-rt act SESSION REDISPATCH NODE ...` sends an agent again (after another model, another setting), a corrected contract and `a7-rt seed SESSION` start the node anew',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

/** An expected failure with a code of the table; `detail` names the action, the rule and the value. */
export class A7Error extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'A7Error';
    this.code = code;
  }
}

/** Exit code of a stage that ended early. A code without an entry is a rule's or an endpoint's name: a person is needed. */
export function exitCodeOf(code: string): ErrorEntry['exitCode'] {
  const found = Object.entries(errorTable).find(([name]) => name === code);
  return found?.[1].exitCode ?? 3;
}
