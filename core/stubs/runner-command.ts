/** How the programs of `sandbox/runner` are started inside the sandbox; they read their configuration as JSON on standard input. */

/** Where the runner's folder is laid inside the sandbox, read-only. */
export const RUNNER_MOUNT = '/opt/a7';

/** Where the compiled form of Python programs lies: made of the sources, so that no hash of what judges holds it. */
export const COMPILED_FOLDER = '__pycache__';

/** The programs that can be started, and their files. */
const PROGRAM_FILES = {
  pytest: 'pytest_runner.py',
  node: 'javascript/suite/runner.mjs',
  node_joined: 'javascript/suite/runner.cjs',
  py_stubs: 'py_stubs.py',
  js_check: 'javascript/stubs/check.mjs',
  py_examples: 'examples_runner.py',
  node_examples: 'javascript/suite/examples.mjs',
  py_mutants: 'mutants_pytest.py',
  node_mutants: 'javascript/mutants/mutants.mjs',
  py_suite_room: 'suite_room.py',
  py_wall_suite: 'wall_pytest.py',
  py_wall_builder: 'wall_builder.py',
  py_wall_examples: 'wall_examples.py',
  py_wall_scan: 'wall_scan.py',
  py_repository: 'repo_pytest.py',
  node_repository: 'javascript/repository/repository.mjs',
} as const;
export type RunnerProgram = keyof typeof PROGRAM_FILES;

export interface RunnerCommand {
  readonly argv: readonly string[];
  /** Defaults of gate.md part 2 (UTC, C.UTF-8, fixed hash seed); a contract's `environment` goes on top. */
  readonly env: Readonly<Record<string, string>>;
}

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
