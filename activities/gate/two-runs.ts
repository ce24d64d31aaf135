/** Runs a suite twice, the second time under other conditions, and finds out what makes the two differ (gate.md part 5). */
import type { Execution } from '../../core/gate/execution.ts';
import {
  conditionsOf,
  differenceOf,
  type Flakiness,
  type RunConditions,
} from '../../core/gate/code/two-runs.ts';
import type { PlanEnvironment } from '../../schemas/gate-plan.ts';
import type { RunDimension } from '../../schemas/run-dimension.ts';
import type { ReportedEnd } from './room.ts';

/** Carries out one run; `name` is unique in the verification. */
export type ConditionedRun = (name: string, conditions: RunConditions) => Promise<ReportedEnd>;

export interface TwoRuns {
  /** The first run, the second, and those that looked for the cause. */
  readonly ends: readonly ReportedEnd[];
  readonly flakiness: Flakiness | null;
}

/** What the second run varies of a plan. */
export function varied(environment: PlanEnvironment): readonly RunDimension[] {
  return environment.free ?? ['hash_seed'];
}

/** A second run under other conditions; where it differs from the first, one run a dimension until it is named. */
export async function runAgain(
  environment: PlanEnvironment,
  name: string,
  first: ReportedEnd,
  run: ConditionedRun,
): Promise<TwoRuns> {
  const second = await run(`${name}-2`, conditionsOf(environment, varied(environment)));
  const cause = await findCause(environment, name, first.execution, second.execution, run);
  return { ends: [first, second, ...cause.ends], flakiness: cause.flakiness };
}

/**
 * Why two runs differ: first whether they do without any change, then each dimension alone; null where they agree. A dimension
 * is named when two runs under it are alike: else it was chance.
 */
export async function findCause(
  environment: PlanEnvironment,
  name: string,
  first: Execution,
  second: Execution,
  run: ConditionedRun,
): Promise<{ readonly ends: readonly ReportedEnd[]; readonly flakiness: Flakiness | null }> {
  const difference = differenceOf(first, second);
  if (difference === null) return { ends: [], flakiness: null };
  const { tests } = difference;
  const again = await run(`${name}-again`, conditionsOf(environment));
  if (differenceOf(first, again.execution) !== null)
    return { ends: [again], flakiness: { tests, cause: 'repetition' } };
  const found = await dimensionOf(environment, name, first, tests, run);
  return { ends: [again, ...found.ends], flakiness: found.flakiness };
}

/** Which dimension alone makes a run differ from `first`, which had the plan's own conditions. */
export async function dimensionOf(
  environment: PlanEnvironment,
  name: string,
  first: Execution,
  tests: Flakiness['tests'],
  run: ConditionedRun,
): Promise<{ readonly ends: readonly ReportedEnd[]; readonly flakiness: Flakiness }> {
  const ends: ReportedEnd[] = [];
  for (const dimension of varied(environment)) {
    const end = await run(`${name}-${dimension}`, conditionsOf(environment, [dimension]));
    ends.push(end);
    if (differenceOf(first, end.execution) === null) continue;
    const same = await run(`${name}-${dimension}-again`, conditionsOf(environment, [dimension]));
    const cause = differenceOf(end.execution, same.execution) === null ? dimension : 'repetition';
    return { ends: [...ends, same], flakiness: { tests, cause } };
  }
  return { ends, flakiness: { tests, cause: 'together' } };
}
