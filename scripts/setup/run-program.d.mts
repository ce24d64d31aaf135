// Types of run-program.mjs, as far as tests use it.

export interface ProgramResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

export function runProgram(
  command: string,
  args: readonly string[],
  options?: { readonly timeoutMs?: number; readonly cwd?: string; readonly wholeGroup?: boolean },
): Promise<ProgramResult>;
