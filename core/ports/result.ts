/** How what the command line asked for ended: with a value, or failed with an exit code and the next step. */

/** 0 done · 1 the build failed · 2 wrong use · 3 halted, waiting or at rest: a person is needed · 4 the machine lacks something. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** One thing that is wrong: what, where, and what would help. */
export interface Problem {
  readonly message: string;
  /** `file:line:column` where there is one. */
  readonly place?: string;
  readonly suggestion?: string;
}

export interface Failed {
  readonly ok: false;
  readonly exitCode: Exclude<ExitCode, 0>;
  readonly problems: readonly Problem[];
  /** A command or an act that goes on from here. */
  readonly nextStep?: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | Failed;
