/** Command lines of our own programs in the clean room: /opt/a7 holds `sandbox/runner`. */
import type { PlanEnvironment, SuiteRunner } from '../../schemas/gate-plan.ts';

export const WORK_DIR = '/work';
export const OUT_DIR = '/out';
export const RUNNER_DIR = '/opt/a7';
export const REPORT_NAME = 'report.jsonl';

export type ProgramName = 'suite' | 'examples' | 'stubs';

const PYTHON = ['python3', '-s', '-P', '-B'];
/** A guest can open a debugger by a signal, so signals are ignored by the runner; warnings belong to no report. */
const NODE = ['node', '--no-warnings'];

const FILES: Readonly<Record<SuiteRunner, Readonly<Record<ProgramName, string>>>> = {
  pytest: { suite: 'pytest_runner.py', examples: 'examples_runner.py', stubs: 'py_stubs.py' },
  node_test: { suite: 'node_runner.mjs', examples: 'examples_runner.mjs', stubs: 'js_stubs.mjs' },
};

/** The command of a program. */
export function programArgv(runner: SuiteRunner, program: ProgramName): string[] {
  return [...(runner === 'pytest' ? PYTHON : NODE), `${RUNNER_DIR}/${FILES[runner][program]}`];
}

/** The whole environment of a judged process: nothing of the host gets in. */
export function programEnv(environment: PlanEnvironment, hashSeed: string): Record<string, string> {
  return {
    ...environment.variables,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: environment.locale,
    LC_ALL: environment.locale,
    TZ: environment.timeZone,
    PYTHONHASHSEED: hashSeed,
    PYTHONDONTWRITEBYTECODE: '1',
  };
}
