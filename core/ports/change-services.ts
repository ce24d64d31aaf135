/** What commands tell and ask that change contracts, stages or work: `seed`, `stage`, `stage-reset`, `replace`. */
import type { LintFinding } from '../contract/lint/finding.ts';
import type { SeedChange } from '../ledger/seed-changes.ts';
import type { GateTrial } from './gate-services.ts';
import type { PromoteTo } from './order-services.ts';

export interface SeededNode {
  readonly id: string;
  readonly stage: string;
  readonly mode: 'A' | 'B';
  readonly files: readonly string[];
  readonly tests: readonly string[] | 'none';
  readonly importLine: string;
}

/** What the contracts' packages were resolved into. */
export interface SeededLayer {
  readonly hash: string;
  /** `name version`, sorted. */
  readonly packages: readonly string[];
  readonly notes: readonly string[];
  /** True: registries were asked now. */
  readonly isFresh: boolean;
  /** Of the unpacked layer; null where it was not opened. */
  readonly bytes: number | null;
}

/** What a later seed would do to one node, for a person who consents. */
export interface PlannedChange extends SeedChange {
  /** What making void work anew may cost, by what such work cost before; null: nothing is made anew. */
  readonly cost: { readonly calls: number; readonly costMicroUsd: number | null } | null;
}

export interface SeedPlanReport {
  readonly nodes: readonly PlannedChange[];
  readonly stages: readonly string[];
  /** Files that leave the branch. */
  readonly withdrawn: readonly string[];
  /** Work that was paid for is voided or taken away: a person is asked first. */
  readonly needsConsent: boolean;
}

export interface SeedAsk {
  readonly adopt: boolean;
  /** Shows the plan and changes nothing. */
  readonly planOnly: boolean;
  /** Asked where the plan needs it: yes, no, or null where nobody can be asked. */
  readonly consent: (plan: SeedPlanReport) => Promise<boolean | null>;
}

export interface SeedReport {
  /** False when the contracts are as they were, or only the plan was asked for. */
  readonly changed: boolean;
  /** Null: the first seed. */
  readonly plan: SeedPlanReport | null;
  readonly nodes: readonly SeededNode[];
  /** Null: nothing is required. */
  readonly layer: SeededLayer | null;
  readonly warnings: readonly string[];
}

/** Contracts that a model wrote from prose; they can be read. */
/** What drafting used. */
export interface DraftUse {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null: the model has no price. */
  readonly costMicroUsd: number | null;
}

export interface Draft {
  readonly use: DraftUse;
  readonly text: string;
  readonly nodes: number;
  /** What the lint still finds. */
  readonly findings: readonly string[];
  /** Answers that it took. */
  readonly rounds: number;
}

export interface DraftAsk {
  readonly from: string;
  /** Null: the configured one. */
  readonly model: string | null;
  /** Caps of all answers together; null: as configured. */
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  /** Yes, no, or null where nobody can be asked. */
  readonly consent: (draft: Draft) => Promise<boolean | null>;
}

export interface DraftReport extends Draft {
  /** Where the contracts that were there are now. */
  readonly kept: string;
}

/** What `lint-contracts` found; each place is `FILE:LINE:COLUMN`. */
export interface LintReport {
  readonly nodes: number;
  readonly findings: readonly (Omit<LintFinding, 'path'> & { readonly place: string })[];
}

export interface StageView {
  readonly id: string;
  readonly name: string;
  readonly kind: 'pure' | 'io';
  readonly status: 'active' | 'sealed';
  readonly sealedAt: string | null;
  readonly summary: string | null;
  readonly nodes: readonly { readonly id: string; readonly status: string }[];
  /** Stages whose nodes stand on nodes of this one. */
  readonly builtOnIt: readonly string[];
}

export interface StageReset {
  /** Stages that are open again; empty: it was not sealed. */
  readonly stages: readonly string[];
}

/** What became of one part of a session. */
export interface RestoredPart {
  readonly part: string;
  readonly state: 'restored' | 'lost';
  readonly detail: string;
}

export interface ReplaceReport {
  readonly files: readonly string[];
  /** It is what is committed already. */
  readonly isSame: boolean;
  /** Nodes that are judged again, too. */
  readonly dependents: readonly string[];
}

export interface InitFromAsk {
  readonly project: string | null;
  /** Folder or URL. */
  readonly repo: string;
  /** Null: what is checked out. */
  readonly base: string | null;
  /** Globs of what cannot be judged and is not needed. */
  readonly leaveOut: readonly string[];
  /** Whether the plan of its tests is run once. */
  readonly isTried: boolean;
}

export interface InitFromReport {
  readonly dir: string;
  readonly created: readonly string[];
  readonly source: {
    readonly at: string;
    readonly commit: string;
    readonly branch: string | null;
    readonly files: number;
  };
  /** What judges at SEAL; null: nothing. */
  readonly plan: string | null;
  readonly trial: GateTrial | null;
  readonly notes: readonly string[];
}

export interface PromotedReport {
  readonly kind: PromoteTo['kind'];
  readonly name: string;
  /** Repository that was marked; null for a bundle or a patch. */
  readonly at: string | null;
  readonly base: string;
  readonly commit: string;
  readonly commits: number;
  /** Branch that the session began at. */
  readonly branch: string | null;
}
