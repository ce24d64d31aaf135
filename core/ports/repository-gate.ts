/** Judging a repository: one snapshot, one plan, one report (design part 8). Never touches the repository itself. */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { LayerEcosystem, LayerSpec } from '../../schemas/layer.ts';
import type {
  RepositoryFinding,
  RepositoryReport,
  RepositorySubject,
} from '../../schemas/repository-report.ts';
import type { DocumentTools } from '../repository/schema-files.ts';
import type { RefusedPath } from '../repository/snapshot-rules.ts';
import type { FailingTestsOf } from './expectations.ts';
import type { GateArtifact, RunnerFiles } from './gate.ts';
import type { SandboxFile, SandboxPort } from './sandbox.ts';

export interface RepositoryRequest {
  readonly subject: Omit<RepositorySubject, 'planHash' | 'image' | 'verifierVersion' | 'files'>;
  /** The snapshot: everything that is judged, the plan's own files included. */
  readonly files: readonly SandboxFile[];
  /** What of the repository cannot be judged: it refuses the snapshot. */
  readonly refused: readonly RefusedPath[];
  readonly plan: GatePlan;
  readonly image: string;
  /** Names the sandboxes of this run. */
  readonly stepKey: string;
  readonly owner: string;
  readonly notes: readonly string[];
  /** Found before anything ran, for example what a work order does not allow: part of L0. */
  readonly found?: readonly RepositoryFinding[];
}

/** Tests that one command of the plan ran. */
export interface RanTests {
  readonly step: string;
  /** Null where its output has no names. */
  readonly names: readonly string[] | null;
  /** Those of them that did not pass; absent: none. */
  readonly red?: readonly string[] | undefined;
  readonly count: number;
  /** How many of them passed; absent in what older versions stored. */
  readonly passed?: number | undefined;
}

export interface RepositoryOutcome {
  readonly report: RepositoryReport;
  readonly ran: readonly RanTests[];
  readonly artifacts: readonly GateArtifact[];
}

/** A package of a layer: named by the plan, or needed by one that is. */
export interface LaidPackage {
  readonly ecosystem: LayerEcosystem;
  readonly name: string;
  /** Modules that a Python package brings. */
  readonly imports?: readonly string[] | undefined;
}

/** Turns pinned packages into an image that holds them. @returns its name and what is in it, or why there is none. */
export type ResolveLayer = (
  pins: LayerSpec,
) => Promise<
  { readonly image: string; readonly packages: readonly LaidPackage[] } | { readonly problem: string }
>;

export interface RepositoryParts {
  readonly sandbox: SandboxPort;
  readonly isolation: { readonly backend: string; readonly level: 'hardened' | 'partial' | 'none' };
  readonly runners: RunnerFiles;
  readonly documents: DocumentTools;
  readonly failingTests: FailingTestsOf;
  readonly resolveLayer: ResolveLayer;
  /** `sha256:` and 64 hex digits. */
  readonly hash: (bytes: Uint8Array | string) => string;
  /** Unguessable word for one run. */
  readonly nonce: () => string;
  readonly nowMs: () => number;
}
