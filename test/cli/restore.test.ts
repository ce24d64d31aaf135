/** A user deletes parts of a session: every command names what is gone, and `restore` makes it again. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appendFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Result } from '../../core/ports/services.ts';
import { ledgerVerify } from '../../workers/services/ledger-verify.ts';
import { narrative, why } from '../../workers/services/narrative.ts';
import { report } from '../../workers/services/report.ts';
import { restore } from '../../workers/services/restore.ts';
import { seed } from '../../workers/services/seed.ts';
import { status } from '../../workers/services/status.ts';
import { removeHome, tempHome } from '../support/server.ts';
import {
  type CliResult,
  CONSENTED,
  type TestSession,
  honestScript,
  makeSession,
  scriptedModel,
} from '../support/session.ts';

let home: string;
let aside: string;
let session: TestSession;
let waited: CliResult;
const around = (): { env: Record<string, string | undefined> } => ({
  env: { ...process.env, A7_HOME: home },
});

beforeAll(async () => {
  home = await tempHome();
  aside = await mkdtemp(join(tmpdir(), 'a7-aside-'));
  session = await makeSession({ home });
  const model = await scriptedModel(honestScript());
  const hook = { ...model.env, A7_ON_WAITING: `cat > ${join(home, 'told.json')}` };
  const asking = await makeSession({ home });
  const flags = ['--model', 'scripted', '--manager', 'human', '--strict-turns', '--no-wait'];
  waited = await asking.at(['run', ...flags], hook);
  await asking.remove();
  const ran = await session.at(['run', '--model', 'scripted', '--manager', 'policy'], model.env);
  await model.close();
  if (ran.code !== 0) throw new Error(ran.err);
  await cp(session.dir, aside, { recursive: true, verbatimSymlinks: true });
}, 240_000);
afterAll(async () => {
  await session.remove();
  await removeHome(home);
  await rm(aside, { recursive: true, force: true });
});

/** The session as it was after its run, in the same folder. */
async function whole(): Promise<void> {
  for (const name of await readdir(session.dir)) await rm(join(session.dir, name), { recursive: true });
  await cp(aside, session.dir, { recursive: true, verbatimSymlinks: true });
}

/** What each command says: nothing where it works, else its next step. */
async function asked(): Promise<readonly string[]> {
  const { dir } = session;
  const answers: Result<unknown>[] = [
    await status(around(), dir),
    await why(dir, 'sum.add'),
    await narrative(dir, null),
    await report(dir, null),
    await ledgerVerify(dir, null, around().env),
    await seed(around(), dir, { ...CONSENTED, planOnly: true }),
  ];
  return answers.map((answer) => (answer.ok ? '' : (answer.nextStep ?? 'no next step')));
}

const EVERY_COMMAND = 6;
const REFUSED = ['content', 'content/.git', 'events.jsonl', 'store.git', '.a7/session.json'];
const READ_ON = ['objects', 'calls', 'reports', 'runs', 'sessions', 'master.json', 'contracts.yaml'];

describe('run --no-wait', () => {
  test('ends with exit code 3 where only a person can go on, says for what, and tells the hook', async () => {
    expect(waited.code).toBe(3);
    expect(waited.err).toContain(
      'Stage "core" waits for a person. Turn 0: the manager of this stage is a person',
    );
    expect(waited.err).toContain('next  a7-rt board sums, then a7-rt run sums --manager human');
    expect(JSON.parse(await readFile(join(home, 'told.json'), 'utf8'))).toEqual({
      session: 'sums',
      stage: 'core',
      node: null,
      question: 'Turn 0: the manager of this stage is a person, and a move is due',
      command: 'a7-rt board sums',
    });
  });
});

