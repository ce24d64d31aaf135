/** How the programs of `sandbox/runner` are started inside the sandbox; they read their configuration as JSON on standard input. */

/** Where the runner's folder is laid inside the sandbox, read-only. */
export const RUNNER_MOUNT = '/opt/a7';

/** The programs that can be started. */
export type RunnerProgram = 'pytest' | 'node' | 'py_stubs' | 'js_check' | 'py_examples' | 'node_examples';

export interface RunnerCommand {
  readonly argv: readonly string[];
  /** Defaults of gate.md part 2 (UTC, C.UTF-8, fixed hash seed); a contract's `environment` goes on top. */
  readonly env: Readonly<Record<string, string>>;
}

const PROGRAM_FILES: Readonly<Record<RunnerProgram, string>> = {
  pytest: 'pytest_runner.py',
  node: 'node_runner.mjs',
  py_stubs: 'py_stubs.py',
  js_check: 'js_check.mjs',
  py_examples: 'examples_runner.py',
  node_examples: 'examples_runner.mjs',
};

/** Command and environment of a runner program. `runnerDir` defaults to `/opt/a7`. */
export function runnerCommand(program: RunnerProgram, runnerDir: string = RUNNER_MOUNT): RunnerCommand {
  const file = `${runnerDir}/${PROGRAM_FILES[program]}`;
  const isPython = file.endsWith('.py');
  // -s -P -B: no user packages, no folder of the script on the path, no byte code beside the sources.
  return {
    argv: isPython ? ['python3', '-s', '-P', '-B', file] : ['node', file],
    env: { TZ: 'UTC', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...(isPython ? { PYTHONHASHSEED: '0' } : {}) },
  };
}
