/** What people do with orders and repositories: every kind of repository, every promotion, every word to a moving order. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrderNotice, PromoteTo, SubmitAsked } from '../../core/ports/order-services.ts';
import { attestVerify } from '../../workers/services/attest.ts';
import { independently } from '../support/in-toto.ts';
import { plainGit } from '../support/git-repo.ts';
import { orderHolds, waitingAgent } from '../support/order-holds.ts';
import { type OrderYard, orderYard } from '../support/orders.ts';

let yard: OrderYard;
const holds = orderHolds();
beforeAll(async () => {
  yard = await orderYard({}, { wrapOrderPorts: holds.wrap });
});
afterAll(() => yard.close());

/** A plan of contract checks alone: what is tried is the line, not the room. */
const CONTRACT = {
  from: 'file' as const,
  text: 'version: 1\ncontract:\n  required_files: [README.md, manifest.json]\nfixtures:\n  - { name: ok, command: ["true"], expect: { exit_code: 0 } }\n',
  file: 'p.yaml',
};
const LEFT = ['order.json', 'task.md', 'state.json', 'change.patch', 'summary.md', 'events.jsonl'];
const missing = (id: string): string[] =>
  LEFT.filter((name) => !existsSync(join(yard.home, 'orders', id, name)));

/** What a person may type into the page of an order and no order understands. */
const RUBBISH = [
  7,
  null,
  ['stop'],
  {},
  { kind: 'advise', text: 'x' },
  { kind: 'cancel', by: 'me' },
  { kind: 'cancel', by: 'x'.repeat(101), reason: 'long' },
  { kind: 'advice', id: '1', by: 'me', text: 'x'.repeat(10_001) },
  { kind: 'advice', id: '1', by: 'me', text: 'x', iteration: 2 },
  'x'.repeat(10_001),
];

const NEVER = new AbortController().signal;
const EDIT = 'echo edited >> README.md';

/** The toy with a past: its base has a parent, as every real one has. */
function repository(name: string): string {
  const repo = yard.repository(name);
  writeFileSync(join(repo, 'README.md'), 'second\n');
  plainGit(['commit', '--quiet', '-am', 'second'], { cwd: repo });
  return repo;
}

/** Order and promotion; gives the exit code and what is told. */
async function promote(id: string, kind: PromoteTo['kind'], name: string): Promise<string> {
  const done = await yard.services.promote(id, { kind, name });
  return done.ok ? 'done' : `${String(done.exitCode)} ${done.problems[0]?.message ?? ''}`;
}

const at = (repo: string, ref: string, path = 'README.md'): string =>
  plainGit(['show', `${ref}:${path}`], { cwd: repo });

async function sent(repo: string, change: Partial<SubmitAsked>): Promise<string> {
  const done = await yard.submit(repo, change);
  if (!done.ok) throw new Error(JSON.stringify(done));
  return done.value.id;
}

const status = (id: string): string => yard.state(id).status;

async function until(id: string, wanted: string): Promise<void> {
  await yard.until(id, (state) => state.status === wanted);
}

