/** The commands of docs/steering.md as they stand there, typed with the `temporal` program; the webhook; moves typed into a run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { address } from '../../adapters/temporal/server.ts';
import { readRecord } from '../../adapters/temporal/home.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { CLI, type TestSession, honestScript, makeSession, scriptedModel } from '../support/session.ts';

const DOCS = readFileSync(new URL('../../docs/steering.md', import.meta.url), 'utf8').replaceAll('\\\n', ' ');
const TYPED = DOCS.split('\n').filter((line) => line.startsWith('temporal workflow'));
const NINE = [
  'VALIDATE sum.add',
  'COMMIT sum.add',
  'SEAL summary="done"',
  'REDISPATCH sum.add role=builder manager_note="again"',
  'CONSULT question="Which?"',
  'UPDATE_PLAN narrative="n" checklist="a; b"',
  'DISPATCH sum.add role=test_author',
];

let home: string;
let session: TestSession;
let hook: Server;
const posted: unknown[] = [];
let model: Awaited<ReturnType<typeof scriptedModel>>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home });
  const { rules, ...script } = honestScript();
  model = await scriptedModel({
    ...script,
    rules: [...rules, { repeat: true, answer: { text: 'The first' } }],
  });
  hook = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += String(part)));
    request.on('end', () => {
      posted.push(JSON.parse(body));
      response.end();
    });
  });
  hook.listen(0, '127.0.0.1');
  await once(hook, 'listening');
}, 120_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  hook.close();
  await session.remove();
  await model.close();
  await removeHome(home);
}, 60_000);

interface Line {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function lines(): readonly Line[] {
  const text = readFileSync(session.path('events.jsonl'), 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

async function until<T>(look: () => T | undefined): Promise<T> {
  const deadline = performance.now() + 100_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > deadline)
      throw new Error(
        `not in the ledger: ${lines()
          .map(({ type }) => type)
          .join(' ')}`,
      );
    await delay(50);
  }
}

function run(...flags: string[]): ChildProcess & { said: string } {
  const { port } = hook.address() as AddressInfo;
  const env = { ...process.env, ...model.env, A7_HOME: home, A7_MUTATION_SECONDS: '0' };
  const child = spawn(process.execPath, [CLI, 'run', session.dir, '--model', 'scripted', ...flags], {
    env: { ...env, A7_ON_WAITING: `http://127.0.0.1:${String(port)}/hook` },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.push(child);
  const told = Object.assign(child, { said: '' });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (told.said += String(part)));
  return told;
}

/** As a person types it, but for the program's place and the server's. */
async function temporal(command: string, id: string): Promise<string> {
  const record = await readRecord(home);
  if (record === null) throw new Error('no server');
  const { temporal: program } = await readToolchain();
  const text = command
    .replace('--workflow-id ID', `--workflow-id '${id}'`)
    .replaceAll('price.money', 'sum.add');
  const { stdout } = await execa('sh', ['-c', `"$PROGRAM" ${text.replace(/^temporal /u, '')}`], {
    env: { PROGRAM: program.path, HOME: home, TEMPORAL_ADDRESS: address(record) },
  });
  return stdout;
}

test('each command of docs/steering.md is understood, and so are moves typed as text', async () => {
  expect(TYPED).toHaveLength(6);
  const [query = '', halt = '', ...others] = TYPED;
  const cancel = others.pop() ?? '';
  const first = run('--manager', 'human', '--strict-turns');
  const waiting = await until(() => posted[0]);
  expect(waiting).toMatchObject({ stage: 'core', node: null, command: `a7-rt board ${session.dir}` });
  const id = decodeURIComponent(/workflows\/(\S+)/u.exec(first.said)?.[1] ?? '');
  expect(await temporal(query, id)).toContain('sum.add');
  const moves = NINE.map(
    (move) => `temporal workflow signal --workflow-id ID --name input --input '${JSON.stringify(move)}'`,
  );
  for (const command of [...moves, ...others])
    await temporal(command, id).catch((error: unknown) => {
      const rested = lines().filter(({ type }) => type === 'resting');
      throw new Error(`${String(error)} ${JSON.stringify(rested)}`);
    });
  const asked = others.length + moves.length;
  const inputs = (): readonly Line[] => lines().filter(({ type }) => type === 'input_received');
  await until(() => (inputs().length >= asked ? true : undefined));
  await temporal(halt, id);
  await until(() => lines().find(({ type }) => type === 'halted'));
  expect(lines().filter(({ type }) => type === 'input_refused')).toEqual([]);
  const kinds = inputs().map(({ data }) => {
    const input = data['input'] as { kind: string; action: { action_type: string } | null };
    return input.action?.action_type ?? input.kind;
  });
  expect(kinds).toEqual([...NINE.map((move) => move.split(' ')[0]), 'DISPATCH', 'answer', 'SUSPEND', 'halt']);
  await once(first, 'close');
  expect(first.said).toContain('halted');

  const second = run('--manager', 'human', '--strict-turns', '--interactive');
  second.stdin?.write('board\nSUSPEND sum.add type=near detail="later"\nhello\n');
  await until(() => (inputs().length === asked + 3 ? true : undefined));
  expect(second.said).toContain('Legal moves:');
  // Before the stage is open again, the id is that of the halted one, and a cancel of it does nothing.
  await until(() => (lines().filter(({ type }) => type === 'run_opened').length === 2 ? true : undefined));
  await temporal(cancel, id);
  await once(second, 'close');
  expect(lines().at(-1)).toMatchObject({ type: 'halted' });
}, 300_000);
