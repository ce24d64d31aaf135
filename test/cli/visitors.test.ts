/** One small session, built once; then what visitors do with it: look at verdicts, run them again, attack them, try the room. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../../core/gate/report/make-report.ts';
import type { ChallengeAnswer } from '../../core/ports/visitors.ts';
import { GateReport } from '../../schemas/report.ts';
import { sha256Of } from '../support/gate-report.ts';
import { removeHome, tempHome } from '../support/server.ts';
import {
  SUM_CONTRACTS,
  type TestSession,
  cli,
  honestScript,
  makeSession,
  scriptedModel,
} from '../support/session.ts';

const RUN = ['run', '--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];
const CONTRACTS = SUM_CONTRACTS.replace('    examples:', '    wall: required\n    examples:');

let home = '';
let session: TestSession;

beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home, contracts: CONTRACTS });
  const model = await scriptedModel(honestScript());
  const built = await session.at(RUN, model.env);
  await model.close();
  if (built.code !== 0) throw new Error(`${built.out}\n${built.err}`);
});
afterAll(async () => {
  await session.remove();
  await removeHome(home);
});

/** Lays files beside the session; the path of the first folder or file. */
function laid(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const at = join(session.dir, '..', name, path);
    mkdirSync(join(at, '..'), { recursive: true });
    writeFileSync(at, text);
  }
  return join(session.dir, '..', name);
}

async function challenged(path: string): Promise<{ code: number | undefined; answer: ChallengeAnswer }> {
  const { code, out } = await session.at(['challenge', 'sum.add', '--with', path, '--json']);
  return { code, answer: JSON.parse(out) as ChallengeAnswer };
}

