/** A project that needs people: a wrong suite is sent back, a parked builder is answered, a node of type test has no code. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { type ModelServer, startModelServer } from '../../adapters/model-server/server.ts';
import { auditSession } from '../support/audit.ts';

const CLI = resolve('bin', 'a7-rt.mjs');
const TIMEOUT_MS = 240_000;

const CONTRACTS = `version: 1
project: { name: steered, language: python }
stages: [{ id: core }]
nodes:
  - id: num.sign
    stage: core
    max_retries: 1
    description: 'sign(n) -> int: -1, 0 or 1'
    interface: { exports: ['def sign(n: int) -> int: ...'], guarantees: ['-1 below 0, 0 for 0, 1 above'] }
  - id: num.vat
    stage: core
    description: 'vat() -> int: the percentage that a person names'
    interface: { exports: ['def vat() -> int: ...'], guarantees: ['From 1 to 99'] }
  - id: num.draft
    stage: core
    tests: none
    description: 'twice(n) -> int: two times n'
    interface: { exports: ['def twice(n: int) -> int: ...'] }
  - id: num.four
    stage: core
    description: 'four(n) -> int: four times n'
    interface: { exports: ['def four(n: int) -> int: ...'], guarantees: ['Four times n'] }
    structural_deps: [num.draft]
  - id: num.checks
    stage: core
    type: test
    description: 'A suite over sign and vat together'
    structural_deps: [num.sign, num.vat]
`;

const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const submit = (exports: readonly string[], more: object = {}) => ({
  name: 'submit_pr',
  arguments: { status: 'grounded', interface: { exports }, ...more },
});
const covers = { covers: [{ clause: 'G1', tests: ['*'] }] };
const SIGN = ['def sign(n: int) -> int: ...'];
const VAT = ['def vat() -> int: ...'];
const TWICE = 'def twice(n: int) -> int: ...';
const FOUR = 'def four(n: int) -> int: ...';
const FOUR_CODE = `from num.draft import twice


def four(n: int) -> int:
    return twice(twice(n))
`;
const suite = (path: string, head: string, lines: readonly string[]) =>
  write(path, `${head}\n\n\ndef test_it():\n${lines.map((line) => `    assert ${line}\n`).join('')}`);
const signSuite = (below: number) =>
  suite('tests/num_sign/test_sign.py', 'from num.sign import sign', [
    `sign(-5) == ${String(below)}`,
    'sign(0) == 0',
  ]);
const signCode = write('num/sign.py', 'def sign(n: int) -> int:\n    return (n > 0) - (n < 0)\n');
const suspended = { status: 'suspended', suspension: { type: 'far', detail: 'Which VAT holds?' } };

const SCRIPT = {
  version: 1,
  rules: [
    author('num.sign', [signSuite(1), submit(SIGN, covers)]),
    author('num.sign', [signSuite(-1), submit(SIGN, covers)]),
    {
      role: 'builder',
      node: 'num.sign',
      repeat: true,
      turns: [{ tool_calls: [signCode, submit(SIGN)] }],
    },
    author('num.vat', [
      suite('tests/num_vat/test_vat.py', 'from num.vat import vat', ['1 <= vat() <= 99']),
      submit(VAT, covers),
    ]),
    {
      role: 'builder',
      node: 'num.vat',
      turns: [
        { tool_calls: [submit([], suspended)] },
        {
          tool_calls: [
            write('num/vat.py', 'def vat() -> int:\n    return ${find:VAT is (\\d+)}\n'),
            submit(VAT),
          ],
        },
      ],
    },
    {
      role: 'builder',
      node: 'num.draft',
      turns: [
        {
          tool_calls: [
            write('num/draft.py', 'def twice(n: int) -> int:\n    return n * 2\n'),
            submit([TWICE]),
          ],
        },
      ],
    },
    author('num.four', [
      suite('tests/num_four/test_four.py', 'from num.four import four', ['four(2) == 8']),
      submit([FOUR], covers),
    ]),
    {
      role: 'builder',
      node: 'num.four',
      turns: [{ tool_calls: [write('num/four.py', FOUR_CODE), submit([FOUR])] }],
    },
    author('num.checks', [
      suite('tests/num_checks/test_both.py', 'from num.sign import sign\nfrom num.vat import vat', [
        'sign(vat()) == 1',
      ]),
      submit([]),
    ]),
    { role: 'builder', node: 'num.checks', turns: [{ tool_calls: [submit([])] }] },
  ],
};

function author(node: string, tool_calls: readonly object[]) {
  return { role: 'test_author', node, turns: [{ tool_calls }] };
}

let root: string;
let dir: string;
let model: ModelServer;
let running: ChildProcess | null = null;

const environment = () => ({
  A7_HOME: join(root, 'home'),
  OPENAI_BASE_URL: model.url,
  OPENAI_API_KEY: 'scripted',
});
const command = (...args: string[]) => execa('node', [CLI, ...args], { env: environment() });

interface Line {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

function lines(): readonly Line[] {
  const path = join(dir, 'events.jsonl');
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}

async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS / 2;
  while (!look()) {
    if (performance.now() > deadline)
      throw new Error(
        `Waited too long for ${what}: ${lines()
          .map((line) => line.type)
          .slice(-20)
          .join(', ')}`,
      );
    await delay(100);
  }
}

const isStatus = (type: string, node: string): boolean =>
  lines().some((line) => line.type === type && (line.data['root'] ?? line.data['nodeId']) === node);

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-qa-'));
  mkdirSync(join(root, 'home'));
  dir = join(root, 'steered');
  const script = join(root, 'script.json');
  writeFileSync(script, JSON.stringify(SCRIPT));
  model = await startModelServer({ script: { path: script }, recordDir: join(root, 'record') });
  await command('init', dir);
  writeFileSync(join(dir, 'contracts.yaml'), CONTRACTS);
  writeFileSync(join(dir, '.a7', 'config.toml'), 'sandbox = "bubblewrap"\ncompletion_attempts = 1\n');
  await command('seed', dir);
}, TIMEOUT_MS);
afterAll(async () => {
  running?.kill('SIGKILL');
  await command('down').catch(() => undefined);
  await model.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a7-rt input', () => {
  test(
    'has a wrong suite written anew and a parked agent answered, until everything is sealed',
    async () => {
      const flags = ['--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];
      running = spawn('node', [CLI, 'run', dir, ...flags], {
        env: { ...process.env, ...environment() },
        stdio: 'ignore',
      });
      const ended = new Promise<number | null>((done) => running?.once('exit', done));
      const waits = (): boolean => lines().some((line) => line.type === 'waiting');
      await until('a wait for people', () => waits() && isStatus('poisoned', 'num.sign'));
      const note = 'manager_note="The signs are reversed"';
      await command('input', dir, `REDISPATCH num.sign role=test_author ${note}`);
      await until('the answer to be due', () => isStatus('suite_released', 'num.sign'));
      await command('input', dir, '--node', 'num.vat', 'VAT is 19');
      expect(await ended).toBe(0);
      running = null;
      expect(readFileSync(join(dir, 'content', 'num', 'vat.py'), 'utf8')).toContain('return 19');
      const audit = await auditSession(dir);
      expect(audit.findings).toEqual([]);
      expect(audit.facts).toMatchObject({
        nodes: {
          'num.sign': 'grounded',
          'num.vat': 'grounded',
          'num.checks': 'grounded',
          'num.draft': 'provisional',
          'num.four': 'provisional',
        },
        sealed: ['core'],
      });
      expect(lines().filter((line) => line.type === 'commit_refused')).toEqual([]);
      expect(model.requests().filter((request) => request.outcome !== 'answer')).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
