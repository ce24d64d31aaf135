/**
 * Whether what a run says rests on time that the machine took, not the code (gate.md part 12). Example: a test that needs 0.7 s of
 * processor gets them in 25 s at a load of 25; its limit of 10 s of wall time says nothing of it then.
 *  T1. A run whose red rests on time counts only if its room had the processor for as long as the limit says.
 *  T2. Else it is made again with all its times stretched as the machine was slow. What stays in doubt is the platform's fault.
 */
import type { Failure } from '../../../schemas/runner-report.ts';
import type { GateLimits } from '../../../schemas/gate-plan.ts';
import { finding } from '../finding.ts';
import type { Execution, SandboxFacts } from '../execution.ts';

/** Part of a run in which it waited for a processor, from which on the machine counts as busy. */
const STARVED_SHARE = 0.2;
/** More than the mean: a test may have met the busiest moment. */
const MARGIN = 2;
const STRETCH_MIN = 4;
const STRETCH_MAX = 30;
/** Never longer than this in all, whatever the machine does (G9). */
const WALL_MAX_MS = 400_000;
const TIMEOUT = /(^|\.)(A7TestTimeout|TestTimeout)$/u;

/** Further runs with more time: each may take as long as the machine is slow. */
export const STRETCHES_MAX = 1;

/** True when a limit of time, of a test or of the run, has a part in what was found. */
export function restsOnTime(execution: Execution): boolean {
  if (execution.kind === 'unusable')
    return execution.finding.code === 'wall_limit' || execution.finding.code === 'platform_wall';
  const { tests, collectErrors, lateErrors } = execution.run;
  const failures = [...tests, ...collectErrors, ...lateErrors].map((each) => each.failure);
  return failures.some(isLate);
}

function isLate(failure: Failure | null): boolean {
  return failure !== null && TIMEOUT.test(failure.exceptionType);
}

/** How much more time the run is to be given; null where the machine had no part in it. */
export function stretchFor(
  execution: Execution,
  { cpuMs, durationMs, waitedMs }: SandboxFacts,
  limits: GateLimits,
): number | null {
  if (!restsOnTime(execution) || waitedMs === null || waitedMs === undefined || durationMs <= 0) return null;
  if (waitedMs < durationMs * STARVED_SHARE) return null;
  // Who had as much processor as a whole test may take has had its time.
  if (execution.kind === 'complete' && (cpuMs ?? 0) >= limits.testTimeoutMs * MARGIN) return null;
  if (execution.kind === 'unusable' && (cpuMs ?? 0) >= limits.wallMs) return null;
  const slower = (durationMs / Math.max(durationMs - waitedMs, 1)) * MARGIN;
  return Math.min(STRETCH_MAX, Math.max(STRETCH_MIN, Math.ceil(slower)));
}

/** The limits of a further run: times alone are longer. */
export function stretched(limits: GateLimits, factor: number): GateLimits {
  const wallMs = Math.max(limits.wallMs, Math.min(limits.wallMs * factor, WALL_MAX_MS));
  return { ...limits, wallMs, testTimeoutMs: Math.min(limits.testTimeoutMs * factor, wallMs) };
}

/**
 * What a run says that had more time and is late all the same, by the limits that it had at first: the code's, if the room had the
 * processor or slept by its own choice for as long as one of them, else the machine's.
 */
export function lateAgain(execution: Execution, facts: SandboxFacts, limits: GateLimits): Execution {
  const { cpuMs, durationMs, waitedMs } = facts;
  const ownMs = Math.max(cpuMs ?? 0, durationMs - (waitedMs ?? 0));
  if (execution.kind === 'complete')
    return ownMs >= limits.testTimeoutMs ? execution : starvedExecution(limits, facts);
  if (ownMs < limits.wallMs) return starvedExecution(limits, facts);
  const text = `The run was busy or slept until its limit of ${limits.wallMs} ms, and longer where the machine was slow`;
  return {
    kind: 'unusable',
    finding: finding('wall_limit', 'L1', text, {
      ...{ stub: execution.finding.stub, outcome: 'timed_out' },
      limit: { name: 'wall', value: limits.wallMs, unit: 'ms', used: cpuMs },
    }),
  };
}

/** What is said when more time did not help: not proven to be the code's doing. */
function starvedExecution(limits: GateLimits, facts: SandboxFacts): Execution {
  const text = `The run waited for a processor for most of its time, also when it was given more: the machine is too busy to judge it`;
  return {
    kind: 'unusable',
    finding: finding('platform_wall', 'L1', text, {
      limit: { name: 'test time', value: limits.testTimeoutMs, unit: 'ms', used: facts.cpuMs },
    }),
  };
}
