/** With the gate forced to PASS the audit fails; with the real gate the same project passes (issue 3, part 2). */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { startModelServer } from '../../adapters/model-server/server.ts';
import { adoptSession } from '../../adapters/store/session.ts';
import { auditSession } from '../support/audit.ts';
import { bundledProgram } from '../support/bundled-program.ts';

const TIMEOUT_MS = 180_000;
const CLI = resolve('bin', 'a7-rt.mjs');
const PROGRAM = 'test/support/forced-gate/run-program.ts';

const CONTRACTS = `version: 1
project: { name: forced, language: python }
stages: [{ id: core }]
nodes:
  - id: num.next
    stage: core
    description: 'next_of(number) -> int: the number after this one'
    interface: { exports: ['def next_of(number: int) -> int: ...'], guarantees: ['One more than the number'] }
`;

const EXPORTS = ['def next_of(number: int) -> int: ...'];
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const submit = (more: object = {}) => ({
  name: 'submit_pr',
  arguments: { status: 'grounded', interface: { exports: EXPORTS }, ...more },
});
const SUITE = `from num.next import next_of


def test_next():
    assert next_of(41) == 42
    assert next_of(-1) == 0
`;
const body = (result: string): string => `def next_of(number: int) -> int:\n    return ${result}\n`;

/** The builder lies first, and works when it is refused. */
const SCRIPT = {
  version: 1,
  rules: [
    {
      role: 'test_author',
      turns: [
        {
          tool_calls: [
            write('tests/num_next/test_next.py', SUITE),
            submit({ covers: [{ clause: 'G1', tests: ['*'] }] }),
          ],
        },
      ],
    },
    {
      role: 'builder',
      turns: [
        { tool_calls: [write('num/next.py', body('42')), submit({ pr_note: 'All tests passed.' })] },
        { tool_calls: [write('num/next.py', body('number + 1')), submit()] },
      ],
    },
  ],
};

let root: string;
let template: string;
let script: string;

const environment = (extra: Record<string, string> = {}) => ({ A7_HOME: join(root, 'home'), ...extra });

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-forced-'));
  mkdirSync(join(root, 'home'));
  template = join(root, 'template');
  script = join(root, 'script.json');
  writeFileSync(script, JSON.stringify(SCRIPT));
  await execa('node', [CLI, 'init', template], { env: environment() });
  writeFileSync(join(template, 'contracts.yaml'), CONTRACTS);
  writeFileSync(join(template, '.a7', 'config.toml'), 'sandbox = "bubblewrap"\n');
  await execa('node', [CLI, 'seed', template], { env: environment() });
}, TIMEOUT_MS);
afterAll(async () => {
  await execa('node', [CLI, 'down'], { env: environment(), reject: false });
  rmSync(root, { recursive: true, force: true });
});

/** Runs a copy of the project to its end; gives its folder and how many answers its builder needed. */
async function built(name: string, argv: (dir: string) => readonly string[]) {
  const dir = join(root, name);
  cpSync(template, dir, { recursive: true });
  await adoptSession(dir);
  const recordDir = join(root, `${name}-record`);
  const model = await startModelServer({ script: { path: script }, recordDir });
  try {
    const env = environment({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' });
    await execa('node', argv(dir), { env, timeout: TIMEOUT_MS });
    return { dir, answers: model.requests().length };
  } finally {
    await model.close();
  }
}

describe('scripts/audit-session of a project whose builder lies', () => {
  test(
    'passes what the real gate let through',
    async () => {
      const flags = ['--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];
      const { dir, answers } = await built('real', (path) => [CLI, 'run', path, ...flags]);
      const audit = await auditSession(dir);
      expect([audit.exitCode, audit.findings, answers]).toEqual([0, [], 3]);
      expect(audit.facts).toMatchObject({ nodes: { 'num.next': 'grounded' }, sealed: ['core'] });
    },
    TIMEOUT_MS,
  );

  test(
    'fails when the gate was forced to PASS',
    async () => {
      const program = await bundledProgram(PROGRAM);
      const { dir, answers } = await built('forced', (path) => [program, path]);
      const audit = await auditSession(dir);
      expect([audit.exitCode, audit.ok, answers]).toEqual([1, false, 2]);
      expect(audit.commits).toMatchObject([{ node: 'num.next', green: false }]);
      expect(audit.findings.map((found) => found.check)).toContain('suites');
    },
    TIMEOUT_MS,
  );
});
