/** Stored reports: the first wins, whole or not at all (gate.md part 7); and the programs that the gate lays into rooms. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReportFiles } from '../../adapters/report-files/report-files.ts';
import { readRunnerFiles } from '../../adapters/runner-files/runner-files.ts';
import type { GateReport } from '../../schemas/report.ts';
import { REPORT_KEY, gateReport } from '../support/gate-report.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-reports-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const KEY = REPORT_KEY;
const report = (totalMs: number): GateReport => gateReport('PASS', { totalMs });

describe('createReportFiles()', () => {
  test('gives back what was stored first, however many store at once', async () => {
    const reports = createReportFiles(join(folder, 'reports'));
    expect(await reports.get(KEY)).toBeNull();
    const kept = await Promise.all(Array.from({ length: 20 }, (_, index) => reports.put(report(index + 1))));
    const times = new Set(kept.map((each) => each.timings.totalMs));
    expect(times.size).toBe(1);
    expect((await reports.get(KEY))?.timings.totalMs).toBe([...times][0]);
    expect(readdirSync(join(folder, 'reports'))).toEqual([`${'a'.repeat(64)}.json`]);
  });

  test.each<[string, (text: string) => string]>([
    ['that is damaged', () => '{"verdict":"PASS"}'],
    ['that is torn', (text) => text.slice(0, 100)],
    ['whose verdict was changed', (text) => text.replace('"verdict":"PASS"', '"verdict":"FAIL"')],
    [
      'whose tests were changed',
      (text) => text.replace('"ran":[]', '"ran":[{"file":"t","nesting":[],"name":"x","ordinal":0}]'),
    ],
    ['of another key', (text) => text.replaceAll('a'.repeat(64), 'b'.repeat(64))],
  ])('does not believe an entry %s, and the next verdict takes its place', async (_, forge) => {
    const reports = createReportFiles(folder);
    const path = join(folder, `${'a'.repeat(64)}.json`);
    await reports.put(report(1));
    const forged = forge(readFileSync(path, 'utf8'));
    expect(forged).not.toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, forged);
    expect(await reports.get(KEY)).toBeNull();
    expect((await reports.put(report(2))).timings.totalMs).toBe(2);
    expect((await reports.get(KEY))?.timings.totalMs).toBe(2);
  });

  test('refuses a key that is none, and a report that is not what its digest says', async () => {
    const reports = createReportFiles(folder);
    await expect(async () => reports.get('../x')).rejects.toThrow('must be sha256');
    await expect(reports.put({ ...report(1), verdict: 'FAIL' })).rejects.toThrow(
      'does not hash to its digest',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('readRunnerFiles()', () => {
  test('reads programs with their folders and leaves caches out', async () => {
    mkdirSync(join(folder, '__pycache__'));
    mkdirSync(join(folder, 'more'));
    for (const path of ['b.py', 'a.mjs', '.hidden', '__pycache__/b.pyc', 'more/c.py'])
      writeFileSync(join(folder, path), path);
    const files = await readRunnerFiles(folder);
    const paths = (language: 'python' | 'typescript') => files.files(language).map((file) => file.path);
    expect(files.all.map((file) => file.path)).toEqual(['a.mjs', 'b.py', 'more/c.py']);
    expect(paths('python')).toEqual(['b.py', 'more/c.py']);
    expect(paths('typescript')).toEqual([
      'a.mjs',
      'node_modules/@swc/wasm-typescript/package.json',
      'node_modules/@swc/wasm-typescript/wasm.js',
    ]);
  });

  test('lays the compiled form of Python programs beside them', async () => {
    writeFileSync(join(folder, 'b.py'), '');
    const compiled = { path: '__pycache__/b.pyc', bytes: Buffer.from('c') };
    const files = await readRunnerFiles(folder, async (sources) =>
      Promise.resolve(sources.length === 1 ? [compiled] : []),
    );
    expect(files.files('python').map((file) => file.path)).toEqual(['b.py', '__pycache__/b.pyc']);
    expect(files.files('javascript')).toEqual([]);
  });

  test('refuses an empty folder', async () => {
    await expect(readRunnerFiles(folder)).rejects.toThrow('must hold the runner programs');
  });
});
