/**
 * How often a suite calls the code, counted on stubs (gate.md part 12): it fixes the tier where no wall could carry so many calls, and
 * more calls buy more time. For example 676,000 calls in one test: each takes some 100 µs across the wall, and a test has 10 s.
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { GateLimits, GatePlan } from '../../../schemas/gate-plan.ts';
import type { WallChoice } from '../../../schemas/gate-wall.ts';
import type { LockedSuite, SuiteCalls } from '../../../schemas/report.ts';
import { hasWall, tooManyCalls } from '../code/wall.ts';
import type { TestLine } from './suite-facts.ts';
import { idKey } from '../test-id.ts';

/** From this many calls of one test on a suite is judged in one process. */
export const CALLS_MAX = 30_000;
/** Some times what a call takes across the wall. */
const MS_A_CALL = 0.5;
/** More than this no count of calls buys (G9). */
const BOUGHT_MAX_MS = 60_000;

/**
 * Of each test the run that called most often. What ran into its limit called as often as that at least, unless it was the stub that
 * had no end: `while queue: queue.pop()` ends on real code. Then a run on another stub says how often.
 */
export function callsOf(runs: readonly { readonly tests: readonly TestLine[] }[]): SuiteCalls {
  const lines = new Map<string, TestLine[]>();
  for (const line of runs.flatMap(({ tests }) => tests))
    lines.set(idKey(line.id), [...(lines.get(idKey(line.id)) ?? []), line]);
  const counts = [...lines.values()].map(mostOf);
  return { most: Math.max(0, ...counts), all: counts.reduce((sum, count) => sum + count, 0) };
}

function mostOf(lines: readonly TestLine[]): number {
  const most = (some: readonly TestLine[]): number => Math.max(0, ...some.map(({ calls = 0 }) => calls));
  const ended = most(lines.filter(({ failure }) => !ENDLESS.test(failure?.exceptionType ?? '')));
  return ended > 0 ? ended : most(lines);
}

const ENDLESS = /^(?:A7TestTimeout|TestTimeout)$/u;

/** The tier that was read from the suite, unless its calls are too many for a wall. */
export function tierByCalls(contract: ResolvedContract, read: WallChoice, calls: SuiteCalls): WallChoice {
  if (calls.most < CALLS_MAX || !hasWall(contract)) return read;
  return { tier: 'in_process', reasons: [...read.reasons, tooManyCalls(calls.most)] };
}

/** The plan with as much more time for its suite as the calls of the locked one buy. */
export function withBoughtTime(plan: GatePlan, locked: LockedSuite | null): GatePlan {
  const calls = locked?.calls;
  if (calls === undefined || calls.all === 0) return plan;
  const steps = plan.steps.map((step) =>
    step.kind === 'suite' ? { ...step, limits: bought(step.limits, calls) } : step,
  );
  return { ...plan, steps };
}

function bought(limits: GateLimits, { most, all }: SuiteCalls): GateLimits {
  const more = (calls: number): number => Math.min(BOUGHT_MAX_MS, Math.ceil(calls * MS_A_CALL));
  return {
    ...limits,
    wallMs: limits.wallMs + more(all),
    testTimeoutMs: limits.testTimeoutMs + more(most),
  };
}
