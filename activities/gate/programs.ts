/** How a plan's steps start our own programs, and what those find in their environment. */
import { runnerCommand, type RunnerProgram } from '../../core/stubs/runner-command.ts';
import type { RunConditions } from '../../core/gate/code/two-runs.ts';
import type { PlanEnvironment, SuiteRunner } from '../../schemas/gate-plan.ts';

export const WORK_DIR = '/work';
/** Where the builder's files lie behind the glass wall. */
export const CODE_DIR = '/code';
export const OUT_DIR = '/out';
export const REPORT_NAME = 'report.jsonl';

/** What a program of a runner is started for; `stubs`: a suite with no code but ours; `repository`: a project's own suite, with its own settings. */
export type ProgramUse = 'suite' | 'stubs' | 'examples' | 'mutants' | 'repository';

const PROGRAMS: Readonly<Record<SuiteRunner, Readonly<Record<ProgramUse, RunnerProgram>>>> = {
  pytest: {
    suite: 'pytest',
    stubs: 'pytest',
    examples: 'py_examples',
    mutants: 'py_mutants',
    repository: 'py_repository',
  },
  node_test: {
    suite: 'node',
    stubs: 'node_joined',
    examples: 'node_examples',
    mutants: 'node_mutants',
    repository: 'node_repository',
  },
};

/** The command of a program. */
export function programArgv(runner: SuiteRunner, use: ProgramUse): readonly string[] {
  return runnerCommand(PROGRAMS[runner][use]).argv;
}

/** The environment under given conditions: our programs take the shift of the date out of it before they load anything. */
export function conditionsEnv(
  environment: PlanEnvironment,
  conditions: RunConditions,
): Record<string, string> {
  const { timeZone, locale, hashSeed, dateShiftDays } = conditions;
  const env = programEnv({ ...environment, timeZone, locale }, hashSeed);
  return dateShiftDays === 0 ? env : { ...env, A7_DATE_SHIFT_DAYS: String(dateShiftDays) };
}

/** What a runner is told of its conditions beside its environment. */
export function conditionsInput(conditions: RunConditions): Readonly<Record<string, unknown>> {
  return { reversed: conditions.isReversed, moveTo: conditions.folder };
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
