/**
 * The whole fold: decision state, and the texts that people and views read beside it.
 *
 * F1. `doc.state` is `foldEvents` of the same events; nothing here decides anything (G7).
 * F2. Times come from the lines' `at`.
 * F3. Every list is bounded; the ledger keeps everything (G9).
 */
import type {
  AnalystFinding,
  ChronicleEntry,
  Planning,
  RecentEvent,
  RetryContext,
  Tombstone,
} from '../../schemas/chronicle.ts';
import type { GateTier } from '../../schemas/gate-wall.ts';
import type { Tag } from '../../schemas/ledger.ts';
import type { ReviewFinding } from '../../schemas/review.ts';
import type { CommitFacts, ExportedInterface } from '../../schemas/stage.ts';
import { emptyState, type Draft } from '../stage/draft.ts';
import type { StageState } from '../stage/types.ts';
import { GENESIS_HASH } from './lines.ts';

export const chronicleMax = 200;
export const retryContextMax = 20;
export const findingsMax = 20;
export const graveyardMax = 2000;
export const recentEventsMax = 20;

export interface NodeTexts {
  readonly createdAt: string;
  readonly suspensionDetail: string | null;
  readonly retryContext: readonly RetryContext[];
  readonly prNote: string | null;
  readonly testContract: string | null;
  /** Mode B: what its test author froze; null: the contract's own. */
  readonly exports: readonly string[] | null;
  readonly committedFiles: readonly string[];
  /** Files of the pending return. */
  readonly pendingFiles: readonly string[];
  readonly tags: readonly Tag[];
  readonly facts: CommitFacts | null;
  readonly factsAt: string | null;
  readonly iterations: readonly number[];
  readonly chronicle: readonly ChronicleEntry[];
  readonly findings: readonly AnalystFinding[];
  /** What the reviewer named in the last code that passed; absent: nobody has read it. */
  readonly review?: { readonly dispatchId: string; readonly findings: readonly ReviewFinding[] } | undefined;
  /** Where its last accepted code was judged from; absent before, and in older ledgers. */
  readonly tier?: GateTier | undefined;
}

export interface SealedTexts {
  readonly sealedAt: string;
  readonly summary: string;
  readonly exportedInterfaces: Readonly<Record<string, ExportedInterface>>;
}

export interface SessionDoc {
  readonly state: StageState;
  readonly headHash: string;
  /** Time of the last line; null: no line yet. */
  readonly at: string | null;
  readonly project: {
    readonly projectId: string;
    readonly name: string;
    readonly description: string;
    readonly createdAt: string;
  } | null;
  /** Object that holds the resolved contracts. */
  readonly contractsRef: string | null;
  /** Hash of each resolved contract that counts now. */
  readonly digests: Readonly<Record<string, string>>;
  readonly nodes: Readonly<Record<string, NodeTexts>>;
  /** Texts of evidence that a change of contracts put aside, as the state keeps the evidence itself. */
  readonly keptTexts: Readonly<
    Record<string, readonly { readonly evidence: string; readonly texts: NodeTexts }[]>
  >;
  readonly sealed: Readonly<Record<string, SealedTexts>>;
  readonly graveyard: readonly Tombstone[];
  readonly planning: Planning;
  readonly recentEvents: readonly RecentEvent[];
  /** When each input that waits was received. */
  readonly inputTimes: Readonly<Record<string, string>>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A document under construction; `nodes` is its own copy. */
export type DocDraft = Writable<Omit<SessionDoc, 'state' | 'nodes' | 'digests'>> & {
  state: Draft;
  nodes: Record<string, NodeTexts>;
  digests: Record<string, string>;
};

export const emptyDoc: SessionDoc = {
  state: emptyState,
  headHash: GENESIS_HASH,
  at: null,
  project: null,
  contractsRef: null,
  digests: {},
  nodes: {},
  keptTexts: {},
  sealed: {},
  graveyard: [],
  planning: { narrative: '', checklist: [], updated_at: 0 },
  recentEvents: [],
  inputTimes: {},
};

/** The newest `max` items. */
export function newest<T>(items: readonly T[], max: number): readonly T[] {
  return items.length > max ? items.slice(items.length - max) : items;
}
