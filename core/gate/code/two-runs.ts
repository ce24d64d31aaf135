/**
 * Two runs of one suite must agree on every outcome (gate.md part 5). The second varies at once all that the contract leaves
 * free; only when they differ do further runs tell by which dimension.
 */
import type { GateEnvironment } from '../../../schemas/contract.ts';
import type { PlanEnvironment } from '../../../schemas/gate-plan.ts';
import type { Language } from '../../../schemas/ids.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { FlakyCause, RunDimension } from '../../../schemas/run-dimension.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { idKey } from '../test-id.ts';
import type { RunnerRun } from '../runner-reading.ts';
import { counted } from '../../text/plural.ts';

/** Under what a program runs. The first run has the plan's own values. */
export interface RunConditions {
  readonly hashSeed: string;
  readonly timeZone: string;
  readonly locale: string;
  readonly isReversed: boolean;
  /** Null: where the tree is laid. */
  readonly folder: string | null;
  /** Days by which the clock is ahead. */
  readonly dateShiftDays: number;
}

/** Never in step with UTC or a full hour, and without summer time. */
const OTHER_TIME_ZONES = ['Asia/Kathmandu', 'Pacific/Marquesas'] as const;
/** A decimal comma, other names of months, other collation; part of the image. */
const OTHER_LOCALE = 'de_DE.UTF-8';
const OTHER_FOLDER = '/tmp/other-place/tree';
/** Another year, month, day of the month and day of the week. */
const DATE_SHIFT_DAYS = 1000;

/** What the runner of a language can vary. The hashes of `node:test` have no seed. */
const ABLE: Readonly<Record<Language, readonly RunDimension[]>> = {
  python: ['hash_seed', 'order', 'folder', 'time_zone', 'locale', 'date'],
  javascript: ['order', 'folder', 'time_zone', 'locale', 'date'],
  typescript: ['order', 'folder', 'time_zone', 'locale', 'date'],
  go: [],
  rust: [],
};

/** Dimensions that a contract leaves free and the language's runner can vary. A named time zone is fixed. */
export function freeDimensions(
  language: Language,
  environment: Pick<GateEnvironment, 'time_zone' | 'fixed'>,
): RunDimension[] {
  const fixed = new Set<RunDimension>([
    ...(environment.fixed ?? []),
    ...(environment.time_zone === undefined ? [] : (['time_zone'] as const)),
  ]);
  return ABLE[language].filter((dimension) => !fixed.has(dimension));
}

/** The plan's own conditions with some dimensions varied; none gives the first run's. */
export function conditionsOf(
  environment: PlanEnvironment,
  varied: readonly RunDimension[] = [],
): RunConditions {
  const is = (dimension: RunDimension): boolean => varied.includes(dimension);
  const zone = OTHER_TIME_ZONES.find((name) => name !== environment.timeZone) ?? OTHER_TIME_ZONES[0];
  return {
    hashSeed: environment.hashSeeds[is('hash_seed') ? 1 : 0],
    timeZone: is('time_zone') ? zone : environment.timeZone,
    locale: is('locale') ? OTHER_LOCALE : environment.locale,
    isReversed: is('order'),
    folder: is('folder') ? OTHER_FOLDER : null,
    dateShiftDays: is('date') ? DATE_SHIFT_DAYS : 0,
  };
}

/** How two complete runs differ. */
export interface RunDifference {
  /** Tests whose outcome differs, or that only one run has; empty where only errors outside tests differ. */
  readonly tests: readonly RunnerRun['tests'][number]['id'][];
}

/** How two runs differ; null when they agree, or when one of them is not usable for another reason. */
export function differenceOf(first: Execution, second: Execution): RunDifference | null {
  if (first.kind !== 'complete' || second.kind !== 'complete') return null;
  const outcomes = (run: RunnerRun): Map<string, string> =>
    new Map(run.tests.map((test) => [idKey(test.id), test.outcome]));
  const [before, after] = [outcomes(first.run), outcomes(second.run)];
  const tests = [
    ...first.run.tests.filter((test) => after.get(idKey(test.id)) !== test.outcome),
    ...second.run.tests.filter((test) => !before.has(idKey(test.id))),
  ].map((test) => test.id);
  const outside = (run: RunnerRun): number => run.lateErrors.length + run.collectErrors.length;
  if (tests.length === 0 && outside(first.run) === outside(second.run)) return null;
  return { tests };
}

/** The tear-down of a fixture of many tests fails with whichever of them ran last: on stubs, where it may fail, that is no difference. */
export function withoutTearDown(execution: Execution): Execution {
  if (execution.kind !== 'complete') return execution;
  const tests = execution.run.tests.map((test) =>
    test.phase === 'teardown' && test.outcome === 'error' ? { ...test, outcome: 'passed' as const } : test,
  );
  return { ...execution, run: { ...execution.run, tests } };
}

/** A difference of two runs, with what made it; `cause` is `repetition` where nothing was varied. */
export interface Flakiness {
  readonly tests: RunDifference['tests'];
  readonly cause: FlakyCause;
}

const WORDS: Readonly<Record<FlakyCause, string>> = {
  hash_seed: 'another hash seed',
  order: 'another order of the tests',
  folder: 'another folder',
  time_zone: 'another time zone',
  locale: 'another locale',
  date: 'another date',
  repetition: 'the same conditions: chance, or something that outlives a run',
  together: 'other conditions, though no single one does it alone',
};

/** Words for a cause, after "Two runs differ under". */
export function flakyWords(cause: FlakyCause): string {
  return WORDS[cause];
}

/** INVALID flaky with the dimension named; never retried into PASS. */
export function flakyFinding(flakiness: Flakiness, details: Partial<Pick<Finding, 'stub'>> = {}): Finding {
  const { tests, cause } = flakiness;
  const count = tests.length === 0 ? 'errors outside the tests' : counted(tests.length, 'test');
  return finding('flaky', 'L1', `Two runs differ in ${count} under ${WORDS[cause]}`, {
    ...details,
    testId: tests[0] ?? null,
    dimension: cause,
  });
}