function audit(path: string, ...options: string[]): string {
  const script = join(import.meta.dirname, '../../scripts/audit-session.mjs');
  const args = [script, path, '--home', yard.home, ...options];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

describe('promotion', () => {
  test('marks a snapshot by branch, tag, patch and bundle, once, and never over what moved', async () => {
    const repo = repository('promoted');
    const { id, folder } = await yard.run(repo, { command: EDIT });
    const patch = join(yard.home, 'p.patch');
    const bundle = join(yard.home, 'p.bundle');
    plainGit(['branch', 'moved', 'HEAD~1'], { cwd: repo });

    expect([
      await promote(id, 'branch', 'work'),
      await promote(id, 'branch', 'work'),
      await promote(id, 'tag', 'v1'),
      await promote(id, 'patch', patch),
      await promote(id, 'bundle', bundle),
    ]).toEqual(['done', 'done', 'done', 'done', 'done']);
    // Again is done; a file that is another's stays.
    const mine = join(yard.home, 'mine');
    writeFileSync(mine, 'mine');
    expect([await promote(id, 'patch', patch), await promote(id, 'bundle', bundle)]).toEqual([
      'done',
      'done',
    ]);
    for (const kind of ['patch', 'bundle'] as const)
      expect(await promote(id, kind, mine)).toBe(
        `2 Cannot promote to ${kind} "${mine}": it is there already`,
      );
    expect(await promote(id, 'patch', join(mine, 'x'))).toContain('a part of its path is no folder');
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    expect(at(repo, 'work')).toBe('second\nedited');
    expect(plainGit(['rev-list', '--count', 'v1'], { cwd: repo })).toBe('3');
    plainGit(['apply', '--check', patch], { cwd: repo });
    const clone = join(yard.home, 'clone');
    plainGit(['clone', '--quiet', repo, clone]);
    plainGit(['fetch', '--quiet', bundle, `order-${id}`], { cwd: clone });
    expect(at(clone, 'FETCH_HEAD')).toBe('second\nedited');
    expect(readFileSync(join(folder, 'summary.md'), 'utf8').match(/^- promoted: .*$/gm)).toHaveLength(4);

    // The statement of the PASS, and what no longer deserves one.
    const made = await yard.services.attest(id, null);
    const file = join(yard.home, 'order.dsse.json');
    const envelope = made.ok ? made.value : null;
    writeFileSync(file, JSON.stringify(envelope));
    const around = { env: { PATH: process.env['PATH'], A7_HOME: yard.home } };
    const tree = plainGit(['rev-parse', 'work^{tree}'], { cwd: repo });
    expect(await attestVerify(around, file, null)).toMatchObject({
      ok: true,
      value: { result: 'PASSED', subjects: [{ digest: { gitTree: tree } }, { name: `order ${id} commit` }] },
    });
    // By the field's own readers, with the key that this home keeps.
    const [key = ''] = readdirSync(join(yard.home, 'keys', 'own'));
    const publicKey = join(yard.home, 'keys', 'own', key);
    const read = await independently(file, publicKey);
    expect([read.securesystemslib, read['in-toto'], read.statement.subject[0]?.digest]).toEqual([
      'verified',
      'verified',
      { gitTree: tree },
    ]);
    const payload = Buffer.from(envelope?.payload ?? '', 'base64')
      .toString()
      .replace('PASSED', 'WARNED');
    writeFileSync(file, JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString('base64') }));
    expect(await attestVerify(around, file, null)).toMatchObject({ ok: false, exitCode: 1 });
    expect(await independently(file, publicKey)).toMatchObject({
      securesystemslib: expect.stringContaining('refused'),
      'in-toto': expect.stringContaining('refused'),
    });
    // The same without our code: the folder, and the bundle alone.
    expect(audit(folder)).toContain('All checks hold.');
    expect(audit(join(folder, 'order.bundle'))).toContain('All checks hold.');
    for (const [name, from, to] of [
      ['iteration-1/report.json', '"passed": 2', '"passed": 9'],
      ['plan.json', 'pytest', 'pytesT'],
      ['events.jsonl', '"changed":1', '"changed":2'],
    ] as const) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).toContain(from);
      writeFileSync(join(folder, name), text.replace(from, to));
      expect([name, (await yard.services.attest(id, null)).ok]).toEqual([name, false]);
      expect([name, audit(folder, '--no-suites')]).toEqual([
        name,
        expect.stringMatching(/^FAIL .*(?:changed|froze)/m),
      ]);
      writeFileSync(join(folder, name), text);
    }

    expect(await promote(id, 'branch', 'main')).toContain(
      '3 Cannot promote to branch "main": it is checked out',
    );
    expect(await promote(id, 'branch', 'moved')).toContain('3 Cannot promote to branch "moved": it moved to');
    for (const name of ['a..b', '-x', 'HEAD', 'refs/heads/x'])
      expect([name, await promote(id, 'branch', name)]).toEqual([
        name,
        expect.stringContaining('is no name of a ref'),
      ]);

    // A repository that lies elsewhere now is named; a patch needs none.
    renameSync(repo, `${repo}-moved`);
    const lost = await yard.services.promote(id, { kind: 'branch', name: 'late' });
    expect(lost).toMatchObject({
      exitCode: 2,
      problems: [{ message: `Cannot promote to "${repo}": there is no such folder` }],
      nextStep: expect.stringContaining(`a7-rt promote ${id} --repo FOLDER`),
    });
    expect(await promote(id, 'patch', join(yard.home, 'late.patch'))).toBe('done');
    const moved = await yard.services.promote(id, { kind: 'branch', name: 'late' }, `${repo}-moved`);
    expect([moved.ok, at(`${repo}-moved`, 'late')]).toEqual([true, 'second\nedited']);
  });

  test('of a URL is pushed, or nothing is said to be done', async () => {
    const bare = join(yard.home, 'repos', 'origin.git');
    plainGit(['clone', '--quiet', '--bare', repository('url'), bare]);
    const { id } = await yard.run(`file://${bare}`, { gate: CONTRACT, command: EDIT });
    const hook = join(bare, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    for (const _time of [1, 2])
      expect(await promote(id, 'branch', 'work')).toContain(
        '2 Cannot push "refs/heads/work": ! [remote rejected]',
      );
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    expect(await promote(id, 'branch', 'work')).toBe('done');
    expect(at(bare, 'work')).toBe('second\nedited');
    plainGit(['update-ref', 'refs/heads/main', 'work'], { cwd: bare });
    expect(await promote(id, 'tag', 'v1')).toBe('done');
    const next = await yard.run(`file://${bare}`, { gate: CONTRACT, command: EDIT });
    expect([await promote(next.id, 'branch', 'main'), at(bare, 'main')]).toEqual([
      'done',
      'second\nedited\nedited',
    ]);
  });
});

