/** A session that an older version made (before decision 0048: no copies in .a7/spare) opens in this one, by every command. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { adoptSession } from '../../adapters/store/session.ts';
import type { Result } from '../../core/ports/services.ts';
import { createSessions } from '../../workers/sessions.ts';
import { board } from '../../workers/services/board.ts';
import { ledgerVerify } from '../../workers/services/ledger-verify.ts';
import { narrative, why } from '../../workers/services/narrative.ts';
import { report } from '../../workers/services/report.ts';
import { restore } from '../../workers/services/restore.ts';
import { seed } from '../../workers/services/seed.ts';
import { stageReset, stages } from '../../workers/services/stages.ts';
import { status } from '../../workers/services/status.ts';
import { CONSENTED } from '../support/session.ts';

const FORMER = new URL('../fixtures/former-session.tar.xz', import.meta.url).pathname;
let folder: string;
const around = () => ({ env: { ...process.env, A7_HOME: join(folder, 'home') } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a7-former-'));
  await execa('tar', ['-xJf', FORMER, '-C', folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const done = (result: Result<unknown>): unknown => (result.ok ? result.value : result);

test('it is read as it is, and changed after it was adopted', async () => {
  const dir = join(folder, 'sums');
  const before = await readFile(join(dir, 'events.jsonl'), 'utf8');
  expect(done(await status(around(), dir))).toMatchObject({
    nodes: [
      { id: 'sum.add', status: 'grounded' },
      { id: 'sum.neg', status: 'grounded' },
    ],
    branchProblem: null,
  });
  expect(done(await ledgerVerify(dir, null, around().env))).toMatchObject({
    chain: 'valid',
    fold: 'equal',
    findings: [],
  });
  for (const read of [
    why(dir, 'sum.add'),
    narrative(dir, null),
    report(dir, null),
    board(dir),
    stages(dir, null),
  ])
    expect(await read).toMatchObject({ ok: true });
  expect(done(await board(dir))).toMatchObject({ moves: [] });
  expect(await readFile(join(dir, 'events.jsonl'), 'utf8')).toBe(before);

  expect(await seed(around(), dir, { ...CONSENTED, adopt: true })).toMatchObject({
    ok: true,
    value: { changed: false },
  });
  expect(done(await stageReset(dir, 'core', 'again'))).toEqual({ stages: ['core'] });
  const contracts = await readFile(join(dir, 'contracts.yaml'), 'utf8');
  await writeFile(join(dir, 'contracts.yaml'), contracts.slice(0, contracts.indexOf('  - id: sum.neg')));
  expect(await seed(around(), dir, CONSENTED)).toMatchObject({ ok: true, value: { changed: true } });
  expect(done(await status(around(), dir))).toMatchObject({ nodes: [{ id: 'sum.add', status: 'grounded' }] });

  // What others signed before this home went on is no fault; what they signed after its own lines is to be looked at.
  expect(done(await ledgerVerify(dir, null, around().env))).toMatchObject({
    signedBy: 'foreign',
    findings: [],
  });
  const stageResetBy = { ...process.env };
  expect(done(await ledgerVerify(dir, null, stageResetBy))).toMatchObject({
    findings: [{ check: 'signatures', message: expect.stringMatching(/does not know, after its own$/u) }],
  });

  // As a kill between branch and folder leaves it: the next seed finishes that commit.
  const content = join(dir, 'content');
  const oid = async (name: string): Promise<string> =>
    (await execa('git', ['-C', content, 'rev-parse', name])).stdout;
  await execa('git', ['-C', content, 'read-tree', '-u', '--reset', 'HEAD~1']);
  expect(existsSync(join(content, 'sum/neg.py'))).toBe(true);
  const intent = {
    version: 1,
    old: await oid('HEAD~1'),
    new: await oid('HEAD'),
    oldTree: await oid('HEAD~1^{tree}'),
    newTree: await oid('HEAD^{tree}'),
  };
  await writeFile(join(content, '.git/a7/intent.json'), JSON.stringify(intent));
  const left = await readFile(join(dir, 'contracts.yaml'), 'utf8');
  await writeFile(join(dir, 'contracts.yaml'), left.replace("description: '", "description: 'Again: "));
  expect(await seed(around(), dir, CONSENTED)).toMatchObject({ ok: true, value: { changed: true } });
  expect(existsSync(join(content, 'sum/neg.py'))).toBe(false);

  await rm(content, { recursive: true });
  expect(await restore(around(), dir, false)).toMatchObject({ ok: true });
  expect(await readFile(join(dir, 'content/sum/add.py'), 'utf8')).toContain('return a + b');
});

test('a folder that is moved while it is open ends what goes on there, and nothing grows at its old place', async () => {
  const dir = join(folder, 'elsewhere/sums');
  await mkdir(join(folder, 'elsewhere'));
  await execa('tar', ['-xJf', FORMER, '-C', join(folder, 'elsewhere')]);
  await adoptSession(dir);
  const sessions = createSessions(around().env);
  try {
    const session = await sessions.open(dir);
    await rename(dir, `${dir}.moved`);
    await expect(sessions.open(dir)).rejects.toThrow('the folder was moved or deleted meanwhile');
    await expect(session.objects.put('an answer that came late')).rejects.toMatchObject({ code: 'ENOENT' });
    const line = { key: 't1', type: 'thought' as const, data: {} };
    await expect(session.log.append('sum.add', 'sum.add.b9', [line])).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(existsSync(dir)).toBe(false);
    await rename(`${dir}.moved`, dir);
    expect(await sessions.open(dir)).toBe(session);
  } finally {
    await sessions.close();
  }
});
