/** What a stub build is made of: the words shared by the languages (gate.md parts 2 and 3). */
import type { StubExport, StubProgramRun } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { StubKind } from '../../schemas/report.ts';

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

/**
 * Runs a program in a sandbox and returns what it printed.
 * @throws when the sandbox was lost or a limit was hit: a fault of the platform, to be retried, never a problem of the contract.
 */
export type RunInSandbox = (run: StubProgramRun) => Promise<string>;

/** What a dependency offers to declarations without an import line. */
export interface StubDependency {
  /** Import path, for example `price.money` or `./money.js`. */
  readonly module: string;
  readonly names: readonly string[];
  /** Files by which it can be imported, for example its own `raise` stub. */
  readonly files: readonly SandboxFile[];
}
