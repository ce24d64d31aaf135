/** Inputs and commands of a stage: what the workflow hands to `decide` and what it must perform (design part 6). */
import type { ManagerAction } from '../../schemas/actions.ts';
import type { HumanInput, LedgerEvent, LedgerEventOf, SealBlocker } from '../../schemas/ledger.ts';
import type { ReviewFinding } from '../../schemas/review.ts';
import type {
  AgentResult,
  CommitIntent,
  CommitResult,
  DispatchRecord,
  ExportedInterface,
  GateOutcome,
  ProjectOutcome,
  ResumePoint,
  StageOptions,
} from '../../schemas/stage.ts';

import type { OpenGate, StageState } from './state-types.ts';

export type * from './state-types.ts';

/** What happened, as the workflow tells it. */
export type StageInput =
  /** First input of a run. `formerRun`: the orphan that is taken over. */
  | {
      readonly kind: 'opened';
      readonly stage: string;
      readonly run: number;
      readonly lifecycle: 'new' | 'resumed' | 'taken_over';
      readonly head: string | null;
      readonly options: StageOptions;
      /** The workflow run that opens it; goes into `run_opened`. */
      readonly owner: string;
      readonly takeOverReason?: string;
    }
  | { readonly kind: 'wake' }
  | {
      readonly kind: 'manager_answered';
      readonly turn: number;
      readonly answer:
        | { readonly kind: 'action'; readonly action: ManagerAction }
        | { readonly kind: 'garbage'; readonly text: string; readonly reason: string };
      readonly callKey: string | null;
      readonly costMicroUsd: number | null;
      /** Human texts that its board held (`ask_manager.inputIds`); absent: all that wait now. */
      readonly readInputIds?: readonly string[];
    }
  | {
      readonly kind: 'agent_returned';
      readonly nodeId: string;
      readonly dispatchId: string;
      readonly result: AgentResult;
      /** Counterexamples that the agent was told; absent: none. */
      readonly told?: number;
      /** Program and version that did it; absent: our own loop. */
      readonly program?: string;
    }
  | {
      readonly kind: 'gate_finished';
      readonly gateId: string;
      readonly nodeId: string;
      readonly outcome: GateOutcome;
    }
  | { readonly kind: 'commit_finished'; readonly intentId: string; readonly result: CommitResult }
  | {
      readonly kind: 'seal_checked';
      readonly head: string | null;
      /** Every suite on the whole tree, by node. */
      readonly verdicts: Readonly<Record<string, GateOutcome>>;
      readonly exportedInterfaces: Readonly<Record<string, ExportedInterface>>;
      /** Why no gate ran at all, by node. */
      readonly unjudged?: Readonly<Record<string, string>>;
      /** The project's own plan, where the command asked for it; null: it could not be asked. */
      readonly project?: ProjectOutcome | null;
    }
  | {
      readonly kind: 'consult_answered';
      readonly verdict: string;
      readonly callKey: string | null;
      readonly costMicroUsd: number | null;
    }
  | {
      readonly kind: 'reviewed';
      readonly nodeId: string;
      readonly dispatchId: string;
      readonly tree: string;
      readonly findings: readonly ReviewFinding[];
      readonly callKey: string | null;
      readonly costMicroUsd: number | null;
    }
  | { readonly kind: 'input'; readonly input: HumanInput }
  | { readonly kind: 'halt_requested'; readonly reason: string; readonly source: string }
  /** A call of the stage itself (manager, consult) was refused by the endpoint. */
  | { readonly kind: 'call_rested'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'budget_reached';
      readonly spentMicroUsd: number;
      readonly capMicroUsd: number;
      readonly nextMicroUsd: number;
    }
  /** A fact that moves nothing by itself. */
  | {
      readonly kind: 'noted';
      readonly event: LedgerEventOf<'call_unknown' | 'tagged' | 'assumption_verified' | 'input_refused'>;
    };

/** What the workflow performs after the events are in the ledger, in order. */
export type StageCommand =
  /**
   * llm: call the model with the board. human: wait for an input of kind action. Never sent for a policy: decide applies it.
   * Idempotent by turn: while an ask of this turn is out, a second one is ignored.
   */
  | { readonly kind: 'ask_manager'; readonly turn: number; readonly inputIds: readonly string[] }
  | {
      readonly kind: 'consult';
      readonly turn: number;
      readonly question: string;
      readonly relevantNodeIds: readonly string[];
      readonly constraints: readonly string[];
    }
  /** Have the reviewer read code that passed. */
  | { readonly kind: 'review'; readonly nodeId: string; readonly dispatchId: string; readonly tree: string }
  /** Start the child workflow of this dispatch (again: same id). */
  | { readonly kind: 'start_agent'; readonly record: DispatchRecord; readonly resume: ResumePoint | null }
  | { readonly kind: 'regate'; readonly gate: OpenGate }
  | { readonly kind: 'commit'; readonly intent: CommitIntent }
  /** Gate all these nodes on the whole tree and read their signatures from the sources; with `project`, its own plan too. */
  | { readonly kind: 'check_seal'; readonly nodeIds: readonly string[]; readonly project?: true }
  | { readonly kind: 'cancel_agents'; readonly dispatchIds: readonly string[] }
  /** The stage stays open; only a person can move it. Arm `human_wait`, then feed `halt_requested` with source `human_wait`. */
  | { readonly kind: 'await_input'; readonly nodeIds: readonly string[] }
  | {
      readonly kind: 'close';
      readonly status: 'sealed' | 'halted' | 'rested';
      readonly code: string;
      readonly message: string;
    };

/** No command at all means: wait for what is in flight. */
export interface Decision {
  readonly events: readonly LedgerEvent[];
  readonly commands: readonly StageCommand[];
  /** The fold of `events` on the state before: hand it to the next call. */
  readonly state: StageState;
}

/** Answer of `checkAction`. `halt`: the seed lets this action stop the stage. */
export type ActionCheck =
  | { readonly status: 'ok' }
  | {
      readonly status: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      readonly blockers?: readonly SealBlocker[];
    }
  | { readonly status: 'halt'; readonly invariant: string; readonly message: string };

/** Every reason for which an action is refused. */
export type RejectionCode = (typeof rejectionCodes)[number];
export const rejectionCodes = [
  'NOT_AN_ACTION',
  'UNKNOWN_NODE',
  'OTHER_STAGE',
  'MODE_DRAIN',
  'MODE_DEAD',
  'NO_FREE_SLOT',
  'NODE_IN_FLIGHT',
  'NODE_PENDING',
  'NODE_STATUS',
  'NOT_READY',
  'NOT_SELECTED',
  'STAGE_KIND',
  'ROLE_ORDER',
  'PARAMETER_MISSING',
  'NO_RETURN',
  'NOT_VALIDATED',
  'COMMIT_OPEN',
  'COMMIT_STATUS',
  'REVIEW_OPEN',
  'CONSULT_OPEN',
  'SEAL_BLOCKED',
  'STALE_TURN',
] as const;
