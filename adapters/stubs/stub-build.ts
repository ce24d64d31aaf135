/** What a stub build is made of: the words shared by the languages (gate.md parts 2 and 3). */
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { RunnerCommand } from '../../core/stubs/runner-command.ts';
import type { StubKind } from '../../schemas/report.ts';

/** One exported name; methods of a class are listed as `Class.method`. */
export interface StubExport {
  readonly name: string;
  /** `alias`: a type name, type variable, protocol or interface, about which no test can be red. */
  readonly kind: 'function' | 'class' | 'method' | 'constant' | 'dataclass' | 'enum' | 'exception' | 'alias';
  readonly callable: boolean;
  readonly async: boolean;
  /** Marked so in the contract, or an alias. */
  readonly inert: boolean;
  readonly clauseId: string;
}

/** Why a declaration cannot be used, and what to write. `index` is the place in the list `where`, null if no single entry is to blame. */
export interface StubProblem {
  readonly where: 'exports' | 'imports' | 'raises';
  readonly index: number | null;
  /** From 1, inside the entry. */
  readonly line: number;
  readonly reason: string;
  readonly suggestion: string;
}

export type StubTrees = Readonly<Record<StubKind, readonly SandboxFile[]>>;

export type StubBuild =
  | { readonly ok: true; readonly stubs: StubTrees; readonly exports: readonly StubExport[] }
  | { readonly ok: false; readonly problems: readonly StubProblem[] };

/** One run of a runner program: `files` lie in the work folder. */
export interface StubRun {
  readonly command: RunnerCommand;
  readonly stdin: string;
  readonly files: readonly SandboxFile[];
}

/**
 * Runs a program in a sandbox and returns what it printed.
 * @throws when the sandbox was lost or a limit was hit: a fault of the platform, to be retried, never a problem of the contract.
 */
export type RunInSandbox = (run: StubRun) => Promise<string>;

/** What a dependency offers to declarations without an import line. */
export interface StubDependency {
  /** Import path, for example `price.money` or `./money.js`. */
  readonly module: string;
  readonly names: readonly string[];
  /** Files by which it can be imported, for example its own `raise` stub. */
  readonly files: readonly SandboxFile[];
}
