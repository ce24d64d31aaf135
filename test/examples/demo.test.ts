/** The demo as a person runs it, on the built product, killed once in the middle. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { GateReport } from '../../schemas/report.ts';

const DEMO_TIMEOUT_MS = 480_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-demo-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function demo(...args: string[]) {
  return execa('node', ['scripts/demo.mjs', ...args], { all: true, reject: false, timeout: DEMO_TIMEOUT_MS });
}

function reportsOf(session: string): GateReport[] {
  const names = readdirSync(join(session, 'reports')).filter((name) => name.endsWith('.json'));
  return names.map((name) =>
    GateReport.parse(JSON.parse(readFileSync(join(session, 'reports', name), 'utf8'))),
  );
}

describe('npm run demo', () => {
  test(
    'seals the sample though worker and server are killed, and shows each slip with what met it',
    async () => {
      const session = join(folder, 'session');
      const { exitCode, all } = await demo('--dir', session, '--kill');
      expect([exitCode, all]).toEqual([0, expect.stringContaining('Sealed. 10 of 10 nodes are grounded')]);
      expect(all).toContain('The model is scripted');
      expect(all).toMatch(/Killed \(SIGKILL\) with [4-9] of 10 nodes committed/);
      expect(all).toMatch(/Paid twice: none|Asked again: [12]\./);
      for (const line of [
        /meter\.usage, builder, attempt 1: FAIL, .*\[G2: A register that went past/,
        /tariff\.charge, test author, attempt 1: FAIL, No test of "charge" is red on the stub "none"/,
        /tariff\.blocks, builder, attempt 3: INVALID/,
        /money\.text, builder: Cannot read "tests\/money_text\/test_text\.py": there is no such file/,
        /bill\.make, builder: Cannot write "tariff\/charge\.py": it is outside your files/,
      ]) {
        expect(all).toMatch(line);
      }
      const passed = reportsOf(session).filter((report) => report.verdict === 'PASS');
      const nodes = (kind: string) =>
        new Set(passed.filter(({ subject }) => subject.kind === kind).map(({ subject }) => subject.node));
      expect([nodes('suite').size, nodes('code').size]).toEqual([10, 10]);
      expect(passed.flatMap((report) => report.levels.flatMap((level) => level.findings))).toEqual([]);
      for (const node of ['money.text', 'tariff.charge']) {
        const { stdout } = await execa('node', ['bin/a7-rt.mjs', 'report', session, node, '--json']);
        expect(GateReport.parse(JSON.parse(stdout)).subject).toMatchObject({ node, kind: 'code' });
      }
    },
    DEMO_TIMEOUT_MS,
  );

  test('leaves a folder alone that is no former demo', async () => {
    const { exitCode, stderr } = await demo('--dir', process.cwd());
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is not a former demo')]);
    expect(existsSync('package.json')).toBe(true);
  });

  test('asks for a key before it takes a real model', async () => {
    const { exitCode, stderr } = await execa('node', ['scripts/demo.mjs', '--model', 'some'], {
      env: { PATH: process.env['PATH'] ?? '' },
      extendEnv: false,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('set OPENAI_API_KEY')]);
  });
});
