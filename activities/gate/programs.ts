/** How a plan's steps start our own programs, and what those find in their environment. */
import { runnerCommand, type RunnerProgram } from '../../core/stubs/runner-command.ts';
import type { PlanEnvironment, SuiteRunner } from '../../schemas/gate-plan.ts';

export const WORK_DIR = '/work';
/** Where the builder's files lie behind the glass wall. */
export const CODE_DIR = '/code';
export const OUT_DIR = '/out';
export const REPORT_NAME = 'report.jsonl';

const PROGRAMS: Readonly<Record<SuiteRunner, Readonly<Record<'suite' | 'examples', RunnerProgram>>>> = {
  pytest: { suite: 'pytest', examples: 'py_examples' },
  node_test: { suite: 'node', examples: 'node_examples' },
};

/** The command of a step. */
export function programArgv(runner: SuiteRunner, step: 'suite' | 'examples'): readonly string[] {
  return runnerCommand(PROGRAMS[runner][step]).argv;
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
