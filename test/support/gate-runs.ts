/** Runner reports and executions for tests of the gate's judges. */
import type { Execution } from '../../core/gate/execution.ts';
import type { RunnerRun } from '../../core/gate/runner-reading.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import type { Failure, RunnerLine, TestId } from '../../schemas/runner-report.ts';

type TestLine = RunnerRun['tests'][number];

export const TEST_FILE = 'tests/price_money/test_money.py';
export const NONCE = 'nonce-1';

export function testId(name: string, file: string = TEST_FILE): TestId {
  return { file, nesting: [], name, ordinal: 0 };
}

export function failure(change: Partial<Failure> = {}): Failure {
  return {
    exceptionType: 'AssertionError',
    message: 'assert 1 == 1230',
    assertion: true,
    frames: [{ file: TEST_FILE, line: 5 }],
    ...change,
  };
}

/** A line of a test; red outcomes get a failed assertion unless told otherwise. */
export function testLine(
  name: string,
  outcome: TestLine['outcome'] = 'passed',
  change: Partial<TestLine> = {},
): TestLine {
  const isRed = outcome === 'failed' || outcome === 'error';
  return {
    kind: 'test',
    id: testId(name),
    outcome,
    phase: 'call',
    failure: isRed ? failure() : null,
    reached: [],
    durationMs: 1,
    ...change,
  };
}

export function run(tests: readonly TestLine[], change: Partial<RunnerRun> = {}): RunnerRun {
  return { collected: tests.map((test) => test.id), collectErrors: [], tests, lateErrors: [], ...change };
}

export function complete(tests: readonly TestLine[], change: Partial<RunnerRun> = {}): Execution {
  return { kind: 'complete', run: run(tests, change) };
}

export function locked(...names: readonly string[]): LockedSuite {
  return {
    suiteHash: `sha256:${'0'.repeat(64)}`,
    tests: names.map((name) => ({ id: testId(name), reached: ['parse_money'], clauses: ['G1'] })),
  };
}

/** The lines of a report as the runner writes them. */
export function reportLines(tests: readonly TestLine[]): RunnerLine[] {
  return [
    { kind: 'start', nonce: NONCE, runner: 'pytest', version: '7.2.1' },
    { kind: 'collected', ids: tests.map((test) => test.id) },
    ...tests,
    { kind: 'end', nonce: NONCE, collected: tests.length, ran: tests.length },
  ];
}

export function bytesOf(lines: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