describe('a repository', () => {
  test('gives its uncommitted work only when asked, and keeps it', async () => {
    const repo = repository('dirty');
    writeFileSync(join(repo, 'README.md'), 'dirty\n');
    writeFileSync(join(repo, 'new.txt'), 'new\n');
    const command = `cat README.md; ls; ${EDIT}`;
    const without = await yard.run(repo, { gate: CONTRACT, command });
    const included = await yard.run(repo, { gate: CONTRACT, command, withChanges: true });
    expect(yard.read(without.id, 'iteration-1/agent.log')).not.toMatch(/dirty|new\.txt/);
    expect(yard.read(included.id, 'iteration-1/agent.log')).toMatch(/dirty[^]*new\.txt/);
    expect(await promote(included.id, 'branch', 'work')).toBe('done');
    expect([at(repo, 'work'), at(repo, 'work', 'new.txt')]).toEqual(['dirty\nedited', 'new']);
    // The patch is the agent's alone: it lies upon the work tree as it is.
    plainGit(['apply', '--check', join(included.folder, 'change.patch')], { cwd: repo });
    expect(plainGit(['status', '--porcelain'], { cwd: repo })).toBe(' M README.md\n?? new.txt');
    expect(await yard.submit(repo, { withChanges: true, base: 'HEAD~1' })).toMatchObject({ exitCode: 2 });
  });
});

