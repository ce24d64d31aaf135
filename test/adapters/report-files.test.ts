/** Stored reports: the first wins, whole or not at all (gate.md part 7); and the programs that the gate lays into rooms. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReportFiles } from '../../adapters/report-files/report-files.ts';
import { readRunnerFiles } from '../../adapters/runner-files/runner-files.ts';
import { judgement } from '../../core/gate/judgement.ts';
import { unsealedReport } from '../../core/gate/make-report.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import type { GateReport } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-reports-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const KEY = `sha256:${'a'.repeat(64)}`;

function report(totalMs: number): GateReport {
  const contract = gateContract();
  const subject = {
    node: contract.id,
    kind: 'code' as const,
    tree: '1'.repeat(40),
    projection: '2'.repeat(40),
    suiteHash: null,
    planHash: KEY,
    image: 'image:1',
    verifierVersion: '1',
  };
  const unsealed = unsealedReport({
    judgement: judgement('code', [], [], { L0: true, L1: false }),
    plan: resolvePlan(contract),
    subject,
    key: KEY,
    tier: 'in_process',
    isolation: { backend: 'bubblewrap', level: 'hardened' },
    commands: [],
    totalMs,
  });
  return { ...unsealed, digest: KEY };
}

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

  test('refuses a key that is none, and a damaged file', async () => {
    const reports = createReportFiles(folder);
    await expect(async () => reports.get('../x')).rejects.toThrow('must be sha256');
    writeFileSync(join(folder, `${'a'.repeat(64)}.json`), '{"verdict":"PASS"}');
    await expect(reports.get(KEY)).rejects.toThrow();
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
    expect(paths('python')).toEqual(['a.mjs', 'b.py', 'more/c.py']);
    expect(paths('typescript').slice(3)).toEqual([
      'node_modules/@swc/wasm-typescript/package.json',
      'node_modules/@swc/wasm-typescript/wasm.js',
    ]);
  });

  test('refuses an empty folder', async () => {
    await expect(readRunnerFiles(folder)).rejects.toThrow('must hold the runner programs');
  });
});
