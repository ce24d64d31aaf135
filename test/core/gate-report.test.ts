/** The hostile report file: only one complete, consistent report with our nonce counts (gate.md parts 4, 5 and 11). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readRunnerReport } from '../../core/gate/runner-reading.ts';
import { bytesOf, NONCE, reportLines, testId, testLine } from '../support/gate-runs.ts';

const LINES = reportLines([testLine('test_a'), testLine('test_b', 'failed')]);

function read(bytes: Uint8Array, change: Partial<Parameters<typeof readRunnerReport>[0]> = {}) {
  return readRunnerReport({
    files: [{ path: 'report.jsonl', bytes }],
    refusedPaths: [],
    reportName: 'report.jsonl',
    nonce: NONCE,
    maxBytes: 100_000,
    ...change,
  });
}

function reasonOf(lines: readonly unknown[]): string {
  const reading = read(bytesOf(lines));
  return reading.kind === 'broken' ? `${reading.reason}: ${reading.detail}` : reading.kind;
}

describe('readRunnerReport()', () => {
  test('reads a complete report', () => {
    const reading = read(bytesOf(LINES));
    expect(reading).toMatchObject({
      kind: 'complete',
      run: { collected: [testId('test_a'), testId('test_b')] },
    });
  });

  test('refuses no report, another file beside it, and an entry that is no regular file', () => {
    expect(read(bytesOf(LINES), { files: [] })).toMatchObject({ kind: 'broken', reason: 'missing' });
    const second = [
      { path: 'report.jsonl', bytes: bytesOf(LINES) },
      { path: 'report2.jsonl', bytes: bytesOf(LINES) },
    ];
    expect(read(bytesOf(LINES), { files: second })).toMatchObject({ kind: 'broken', reason: 'second' });
    expect(read(bytesOf(LINES), { refusedPaths: ['x'] })).toMatchObject({ kind: 'broken', reason: 'second' });
    expect(read(bytesOf(LINES), { files: [], refusedPaths: ['report.jsonl'] })).toMatchObject({
      kind: 'broken',
      reason: 'broken',
    });
  });

  test('refuses a report that is too large, torn, or no UTF-8', () => {
    expect(read(bytesOf(LINES), { maxBytes: 10 })).toMatchObject({ kind: 'broken', reason: 'broken' });
    expect(read(bytesOf(LINES).slice(0, -1))).toMatchObject({
      detail: 'the last line of the report is torn',
    });
    expect(read(new Uint8Array([0xff, 0xfe, 10]))).toMatchObject({ detail: 'the report is not UTF-8' });
    expect(read(new Uint8Array())).toMatchObject({ kind: 'broken' });
  });

  test('refuses lines that are missing, doubled, forged or miscounted', () => {
    const [start, collected, a, b, end] = LINES;
    expect(reasonOf([start, collected, a, b])).toBe('missing: the report has no end');
    expect(reasonOf([collected, start, a, b, end])).toBe('broken: the report does not begin with its start');
    expect(reasonOf([...LINES, ...LINES])).toBe('second: a second report follows the first');
    expect(reasonOf([...LINES, a])).toBe('second: lines follow the end of the report');
    expect(reasonOf([{ ...start, nonce: 'x' }, collected, a, b, end])).toBe(
      'broken: the report carries the nonce of another run',
    );
    expect(reasonOf([start, collected, a, b, { ...end, nonce: 'x' }])).toBe(
      'broken: the report carries the nonce of another run',
    );
    expect(reasonOf([start, collected, a, a, end])).toBe('broken: the report names one test twice');
    expect(reasonOf([start, collected, a, end])).toBe(
      'broken: the counts at the end of the report differ from its lines',
    );
    expect(reasonOf([start, a, b, end])).toBe('broken: the report names no collected tests');
    expect(reasonOf([start, collected, { ...a, outcome: 'great' }, b, end])).toBe(
      'broken: line 3 of the report does not parse',
    );
    expect(reasonOf([start, collected, { ...a, extra: 1 }, b, end])).toBe(
      'broken: line 3 of the report does not parse',
    );
  });

  test('allows the line of a file that is skipped as a whole', () => {
    const [start, collected, a, b, end] = LINES;
    expect(reasonOf([start, testLine('<module>', 'skipped'), collected, a, b, end])).toBe('complete');
  });

  test('never throws and never reads a cut or damaged report as another verdict', () => {
    const bytes = bytesOf(LINES);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const damaged = Uint8Array.from(bytes, (byte, index) => (index === at ? value : byte));
        const reading = read(damaged);
        if (reading.kind === 'complete') expect(reading.run.tests).toHaveLength(2);
        expect(read(bytes.slice(0, at)).kind).toBe('broken');
      }),
      { numRuns: 500 },
    );
  });
});
