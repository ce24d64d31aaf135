/** Has a suite judged behind the wall and in plain at once, and finds out why the two differ, where they do (core/gate/code/two-judges.ts). */
import { isGreen, isPlatform, type PlainVerdict } from '../../core/gate/code/two-judges.ts';
import { conditionsOf, differenceOf, type Flakiness } from '../../core/gate/code/two-runs.ts';
import type { Execution } from '../../core/gate/execution.ts';
import type { PlanEnvironment } from '../../schemas/gate-plan.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import type { ReportedEnd } from './room.ts';
import { dimensionOf, varied, type ConditionedRun } from './two-runs.ts';

export interface TwoJudges {
  /** The wall's run first, then the plain one, then those that looked for a cause. */
  readonly ends: readonly ReportedEnd[];
  readonly flakiness: Flakiness | null;
  /** The plain run that decides; null where the cause is another one than the kind of judge. */
  readonly plain: Omit<PlainVerdict, 'isSecond'>;
}

export interface JudgeRuns {
  /** For example `pytest`. */
  readonly runner: string;
  readonly wall: ConditionedRun;
  readonly plain: ConditionedRun;
}

/** Runs made to find out why two judges differ, beside those of one dimension each. */
type Cause = Pick<TwoJudges, 'ends' | 'flakiness'> & { readonly plain?: Execution };

/** Both at once, the plain one under other conditions: how long a verdict takes is the slower of the two. */
export async function runJudges(
  environment: PlanEnvironment,
  locked: LockedSuite,
  { runner, wall, plain }: JudgeRuns,
): Promise<TwoJudges> {
  const [first, second] = await Promise.all([
    wall('suite-1', conditionsOf(environment)),
    plain('suite-plain', conditionsOf(environment, varied(environment))),
  ]);
  const cause = await causeOf(environment, locked, first.execution, second.execution, {
    runner,
    wall,
    plain,
  });
  return {
    ends: [first, second, ...cause.ends],
    flakiness: cause.flakiness,
    plain: { runner, execution: cause.plain ?? second.execution },
  };
}

async function causeOf(
  environment: PlanEnvironment,
  locked: LockedSuite,
  wall: Execution,
  plain: Execution,
  runs: JudgeRuns,
): Promise<Cause> {
  const [isWallGreen, isPlainGreen] = [isGreen(wall, locked), isGreen(plain, locked)];
  if (isWallGreen === isPlainGreen || isPlatform(wall) || isPlatform(plain))
    return { ends: [], flakiness: null };
  return isWallGreen
    ? plainOnly(environment, locked, plain, runs.plain)
    : wallOnly(environment, wall, runs.wall);
}

/** Red in plain: by one of the other conditions, by chance, or because it is plain. */
async function plainOnly(
  environment: PlanEnvironment,
  locked: LockedSuite,
  varies: Execution,
  run: ConditionedRun,
): Promise<Cause> {
  const again = await run('suite-plain-again', conditionsOf(environment));
  if (isPlatform(again.execution)) return { ends: [again], flakiness: null, plain: again.execution };
  const tests = differenceOf(varies, again.execution)?.tests ?? [];
  if (isGreen(again.execution, locked)) {
    const { ends, flakiness } = await dimensionOf(environment, 'suite-plain', again.execution, tests, run);
    return { ends: [again, ...ends], flakiness };
  }
  // Red under either: if chance has a part in it, two runs alike show it.
  const same = await run('suite-plain-same', conditionsOf(environment));
  const isChance = differenceOf(again.execution, same.execution) !== null;
  return {
    ends: [again, same],
    flakiness: isChance ? { tests, cause: 'repetition' } : null,
    plain: again.execution,
  };
}

/** Red behind the wall: by chance, or because of the wall. */
async function wallOnly(environment: PlanEnvironment, wall: Execution, run: ConditionedRun): Promise<Cause> {
  const again = await run('suite-again', conditionsOf(environment));
  const difference = differenceOf(wall, again.execution);
  return {
    ends: [again],
    flakiness: difference === null ? null : { tests: difference.tests, cause: 'repetition' },
  };
}