describe('restore', () => {
  test.each(REFUSED)('%s is gone: every command names the command that makes it again', async (part) => {
    await whole();
    await rm(session.path(part), { recursive: true });
    const next = await asked();
    expect(new Set(next.map((each) => each.replace(/ gives it.*$/u, '')))).toEqual(
      new Set([`a7-rt restore ${session.dir}`]),
    );
    expect(next).toHaveLength(EVERY_COMMAND);
    const restored = await restore(around(), session.dir, false);
    expect(restored).toMatchObject({ ok: true });
    await expectWhole();
  });

  test.each(READ_ON)('%s is gone: what is there is read, and restore makes the rest', async (part) => {
    await whole();
    await rm(session.path(part), { recursive: true });
    const next = await asked();
    const again = `a7-rt restore ${session.dir} makes it as it was seeded last`;
    expect(next.filter((each) => each !== '')).toEqual(part === 'contracts.yaml' ? [again] : []);
    expect(await restore(around(), session.dir, false)).toMatchObject({ ok: true });
    if (part !== 'runs') await expectWhole();
  });

  test('a master.json that cannot be read is named among what was made again', async () => {
    await whole();
    await writeFile(session.path('master.json'), 'garbage');
    const restored = await restore(around(), session.dir, false);
    expect(restored).toMatchObject({ ok: true, value: [{ part: 'master.json', state: 'restored' }] });
  });

  test('a changed line comes back from the copy, and the changed file is kept', async () => {
    await whole();
    const text = await readFile(session.path('events.jsonl'), 'utf8');
    await writeFile(session.path('events.jsonl'), text.replace('sum.add', 'sum.odd'));
    expect(new Set(await asked())).toEqual(new Set(['', `a7-rt restore ${session.dir}`]));
    expect(await restore(around(), session.dir, false)).toMatchObject({ ok: true });
    expect(await readFile(session.path('events.jsonl'), 'utf8')).toBe(text);
    expect(await readFile(session.path('events.jsonl.damaged-1'), 'utf8')).toContain('sum.odd');
  });

  test('a line of another version is named, and cut on request', async () => {
    await whole();
    const lines = (await readFile(session.path('events.jsonl'), 'utf8')).trimEnd().split('\n').length;
    for (const file of ['events.jsonl', '.a7/spare/events.jsonl'])
      await appendFile(session.path(file), '{"new":1}\n');
    const refused = await restore(around(), session.dir, false);
    expect(refused).toMatchObject({
      ok: false,
      nextStep: expect.stringContaining(
        `a7-rt restore ${session.dir} --cut ends it after line ${String(lines)}`,
      ),
    });
    expect(await restore(around(), session.dir, true)).toMatchObject({ ok: true });
    await expectWhole();
  });

  test('a commit by hand over grounded work goes to a branch of its own', async () => {
    await whole();
    const git = (...args: string[]) =>
      execa('git', ['-C', session.path('content'), '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
    const { stdout: head } = await git('rev-parse', 'main');
    await appendFile(session.path('content/sum/add.py'), '# mine\n');
    await git('commit', '-qam', 'by hand');
    const restored = await restore(around(), session.dir, false);
    expect(restored).toMatchObject({ ok: true });
    expect((await git('rev-parse', 'main')).stdout).toBe(head);
    expect((await git('branch', '--list', 'by-hand-*')).stdout).toMatch(/by-hand-/u);
    expect(await readFile(session.path('content/sum/add.py'), 'utf8')).not.toContain('# mine');
    await expectWhole();
  });

  test('a copied session is read and verified as it is, and nothing in it changes', async () => {
    const before = await readFile(join(aside, 'events.jsonl'), 'utf8');
    const read: Result<unknown>[] = [
      await status(around(), aside),
      await why(aside, 'sum.add'),
      await report(aside, null),
      await ledgerVerify(aside, null, around().env),
    ];
    expect(read.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(await seed(around(), aside, CONSENTED)).toMatchObject({ ok: false, exitCode: 2 });
    expect(await readFile(join(aside, 'events.jsonl'), 'utf8')).toBe(before);
  });
});

async function expectWhole(): Promise<void> {
  const verified = await ledgerVerify(session.dir, null, around().env);
  if (!verified.ok) throw new Error(JSON.stringify(verified));
  expect(verified.value.findings).toEqual([]);
  expect(verified.value.chain).toBe('valid');
  const told = await status(around(), session.dir);
  if (!told.ok) throw new Error(JSON.stringify(told));
  expect(told.value.nodes).toMatchObject([{ id: 'sum.add', status: 'grounded' }]);
  expect(told.value.branchProblem).toBeNull();
  expect(await readFile(session.path('content/sum/add.py'), 'utf8')).toContain('return a + b');
}
