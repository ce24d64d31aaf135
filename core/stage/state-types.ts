/** Decision state of a session: ids, edges, statuses and counters; no texts (design part 4). */

import type { HumanInput, LedgerEventOf } from '../../schemas/ledger.ts';
import type {
  CommitIntent,
  DispatchRecord,
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
  readonly last?: LastWork;
  /** `last` is to be gated against the new suite before a builder is dispatched. */
  readonly regateLast?: true;
  /** The suite is the suspect of the last failure. */
  readonly suspect?: 'suite';
  /** Why, in words that its author may read; a short text, and only while it is the suspect. */
  readonly suiteFault?: string;
  /** Suites that were withdrawn as the suspect. */
  readonly withdrawn?: number;
  /** Counterexamples that its builders were told so far. */
  readonly told?: number;
  /** Report of the last attempt of code that failed; kept while the verdict can be withdrawn. */
  readonly refusedBy?: string;
  /** Its code is not committed before a review of it is answered. */
  readonly requireReview?: true;
  /** The last review: of which tree, and how many findings; `asked`: the reviewer still reads. */
  readonly review?: {
    readonly tree: string;
    readonly dispatchId: string;
    readonly findings: number | 'asked';
  };
  /** Dispatches so far. */
  readonly dispatches?: number;
  /** Its last committed code, and the dispatch that made it. */
  readonly done?: { readonly tree: string; readonly dispatchId: string };
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

/** `claim`: its order allows no more than this; absent: what its gate says. */
export interface LastWork {
  readonly tree: string;
  readonly dispatchId: string;
  readonly claim?: 'provisional';
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
  /** Answers of the manager in a row that were no action; absent: none. */
  readonly unreadable?: number | undefined;
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
  /** Hash of the project's own gate plan, which the last SEAL asks; absent: it has none. */
  readonly projectPlan?: string;
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
  /** Evidence that a change of contracts put aside, by node and name: it counts again when the contract is again what it was. */
  readonly kept?: Readonly<
    Record<string, readonly { readonly evidence: string; readonly node: NodeState }[]>
  >;
  /** Paths that leave the branch before anything else happens: a change of contracts withdrew them. */
  readonly withdrawn?: readonly string[];
  /** The last signals of this run that nobody could understand; absent: none. */
  readonly refusedInputs?: readonly { readonly id: string; readonly reason: string }[];
}
