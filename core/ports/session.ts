/** Ports of a session's files: ledger, step results, logs, and the handle that joins them (design part 4). */
import type { z } from 'zod';
import type { Contracts, ResolvedContract } from '../../schemas/contract.ts';
import type { LayerLock } from '../../schemas/layer.ts';
import type { LedgerEvent, LedgerLine } from '../../schemas/ledger.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import type { SessionDoc } from '../ledger/session-doc.ts';
import type { ContentRepo, TreeStore } from './git.ts';
import type { ObjectStore } from './objects.ts';
import type { FileTools } from './shadow.ts';
import type { SessionKeys } from './signing.ts';

/** Where an append belongs: the stage run's ordinal is its fence; 0 means "outside any run" (CLI at rest). */
export interface LedgerAppend<Event = LedgerEvent> {
  readonly run: number;
  /** Sequence number that the first event must get: the number of events folded by the caller, plus one. */
  readonly fromSeq: number;
  readonly events: readonly Event[];
}

export type LedgerAppended =
  /** On disk; also when an earlier attempt had written the same events there. */
  | { readonly kind: 'appended'; readonly lastSeq: number; readonly headHash: string }
  /** Other events stand at that place: two writers. */
  | { readonly kind: 'diverged'; readonly seq: number; readonly found: string }
  /** A newer run owns the session. */
  | { readonly kind: 'fence_lost'; readonly run: number };

/** A line that breaks the chain, the schema or the order. The ledger is never repaired past it. */
export interface LedgerFault {
  readonly line: number;
  readonly reason: string;
}

export type LedgerRead =
  | { readonly kind: 'read'; readonly lines: readonly LedgerLine[]; readonly tornBytes: number }
  | { readonly kind: 'corrupt'; readonly fault: LedgerFault };

/**
 * Append-only, fsynced, hash-chained (G7). Contract: an append is atomic for readers; a torn last line (a crash in the
 * middle of a write) is cut off by the next append and never by a read.
 */
export interface LedgerPort<Event = LedgerEvent> {
  /** Whole ledger, checked line by line. */
  read(): Promise<LedgerRead>;
  /** @throws {LockTimeout} when the session's lock is held too long; a retry is safe. */
  append(request: LedgerAppend<Event>): Promise<LedgerAppended>;
}

/** Results of steps by key, first one wins. `key` is application coordinates with `/`. */
export interface StepResults {
  get<T>(key: string, name: string, schema: z.ZodType<T>): Promise<T | null>;
  /** Stores `value` unless the key has a result; returns what is stored. */
  putFirst<T>(key: string, name: string, schema: z.ZodType<T>, value: T): Promise<T>;
}

/** Agent session logs, outside `content/` (seed 001, session logs). A line whose `key` is there already is not written again. */
export interface SessionLog {
  append(nodeId: string, dispatchId: string, lines: readonly SessionLogLine[]): Promise<void>;
}

export interface SessionLogLine {
  /** Unique within the dispatch, for example `t3.call1`. */
  readonly key: string;
  readonly type:
    'session_start' | 'tool_call' | 'thought' | 'message' | 'attempt' | 'test_run' | 'session_end';
  readonly data: Readonly<Record<string, unknown>>;
}

/** Facts that a seed froze: the contracts object that `contractsRef` names. */
export interface ContractBook {
  readonly contracts: Contracts;
  /** With the project's packages among each node's own. */
  readonly resolved: readonly ResolvedContract[];
  /** What their packages were resolved into; null: none are required. */
  readonly layer: LayerLock | null;
  /** The project's own gate plan; null: it has no `verify.yaml`. */
  readonly plan: ProjectPlan | null;
}

/** Everything of one session folder, opened once a process. */
export interface Session {
  readonly id: string;
  readonly dir: string;
  /** A copied folder that nobody adopted: it is read, and nothing is written. */
  readonly isCopy: boolean;
  readonly ledger: LedgerPort;
  readonly keys: SessionKeys;
  readonly objects: ObjectStore;
  readonly results: StepResults;
  /** Second copies of records that nothing else holds. */
  readonly spare: StepResults;
  readonly log: SessionLog;
  readonly trees: TreeStore;
  readonly content: ContentRepo;
  readonly files: FileTools;
  /** Work tree of the content repository. */
  readonly contentDir: string;
  /** The fold of the whole ledger, kept up to date cheaply. @throws when the ledger is corrupt. */
  doc(): Promise<SessionDoc>;
  /** Contracts of the last seed. @throws when nothing was seeded. */
  book(): Promise<ContractBook>;
  /** Runs `work` under the session's lock, across processes. Not reentrant, and the ledger's append takes it too. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

export interface Sessions {
  /** @throws an error named `SessionGone` when the folder is missing, no session, or a copy that was not adopted. */
  open(dir: string): Promise<Session>;
}
