/** What one sandboxed run proved: a complete report, a limit of the guest, a fault of the platform, or nothing usable (gate.md part 5). */
import type { SandboxResult } from '../ports/sandbox.ts';
import type { GateLimits } from '../../schemas/gate-plan.ts';
import type { Finding, HitLimit, StubKind } from '../../schemas/report.ts';
import { LIMIT_MAXIMA } from '../../schemas/contract.ts';
import { finding } from './finding.ts';
import type { ReportReading, RunnerRun } from './runner-reading.ts';

export type SandboxFacts = Pick<
  SandboxResult,
  'outcome' | 'cpuMs' | 'durationMs' | 'limitsHit' | 'waitedMs'
> & {
  /** The first words that the run printed, if any: our runner says there that the judged party comes next. */
  readonly stdout?: Pick<SandboxResult['stdout'], 'text'>;
};

export type Execution =
  | { readonly kind: 'complete'; readonly run: RunnerRun }
  | { readonly kind: 'unusable'; readonly finding: Finding };

/** Part of the wall limit that must be processor time for a run to count as busy. */
const BUSY_SHARE = 0.5;

/** Times are told in thousandths of a millisecond. */
const ROUNDING_MS = 1;

/** What our runners print before they load anything of the judged party; it cannot be taken back (`suite_report.py`). */
const BEGUN = 'a7: the run begins';

/** Judges the sandbox's outcome first, then the report. `stub` names the stub that stood in for the code. */
export function readExecution(
  facts: SandboxFacts,
  reading: ReportReading,
  limits: GateLimits,
  stub: StubKind | null,
): Execution {
  const ended =
    endFinding(facts, limits, stub) ?? limitFinding(facts, limits, stub) ?? reportFinding(reading, stub);
  if (ended !== null) return { kind: 'unusable', finding: ended };
  if (reading.kind !== 'complete')
    throw new RangeError('Cannot read an execution: a broken report passed as complete');
  const exit = exitFinding(facts, reading.run, stub);
  return exit === null ? { kind: 'complete', run: reading.run } : { kind: 'unusable', finding: exit };
}

function endFinding(facts: SandboxFacts, limits: GateLimits, stub: StubKind | null): Finding | null {
  const outcome = facts.outcome;
  switch (outcome.kind) {
    case 'lost':
      return finding('platform_lost', 'L1', 'The sandbox was lost before its end was proven', { stub });
    case 'cancelled':
      return finding('platform_lost', 'L1', 'The run was cancelled', { stub });
    case 'timed_out':
      return timedOut(facts, outcome.limitMs, stub);
    case 'out_of_memory': {
      const limit = hit('memory', outcome.limitBytes, 'bytes', null);
      return finding('memory_limit', 'L1', `The run used more than ${limits.memoryBytes} bytes of memory`, {
        stub,
        limit,
      });
    }
    case 'output_limit': {
      const limit = hit('output', outcome.limitBytes, 'bytes', null);
      return finding('output_limit', 'L1', `The run printed more than ${outcome.limitBytes} bytes`, {
        stub,
        limit,
      });
    }
    case 'exited':
    case 'signaled':
      return null;
  }
}

/** The room's clock stands while it waits for a processor: its limit is the guest's doing, another end of a long wait is not. */
function timedOut(facts: SandboxFacts, limitMs: number, stub: StubKind | null): Finding {
  const limit = hit('wall', limitMs, 'ms', facts.cpuMs);
  const busy = facts.cpuMs !== null && facts.cpuMs >= limitMs * BUSY_SHARE;
  if (!isOwnTime(facts, limitMs, busy)) {
    return finding(
      'platform_wall',
      'L1',
      `The run did not end within its limit of ${limitMs} ms, and waited for a processor or had not begun: not proven to be its own doing`,
      { stub, limit },
    );
  }
  const text = busy
    ? `The run was busy until its limit of ${limitMs} ms`
    : `The run slept or waited until its limit of ${limitMs} ms, while a processor was free for it`;
  return finding('wall_limit', 'L1', text, { stub, limit, outcome: 'timed_out' });
}

/** True when the judged party had begun and had its time, not counting what it waited for a processor (gate.md parts 11 and 12). */
function isOwnTime(facts: SandboxFacts, limitMs: number, busy: boolean): boolean {
  const { durationMs, waitedMs, stdout } = facts;
  if (waitedMs === null || waitedMs === undefined) return busy;
  if (durationMs - waitedMs < limitMs - ROUNDING_MS) return false;
  return busy || stdout?.text.startsWith(BEGUN) === true;
}

function limitFinding(facts: SandboxFacts, limits: GateLimits, stub: StubKind | null): Finding | null {
  if (facts.limitsHit.includes('processes')) {
    const limit = hit('processes', limits.processesMax, 'count', null);
    return finding(
      'process_limit',
      'L1',
      `The run needed more than ${limits.processesMax} processes and threads: 'environment.max_processes' of the contract raises that to ${LIMIT_MAXIMA.processes}`,
      {
        stub,
        limit,
      },
    );
  }
  if (facts.limitsHit.includes('disk')) {
    const limit = hit('disk', limits.diskBytes, 'bytes', null);
    return finding(
      'disk_limit',
      'L1',
      `The run filled a folder: all that it may write in holds ${limits.diskBytes} bytes together`,
      { stub, limit },
    );
  }
  return null;
}

function reportFinding(reading: ReportReading, stub: StubKind | null): Finding | null {
  if (reading.kind === 'complete') return null;
  switch (reading.reason) {
    case 'missing':
      return finding('report_missing', 'L1', `The run ended early: ${reading.detail}`, { stub });
    case 'second':
      return finding('report_second', 'L1', `The run left more than one report: ${reading.detail}`, { stub });
    case 'broken':
      return finding('report_broken', 'L1', `The run's report is not usable: ${reading.detail}`, { stub });
  }
}

/** A report that is green must end with exit code 0; a process that dies behind its report is no PASS. */
function exitFinding(facts: SandboxFacts, run: RunnerRun, stub: StubKind | null): Finding | null {
  const outcome = facts.outcome;
  if (outcome.kind === 'signaled')
    return finding('early_exit', 'L1', 'The run was ended by a signal behind its report', { stub });
  if (outcome.kind !== 'exited' || outcome.exitCode === 0 || isRed(run) || run.collected.length === 0)
    return null;
  return finding(
    'early_exit',
    'L1',
    `The report is green but the run ended with exit code ${outcome.exitCode}`,
    { stub },
  );
}

/** True when the run itself tells of something that is not green. */
function isRed(run: RunnerRun): boolean {
  const red = run.tests.some((test) => test.outcome !== 'passed');
  return red || run.collectErrors.length > 0 || run.lateErrors.length > 0;
}

function hit(name: string, value: number, unit: HitLimit['unit'], used: number | null): HitLimit {
  return { name, value, unit, used };
}