describe('a moving order', () => {
  test.each([
    ['LEASED', 'plan.json'],
    ['BUILDING', 'iteration-1/prompt.md'],
    ['SNAPSHOTTING', 'iteration-1/change.patch'],
    ['VERIFYING', 'iteration-1/report.txt'],
    ['FEEDBACK', 'iteration-1/feedback.md'],
  ])('is cancelled in %s with all its artifacts, and its workspace is free', async (state, at) => {
    const repo = repository(`cancelled-${state}`);
    const held = holds.at(at);
    const id = await sent(repo, { gate: CONTRACT, command: 'rm manifest.json' });
    await held.reached;
    expect(status(id)).toBe(state);
    const next = await sent(repo, { gate: CONTRACT, command: EDIT });
    const cancelled = yard.services.cancel(id, 'no more');
    while (!yard.read(id, 'events.jsonl').includes('cancel_requested')) await new Promise(setImmediate);
    held.go();
    expect(await cancelled).toEqual({ ok: true, value: { id, status: 'CANCELED' } });
    expect(missing(id)).toEqual([]);
    await until(next, 'SUCCEEDED');
  });

  test('is cancelled in QUEUED without its workspace, and those before and after it go on', async () => {
    const repo = repository('cancelled-queued');
    const held = waitingAgent(yard.home, 'before', EDIT);
    const change = { gate: CONTRACT, limits: { iterationsMax: 1 } };
    const before = await sent(repo, { ...change, files: held.files, command: held.command });
    await until(before, 'BUILDING');
    const id = await sent(repo, { ...change, command: EDIT });
    const after = await sent(repo, { ...change, command: EDIT });
    expect([status(id), status(after)]).toEqual(['QUEUED', 'QUEUED']);
    expect(await yard.services.cancel(id, 'no more')).toEqual({
      ok: true,
      value: { id, status: 'CANCELED' },
    });
    expect(missing(id)).toEqual([]);
    expect(yard.read(id, 'events.jsonl')).not.toMatch(/lease_taken|build_started/);
    expect([status(before), status(after)]).toEqual(['BUILDING', 'QUEUED']);
    held.go();
    await until(before, 'SUCCEEDED');
    await until(after, 'SUCCEEDED');
  });

  test('is advised, watched, cancelled and retried', async () => {
    const repo = repository('moving');
    const held = waitingAgent(yard.home, 'advised', EDIT);
    const id = await sent(repo, { gate: CONTRACT, files: held.files, command: held.command });
    await until(id, 'BUILDING');
    expect(await yard.services.retry(id, {}, () => undefined, NEVER)).toMatchObject({ exitCode: 3 });
    expect(await yard.services.advise(id, 'mind the gap')).toMatchObject({ ok: true });
    expect(await yard.services.cancel(id, 'changed my mind')).toEqual({
      ok: true,
      value: { id, status: 'CANCELED' },
    });
    const left = ['change.patch', 'order.bundle', 'iteration-1/report.txt', 'iteration-1/agent.log'];
    expect(left.map((name) => existsSync(join(yard.home, 'orders', id, name)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await promote(id, 'tag', 'never')).toContain('3 Cannot promote');
    expect(await yard.services.attest(id, null)).toMatchObject({
      exitCode: 1,
      problems: [{ message: expect.stringContaining('Cannot attest order') }],
    });
    expect(await yard.services.report(id, null)).toMatchObject({
      exitCode: 2,
      problems: [{ message: `Order ${id} has no report: nothing was judged` }],
    });
    expect(await yard.services.cancel(id, 'again')).toMatchObject({ exitCode: 2 });
    expect(await yard.services.advise(id, 'late')).toMatchObject({ exitCode: 2 });

    // Advice that comes while an agent works is for its next turn.
    const again = waitingAgent(yard.home, 'again', EDIT);
    const change = {
      files: again.files,
      command: `${again.command}; [ $A7_ITERATION = 2 ] || rm manifest.json`,
    };
    const retried = await yard.services.retry(id, { ...change, watch: false }, () => undefined, NEVER);
    if (!retried.ok) throw new Error(JSON.stringify(retried));
    const next = retried.value.id;
    await until(next, 'BUILDING');
    expect(await yard.services.advise(next, 'mind the gap')).toMatchObject({ ok: true });
    await yard.onPage(next, async (page) => {
      for (const typed of RUBBISH) await page.signal('order', typed);
      await page.signal('order');
      await page.signal('please', 'stop');
      await page.signal('order', 'and the door');
    });
    again.go();
    const told: string[] = [];
    const notice = (each: OrderNotice): void => {
      if (each.kind === 'line') told.push(each.line.type);
    };
    const watched = await yard.services.watch(next, null, notice, NEVER);
    expect(watched).toMatchObject({
      ok: true,
      value: { state: { order: { retryOf: id, task: expect.any(String) } } },
    });
    expect(told).toEqual(expect.arrayContaining(['advice_given', 'order_ended']));
    expect(yard.read(next, 'iteration-2/agent.log')).toMatch(/- mind the gap\n- and the door/);
    const refused = yard
      .read(next, 'events.jsonl')
      .split('\n')
      .filter((line) => line.includes('"type":"input_refused"'))
      .map((line) => (JSON.parse(line) as { data: { shown: string; reason: string } }).data);
    expect(refused.map(({ shown }) => shown)).toEqual(
      [...RUBBISH.map((typed) => JSON.stringify(typed)), 'nothing', '"stop"'].map((text) =>
        text.slice(0, 1000),
      ),
    );
    expect(refused.at(-1)?.reason).toMatch(/^There is no signal "please".* Send one line/);
    expect(yard.read(next, 'summary.md')).toContain('- not understood: "stop". There is no signal "please"');
    expect(yard.read(next, 'iteration-1/agent.log')).not.toContain('mind the gap');
  });
});

test('an order whose first line was never written whole is told as such, by every command, and hides no other', async () => {
  const repo = repository('torn');
  const { id } = await yard.run(repo, { gate: CONTRACT, command: EDIT });
  const torn = '20200102-030405-abcdef';
  const folder = join(yard.home, 'orders', torn);
  cpSync(join(yard.home, 'orders', id), folder, { recursive: true });
  writeFileSync(join(folder, 'events.jsonl'), yard.read(id, 'events.jsonl').slice(0, 200));
  const said = `Cannot read order ${torn}: the first line of its ledger is not whole, so it never began`;
  const { services } = yard;
  const tag = { kind: 'tag', name: 't' } as const;
  const all = [services.show(torn), services.report(torn, null), services.cancel(torn, 'x')];
  for (const told of await Promise.all([...all, services.promote(torn, tag)]))
    expect(told).toMatchObject({ ok: false, exitCode: 2, problems: [{ message: said }] });
  const listed = await services.list();
  const row = expect.objectContaining({ task: said, createdAt: '2020-01-02T03:04:05.000Z' });
  expect(listed).toMatchObject({ value: expect.arrayContaining([row, expect.objectContaining({ id })]) });
});

/** `A7_TEST_ORDERS=1`: fifty orders on ten workspaces. */
const MANY = process.env['A7_TEST_ORDERS'] === undefined ? [9, 3] : [50, 10];

test('orders on several workspaces are served one at a time in each, first come first served', async () => {
  const [count = 0, spaces = 0] = MANY;
  const repos = Array.from({ length: spaces }, (_, index) => repository(`many-${String(index)}`));
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push(
      await sent(repos[index % spaces] ?? '', {
        command: EDIT,
        gate: CONTRACT,
        limits: { iterationsMax: 1 },
      }),
    );
  for (const id of ids) await until(id, 'SUCCEEDED');
  const at = (id: string, type: string): string => {
    const line = yard
      .read(id, 'events.jsonl')
      .split('\n')
      .find((each) => each.includes(`"type":"${type}"`));
    return (JSON.parse(line ?? '{}') as { at?: string }).at ?? '';
  };
  for (let index = spaces; index < count; index += 1) {
    const [before = '', own = ''] = [ids[index - spaces], ids[index]];
    expect(at(before, 'order_ended') <= at(own, 'lease_taken')).toBe(true);
  }
}, 300_000);