/** Hash over every file of the session, by path. */
function everything(): Record<string, string> {
  const entries = readdirSync(session.dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.sort().map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

const dispatchOf = (role: 'b' | 't'): string =>
  readdirSync(session.path('runs/r1')).find((name) => name.startsWith(`sum.add.${role}`)) ?? '';

describe('a7-rt challenge', () => {
  test('names the wall that held, tells a builder no word of the suite, and leaves the session as it was', async () => {
    const before = everything();
    const exits = 'import os\n\n\ndef add(a: int, b: int) -> int:\n    getattr(os, "_exit")(0)\n';
    const cheat = join(laid('cheats', { 'exit.py': exits }), 'exit.py');
    const { code, answer } = await challenged(cheat);
    expect([code, answer.end, answer.verdict, answer.tier]).toEqual([0, 'held', 'INVALID', 'glass_wall']);
    expect(answer.walls.map((wall) => wall.name)).toContain('glass wall');
    expect(JSON.stringify(answer)).not.toMatch(/test_sum|test_negative/);
    const told = await session.at(['challenge', 'sum.add', '--with', cheat, '--as-builder']);
    expect(told).toEqual({ code: 0, out: answer.builderText, err: '' });
    expect(everything()).toEqual(before);
  });

  test('says plainly that code passed which is not the committed one, and how to report it', async () => {
    const other = laid('other', { 'sum/add.py': 'def add(a: int, b: int) -> int:\n    return b + a\n' });
    const { code, out } = await session.at(['challenge', 'sum.add', '--with', other]);
    expect(code).toBe(1);
    expect(out).toContain('It did NOT hold: PASS, and this is not the committed code');
    expect(out).toContain('please report it');
    const { code: same, answer } = await challenged(session.path('content/sum/add.py'));
    expect([same, answer.end]).toEqual([0, 'same']);
  });

  test('refuses what lies outside the write set, and what no builder could have written', async () => {
    const honest = readFileSync(session.path('content/sum/add.py'), 'utf8');
    const judge = laid('judge', {
      'sum/add.py': honest,
      'tests/sum_add/test_add.py': 'def test_sum(): pass\n',
    });
    const edited = await challenged(judge);
    expect([edited.code, edited.answer.walls.map((wall) => wall.name)]).toEqual([0, ['write set']]);
    const linked = laid('linked', { 'sum/add.py': honest });
    symlinkSync('/etc/passwd', join(linked, 'sum/secret.py'));
    const refused = await challenged(linked);
    expect([refused.code, refused.answer.verdict]).toEqual([0, null]);
    expect(refused.answer.walls[0]).toMatchObject({
      code: 'tree_rules',
      words: '"sum/secret.py" must be a regular file outside .git',
    });
  });

  test.each([
    [['sum.nope', '--with', 'x'], 'Cannot challenge "sum.nope": there is no such node'],
    [['sum.add', '--with', 'nowhere.py'], 'Cannot read "nowhere.py": there is no such file'],
  ])('%j is wrong use', async (args, message) => {
    const { code, err } = await session.at(['challenge', ...args]);
    expect([code, err.split('\n')[0]]).toEqual([2, `error ${message}`]);
  });
});

describe('a7-rt report and verify', () => {
  test('a dispatch has all its artifacts, also of each completion attempt', () => {
    const builder = session.path(`runs/r1/${dispatchOf('b')}`);
    const whole = [
      'agent-log.jsonl',
      'build-notes.md',
      'dispatch.json',
      'iteration-1',
      'outcome.json',
      'patch.diff',
      'snapshot.json',
    ];
    expect(readdirSync(builder)).toEqual(expect.arrayContaining(whole));
    const iteration = ['inputs.json', 'iteration.json', 'logs', 'plan.json', 'report.html', 'report.json'];
    expect(readdirSync(join(builder, 'iteration-1'))).toEqual(expect.arrayContaining(iteration));
    const patch = readFileSync(join(builder, 'patch.diff'), 'utf8');
    expect(patch).toContain('+++ b/sum/add.py');
    expect(patch).not.toContain('test_add');
    const outcome = JSON.parse(readFileSync(join(builder, 'outcome.json'), 'utf8')) as object;
    expect(outcome).toMatchObject({ turns: 1, toolUsage: { write_file: 1, submit_pr: 1 } });
    const log = readFileSync(join(builder, 'agent-log.jsonl'), 'utf8').trim().split('\n');
    expect(log.map((line) => (JSON.parse(line) as { role: string }).role)).toEqual(
      expect.arrayContaining(['system', 'user', 'assistant', 'tool']),
    );
  });

  test('shows one verdict for people, by dispatch, commit or node, and all of them as a list', async () => {
    const byDispatch = await session.at(['report', dispatchOf('b')]);
    expect(byDispatch.code).toBe(0);
    for (const part of [
      'PASS  sum.add, code',
      'glass wall: counted outside',
      '2 locked, 2 collected, 2 ran: 2 passed',
      'bubblewrap, proven level',
      'a7-rt verify sums',
    ])
      expect(byDispatch.out).toContain(part);
    const stored = GateReport.parse(JSON.parse((await session.at(['report', 'HEAD', '--json'])).out));
    const byNode = GateReport.parse(JSON.parse((await session.at(['report', 'sum.add', '--json'])).out));
    expect(byNode).toEqual(stored);
    const list = await session.at(['report']);
    expect(list.out).toMatch(new RegExp(`${dispatchOf('t')}/iteration-1 +sum.add +suite +attempt +PASS`));
    expect((await session.at(['report', 'nothing'])).code).toBe(2);
  });

  test('runs a verdict again by commit, snapshot or dispatch, and names every field that was compared', async () => {
    const { subject } = GateReport.parse(JSON.parse((await session.at(['report', 'HEAD', '--json'])).out));
    for (const name of ['HEAD', subject.tree.slice(0, 12), dispatchOf('t')]) {
      const { code, out } = await session.at(['verify', name]);
      expect([name, code, out]).toEqual([name, 0, expect.stringContaining('equal to the record')]);
      expect(out).toContain('subject.projection');
    }
  });

  test('names the field that differs, with exit code 1, and refuses a report that was changed by hand', async () => {
    const stored = GateReport.parse(JSON.parse((await session.at(['report', 'HEAD', '--json'])).out));
    const { digest: _, ...changed } = { ...stored, limits: { ...stored.limits, processesMax: 1 } };
    const digest = sha256Of(digestText(changed));
    const place = (folder: string, of: string): string =>
      session.path(`reports/${folder}/${of.slice(7)}.json`);
    writeFileSync(place('by-digest', digest), JSON.stringify({ ...changed, digest }));
    writeFileSync(place('inputs', digest), readFileSync(place('inputs', stored.digest)));
    const { code, out } = await session.at(['verify', digest]);
    expect([code, out]).toEqual([1, expect.stringContaining('- limits.processesMax: recorded 1, now ')]);
    writeFileSync(place('by-digest', digest), JSON.stringify({ ...changed, verdict: 'FAIL', digest }));
    expect((await session.at(['verify', digest])).code).toBe(2);
  });
});

describe('a7-rt sandbox', () => {
  test('passes output and exit code on, and says what was proven and which limits were hit', async () => {
    const dir = laid('room', { 'a.txt': 'hello' });
    const { code, out, err } = await cli(
      [
        'sandbox',
        '--backend',
        'bubblewrap',
        '--dir',
        dir,
        '--',
        'sh',
        '-c',
        'cat a.txt; cat /etc/shadow; exit 7',
      ],
      { env: { A7_HOME: home } },
    );
    expect([code, out]).toEqual([7, 'hello']);
    expect(err).toMatch(/limits hit: none\nproven: bubblewrap, \w+: \d+ forbidden acts tried at start/);
  });
});
