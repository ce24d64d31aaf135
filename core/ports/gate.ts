/**
 * The gate port: judge one tree and say what was proved (design part 8). `verifySnapshot` is pure in its inputs: its
 * report is stored under their hash, and the first stored report wins.
 */
import type { Language } from '../../schemas/ids.ts';
import type { GateReport, LockedSuite, MutationCheck, StubKind } from '../../schemas/report.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ImageFacts } from '../../schemas/layer.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import type { DocumentTools } from '../repository/schema-files.ts';
import type { SandboxFile, SandboxPort } from './sandbox.ts';
import type { SymbolsPort } from './symbols.ts';

/** Clause id (`E1`, `R1`, `G1`) to what covers it: a test's id text, a test file, or `*` for the whole suite. */
export type Covers = Readonly<Record<string, readonly string[]>>;

/** What every verification is told. */
export interface VerifyBase {
  readonly contract: ResolvedContract;
  /** Name of the attempt's sandboxes begins with this: the same for every retry of one step. */
  readonly stepKey: string;
  /** Label by which orphans are found. */
  readonly owner: string;
  /** The candidate tree, named in the report. */
  readonly tree: string;
  /** Tree that is laid into the clean room: scaffold, node, dependencies, suite (gate.md part 7). */
  readonly projection: string;
  /** Image tag; its hash is part of the tag. */
  readonly image: string;
  /** Default: `resolvePlan(contract)`. */
  readonly plan?: GatePlan;
  /** Paths in which the candidate differs from the tree it started from; null where there is no base (a commit verified anew). */
  readonly changedPaths?: readonly string[] | null;
  /** Contracts of the node's structural dependencies: declarations may name what they export. Default none. */
  readonly dependencies?: readonly ResolvedContract[];
  /** Time of the mutation check of code that passes; 0 for none. Default: none, unless the contract asks for a score. */
  readonly mutationMs?: number;
  /** An export of which no tried change is noticed sends the suite back. Default false: it is told, and decides nothing. */
  readonly needsEvidence?: boolean;
  /** Default true. False: neither read nor written (`verify COMMIT`). */
  readonly useCache?: boolean;
  /** The same bytes have failed behind the wall alone before. Default: what the report store knows. */
  readonly isDoubted?: boolean;
  /** True for what may be charged: that the wall alone refuses these bytes is remembered. Default false. */
  readonly isCharged?: boolean;
}

export type VerifyRequest =
  /** Judges a suite against stubs (gate.md part 3). The node's own files in the projection are replaced by each stub. */
  | (VerifyBase & { readonly kind: 'suite'; readonly covers: Covers })
  /** Judges code against its locked suite; null only for a contract with `tests: none`. */
  | (VerifyBase & { readonly kind: 'code'; readonly locked: LockedSuite | null })
  /** Only L0 and the contract's examples: what a builder's `run_test` may use before a suite exists. */
  | (VerifyBase & { readonly kind: 'examples' });

/** A stored file of a verification: plan, logs, raw runner reports. `name` is relative. */
export interface GateArtifact {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface VerifyOutcome {
  readonly report: GateReport;
  /** True when an earlier report of the same key was returned. */
  readonly cacheHit: boolean;
  /** Plan and inputs; logs and raw reports too, unless it is a hit. */
  readonly artifacts: readonly GateArtifact[];
}

export interface GatePort {
  /** Never throws for what the guest did. Platform faults come back as INVALID platform; retrying is the caller's. */
  verifySnapshot(request: VerifyRequest, options?: { readonly signal?: AbortSignal }): Promise<VerifyOutcome>;
}

/** Reads git trees; the only way in which files reach the gate. */
export interface GateTrees {
  /** Every regular file below a tree. */
  files(tree: string): Promise<readonly SandboxFile[]>;
}

/** One exported name as the declarations describe it; methods are `Class.method`. */
export interface StubExport {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'method' | 'constant' | 'dataclass' | 'enum' | 'exception' | 'alias';
  readonly callable: boolean;
  readonly async: boolean;
  /** Marked so in the contract, or an alias. */
  readonly inert: boolean;
  /** What a call gives back has one value of its declared type only: nothing, one literal, an object without members. */
  readonly fixed: boolean;
  readonly clauseId: string;
}

export type GateStubBuild =
  | {
      readonly ok: true;
      readonly stubs: Readonly<Record<StubKind, readonly SandboxFile[]>>;
      readonly exports: readonly StubExport[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly { readonly reason: string; readonly suggestion: string }[];
    };

/** One run of a program that makes or tries stubs. */
export interface StubProgramRun {
  readonly command: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly stdin: string;
  readonly files: readonly SandboxFile[];
}

/** Makes the stubs of a contract (gate.md part 3). */
export interface GateStubs {
  /**
   * @param run runs a program in a clean room and gives what it printed; it throws when the room was lost.
   * @param dependencies what declarations may name without an import line; their files lie in every room of `run`.
   * @throws what `run` throws.
   */
  build(
    contract: ResolvedContract,
    run: (run: StubProgramRun) => Promise<string>,
    dependencies: readonly {
      readonly module: string;
      readonly names: readonly string[];
      readonly files: readonly SandboxFile[];
    }[],
  ): Promise<GateStubBuild>;
}

/** The programs laid read-only at /opt/a7, by path relative to that folder. */
export interface RunnerFiles {
  /** What rooms of this language need: for Python also the compiled form, for TypeScript the library that erases types. */
  files(language: Language): readonly SandboxFile[];
  /** The programs of all languages. */
  readonly all: readonly SandboxFile[];
}

/** Stored reports. `put` creates exclusively and returns what is stored: the first wins. */
export interface ReportStore {
  get(key: string): Promise<GateReport | null>;
  put(report: GateReport): Promise<GateReport>;
  /** Forgets a verdict that the same bytes refuted: it answers no more. */
  withdraw(key: string): Promise<void>;
  /** True when the bytes of this key have failed behind the wall alone. */
  doubted(key: string): Promise<boolean>;
  /** Remembers that they have. */
  putDoubt(key: string): Promise<void>;
  /** The mutation check kept beside the report of this key. */
  mutation(key: string): Promise<MutationCheck | null>;
  /** Keeps one; the first stays. */
  putMutation(key: string, check: MutationCheck): Promise<MutationCheck>;
}

/** Everything `verifySnapshot` is wired with. */
export interface GateParts {
  readonly sandbox: SandboxPort;
  readonly isolation: { readonly backend: string; readonly level: 'hardened' | 'partial' | 'none' };
  readonly trees: GateTrees;
  readonly symbols: SymbolsPort;
  readonly stubs: GateStubs;
  readonly runners: RunnerFiles;
  readonly reports: ReportStore;
  /** `sha256:` and 64 hex digits. */
  readonly hash: (bytes: Uint8Array | string) => string;
  /** What runs in an image and which layer it has; absent: reports do not tell. */
  readonly imageFacts?: (image: string) => Promise<ImageFacts>;
  /** Unguessable word for one run. */
  readonly nonce: () => string;
  readonly nowMs: () => number;
  /** True refuses every verdict of the in-process tier, whatever the contracts say; default false. */
  readonly requireWall?: boolean;
  /** The project's own plan, whose rules for files are every node's; absent: there is none. */
  readonly projectPlan?: () => Promise<ProjectPlan | null>;
  /** How documents and schemas of the project are read. */
  readonly documents: DocumentTools;
}
