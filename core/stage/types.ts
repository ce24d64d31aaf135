/** State, inputs and commands of a stage: what the workflow hands to `decide` and what it must perform (design part 6). */
import type { ManagerAction } from '../../schemas/actions.ts';
import type { HumanInput, LedgerEvent, LedgerEventOf, SealBlocker } from '../../schemas/ledger.ts';
import type {
  AgentResult,
  CommitIntent,
  CommitResult,
  DispatchRecord,
  ExportedInterface,
  GateOutcome,
  ManagerMode,
  NodeStatus,
  ResumePoint,
  StageOptions,
  SuspensionType,
} from '../../schemas/stage.ts';

/** Compact node: optional fields are absent at their default, so that a fresh node is 50-100 bytes of JSON. */
export interface NodeState {
  readonly stage: string;
  readonly status: NodeStatus;
  readonly structural?: readonly string[];
  readonly assumption?: readonly string[];
  /** Targets of assumption edges that nobody has proven yet. */
  readonly unverified?: readonly string[];
  readonly type?: 'glue' | 'test';
  readonly mode?: 'B';
  /** Default `lean`. */
  readonly weight?: 'none' | 'full';
  readonly noTests?: true;
  /** Default 3. */
  readonly maxRetries?: number;
  /** Redispatches of the builder since the current suite, and of the test author. */
  readonly retries?: number;
  readonly suiteRetries?: number;
  readonly wild?: number;
  /** Steps of this node that failed by the platform's fault, in a row. */
  readonly platformFaults?: number;
  /** Version of the locked suite; absent: `has_test` is false. */
  readonly suite?: number;
  /** Highest version that ever existed. */
  readonly suiteMax?: number;
  /** Present while suspended. */
  readonly reason?: SuspensionType;
  /** Failed by itself: the root of a poisoning. */
  readonly root?: true;
  /** Roots that hold it poisoned, in order; the first is `poisoned_by`. */
  readonly heldBy?: readonly string[];
  /** What it was before it was poisoned. */
  readonly was?: { readonly status: NodeStatus; readonly reason?: SuspensionType };
  /** Provisional for this reason: gated again when it is lifted (`deps`), never (`weight`), or dispatched again (`claim`). */
  readonly cap?: 'deps' | 'weight' | 'claim';
  /** The last work worth gating again: builder's tree, and the dispatch that made it. */
  readonly last?: { readonly tree: string; readonly dispatchId: string };
  /** `last` is to be gated against the new suite before a builder is dispatched. */
  readonly regateLast?: true;
  /** The suite is the suspect of the last failure. */
  readonly suspect?: 'suite';
  /** Dispatches so far. */
  readonly dispatches?: number;
}

/** An agent's work on its way to the branch: returned, then validated. */
export interface PendingWork {
  readonly nodeId: string;
  readonly dispatchId: string;
  readonly role: 'builder' | 'test_author';
  readonly claim: 'grounded' | 'provisional';
  readonly tree: string;
  readonly baseCommit: string | null;
  readonly gate: GateOutcome | null;
  readonly escalate: boolean;
  /** Suite version that judged it. */
  readonly suite: number;
  /** Schema-level faults found when it returned; VALIDATE turns them into `validation_failed`. */
  readonly faults: readonly string[];
}

/** Work of a dispatch that has not returned for good. */
export interface OpenDispatch {
  readonly record: DispatchRecord;
  /** running: a child workflow has it. held: cancelled or rested, started again by a resume. parked: waits for a person. */
  readonly phase: 'running' | 'held' | 'parked';
  readonly resume: ResumePoint | null;
}

export interface OpenGate {
  readonly gateId: string;
  readonly nodeId: string;
  readonly dispatchId: string;
  readonly reason: LedgerEventOf<'regate_requested'>['data']['reason'];
  readonly tree: string;
  readonly baseCommit: string | null;
  readonly suite: number;
}

export interface StageRecord {
  readonly name: string;
  readonly kind: 'pure' | 'io';
  readonly status: 'active' | 'sealed';
}

export type RunPhase =
  'running' | 'waiting' | 'sealing' | 'halting' | 'halted' | 'resting' | 'rested' | 'sealed';

/** The stage run that is open or was last. */
export interface RunState {
  readonly stage: string;
  readonly run: number;
  readonly lifecycle: 'new' | 'resumed' | 'taken_over';
  readonly phase: RunPhase;
  readonly mode: ManagerMode;
  readonly options: StageOptions;
  /** Manager's turns spent in this run. */
  readonly turn: number;
  /** Something happened since the manager's last answer that it may want to act on. */
  readonly news: boolean;
  readonly lastError: string | null;
  /** A CONSULT is out; then its verdict stays for one turn. */
  readonly consult:
    { readonly status: 'asked' } | { readonly status: 'answered'; readonly verdict: string } | null;
  /** Why it halts or rests. */
  readonly ending: { readonly code: string; readonly message: string } | null;
  readonly sealSummary: string | null;
  /** SEAL checks refused in a row by the platform's fault. */
  readonly sealFaults: number;
  readonly spentMicroUsd: number;
}

/** Decision state: exactly the fold of the ledger (G7). Plain JSON, ids and counters only. */
export interface StageState {
  /** Events folded so far. */
  readonly seq: number;
  readonly stages: Readonly<Record<string, StageRecord>>;
  /** In the order of building. */
  readonly stageOrder: readonly string[];
  readonly nodes: Readonly<Record<string, NodeState>>;
  readonly head: string | null;
  /** Dispatches and gates so far in the session. */
  readonly dispatchSeq: number;
  readonly run: RunState | null;
  readonly open: Readonly<Record<string, OpenDispatch>>;
  readonly gates: Readonly<Record<string, OpenGate>>;
  /** By node, in order of arrival. */
  readonly returns: Readonly<Record<string, PendingWork>>;
  readonly validated: Readonly<Record<string, PendingWork>>;
  /** At most one. */
  readonly intent: CommitIntent | null;
  /** Inputs not yet consumed. */
  readonly inputs: readonly HumanInput[];
  /** Ids of the last inputs seen, newest last, for deduplication. */
  readonly inputIds: readonly string[];
}

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
    }
  | {
      readonly kind: 'consult_answered';
      readonly verdict: string;
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
      readonly event: LedgerEventOf<'call_unknown' | 'tagged' | 'assumption_verified'>;
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
  /** Start the child workflow of this dispatch (again: same id). */
  | { readonly kind: 'start_agent'; readonly record: DispatchRecord; readonly resume: ResumePoint | null }
  | { readonly kind: 'regate'; readonly gate: OpenGate }
  | { readonly kind: 'commit'; readonly intent: CommitIntent }
  /** Gate all these nodes on the whole tree and read their signatures from the sources. */
  | { readonly kind: 'check_seal'; readonly nodeIds: readonly string[] }
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
  'CONSULT_OPEN',
  'SEAL_BLOCKED',
  'STALE_TURN',
] as const;
