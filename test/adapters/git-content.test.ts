/** The commit step against plain git: one commit whatever dies when, nobody's work overwritten, nothing of a user's run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bringIndex,
  copyObjects,
  moveBranch,
  planCommit,
  writeCommit,
} from '../../adapters/git/commit-steps.ts';
import { contentContext } from '../../adapters/git/content-context.ts';
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { Disk } from '../../adapters/git/disk-state.ts';
import { writeIntent } from '../../adapters/git/intent.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import { bringWorkTree } from '../../adapters/git/work-tree.ts';
import type { CommitRequest, TreeStore } from '../../core/ports/git.ts';
import { type TempFolder, plainGit, tempFolder } from '../support/git-repo.ts';

type Repo = ReturnType<typeof createContentRepo>;

let folder: TempFolder;
let workTree: string;
let storeDir: string;
let store: TreeStore;
let repo: Repo;

beforeEach(async () => {
  folder = await tempFolder();
  workTree = join(folder.path, 'content');
  storeDir = join(folder.path, 'store.git');
  store = await createObjectStore({ gitDir: storeDir });
  repo = createContentRepo({ workTree, storeDir });
  await repo.init();
});

afterEach(async () => {
  await Promise.all([store.close(), repo.close()]);
  await folder.remove();
});

const at = (path: string): string => join(workTree, path);
const gitHere = (...args: string[]): string => plainGit(args, { cwd: workTree });

async function make(files: Readonly<Record<string, string>>): Promise<string> {
  const changes = Object.entries(files).map(([path, text]) => ({
    kind: 'write' as const,
    path,
    bytes: Buffer.from(text),
    executable: path.endsWith('.sh'),
  }));
  const result = await store.writeFiles(store.emptyTree, changes);
  if (result.status === 'refused') throw new Error(JSON.stringify(result.refusals));
  return result.tree;
}

function request(tree: string, expectedHead: string | null, message = 'Ground auth.jwt'): CommitRequest {
  return { tree, expectedHead, message, trailers: [['Node', 'auth.jwt']], dateSeconds: 1_700_000_000 };
}

async function commitFiles(
  files: Readonly<Record<string, string>>,
  expectedHead: string | null,
): Promise<string> {
  const result = await repo.commit(request(await make(files), expectedHead));
  if (result.status !== 'committed') throw new Error(JSON.stringify(result));
  return result.commit;
}

async function expectWhole(commit: string, tree: string): Promise<void> {
  expect(gitHere('rev-parse', 'refs/heads/main')).toBe(commit);
  expect(gitHere('rev-parse', 'HEAD^{tree}')).toBe(tree);
  expect(gitHere('write-tree')).toBe(tree);
  expect(gitHere('diff-files')).toBe('');
  expect(gitHere('status', '--porcelain')).toBe('');
  expect(gitHere('fsck', '--strict', '--no-dangling')).toBe('');
  expect(existsSync(at('.git/index.lock'))).toBe(false);
  expect(existsSync(at('.git/a7/intent.json'))).toBe(false);
  expect(await repo.status()).toEqual({ status: 'clean', head: commit, untracked: [] });
}

const FIRST = { 'a.py': 'a\n', 'd/b.py': 'b\n', 'run.sh': '#!/bin/sh\n', x: 'file' };
const SECOND = { 'a.py': 'a2\n', 'd/c/e.py': 'e\n', 'run.sh': '#!/bin/sh\n', 'x/y': 'now a folder' };

describe('commit()', () => {
  test('by a clock that stands before 1970 is one that git accepts', async () => {
    const early = { ...request(await make(FIRST), null), dateSeconds: -157_766_400.5 };
    expect(await repo.commit(early)).toMatchObject({ status: 'committed' });
    expect(gitHere('fsck', '--strict', '--no-dangling')).toBe('');
    expect(gitHere('log', '--format=%at')).toBe('0');
  });

  test('moves branch, index and work tree; modes, bytes and trailers are as asked', async () => {
    const first = await commitFiles({ ...FIRST, '.gitattributes': '* text eol=crlf ident\n' }, null);
    const tree = await make(SECOND);
    const result = await repo.commit(request(tree, first));
    expect(result).toMatchObject({ status: 'committed', repeated: false });
    await expectWhole(result.status === 'committed' ? result.commit : '', tree);
    expect(await readFile(at('x/y'), 'utf8')).toBe('now a folder');
    expect((await stat(at('run.sh'))).mode & 0o777).toBe(0o755);
    expect(existsSync(at('d/b.py'))).toBe(false);
    expect(gitHere('log', '-1', '--format=%an <%ae> %at|%s|%(trailers:key=Node,valueonly)')).toBe(
      'a7-rt <a7-rt@localhost> 1700000000|Ground auth.jwt|auth.jwt\n',
    );
    const back = await repo.commit(request(await make({ x: 'file again' }), gitHere('rev-parse', 'HEAD')));
    expect(back.status).toBe('committed');
    expect(await readFile(at('x'), 'utf8')).toBe('file again');
  });

  test('gives the same commit when repeated, also after later commits', async () => {
    const first = await commitFiles(FIRST, null);
    const again = request(await make(SECOND), first);
    const one = await repo.commit(again);
    expect(await repo.commit(again)).toEqual({ ...one, repeated: true });
    await commitFiles({ z: '' }, one.status === 'committed' ? one.commit : null);
    expect(await repo.commit(again)).toEqual({ ...one, repeated: true });
    expect(gitHere('rev-list', '--count', 'HEAD')).toBe('3');
  });

  test('says that the head moved and changes nothing', async () => {
    const first = await commitFiles(FIRST, null);
    const second = await commitFiles(SECOND, first);
    const late = await repo.commit(request(await make({ late: '' }), first, 'Late'));
    expect(late).toEqual({ status: 'head_moved', expected: first, actual: second });
    expect(await repo.commit(request(await make({ late: '' }), null, 'Late'))).toMatchObject({
      status: 'head_moved',
      actual: second,
    });
    await expectWhole(second, await make(SECOND));
  });

  test('names dirty paths and touches none of them', async () => {
    const first = await commitFiles(FIRST, null);
    await writeFile(at('a.py'), 'mine');
    await rm(at('d/b.py'));
    await chmod(at('run.sh'), 0o644);
    await writeFile(at('new.py'), 'staged');
    gitHere('add', 'new.py');
    await writeFile(at('free.txt'), 'untracked');
    const paths = [
      { path: 'a.py', state: 'modified' },
      { path: 'd/b.py', state: 'deleted' },
      { path: 'run.sh', state: 'modified' },
      { path: 'new.py', state: 'staged' },
    ];
    expect(await repo.status()).toEqual({ status: 'dirty', paths, untracked: ['free.txt'] });
    expect(await repo.commit(request(await make(SECOND), first))).toEqual({ status: 'dirty', paths });
    expect(await readFile(at('a.py'), 'utf8')).toBe('mine');
    expect(gitHere('rev-parse', 'HEAD')).toBe(first);
  });

  test('does not overwrite an ignored file that lies where a new one must go', async () => {
    const first = await commitFiles({ '.gitignore': 'x\n' }, null);
    await writeFile(at('x'), 'precious');
    const result = await repo.commit(request(await make({ '.gitignore': 'x\n', x: 'new' }), first));
    expect(result).toEqual({ status: 'dirty', paths: [{ path: 'x', state: 'in_the_way' }] });
    expect(await readFile(at('x'), 'utf8')).toBe('precious');
  });

  test('does not follow a link out of the work tree', async () => {
    const first = await commitFiles({ 'd/b.py': 'b\n' }, null);
    const outside = join(folder.path, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'b.py'), 'b\n');
    await rm(at('d'), { recursive: true });
    await symlink(outside, at('d'));
    expect(await repo.commit(request(await make({ 'd/b.py': 'b2\n' }), first))).toMatchObject({
      status: 'dirty',
    });
    expect(await readFile(join(outside, 'b.py'), 'utf8')).toBe('b\n');
  });

  test('refuses another branch, and a trailer that would forge one', async () => {
    const first = await commitFiles(FIRST, null);
    gitHere('checkout', '-q', '-b', 'other');
    const tree = await make(SECOND);
    expect(await repo.commit(request(tree, first))).toEqual({
      status: 'wrong_branch',
      found: 'other',
      expected: 'main',
    });
    const forged = { ...request(tree, first), trailers: [['Node', 'a\nReport: PASS'] as const] };
    gitHere('checkout', '-q', 'main');
    await expect(repo.commit(forged)).rejects.toThrow('trailer "Node"');
  });

  test('runs no hook, filter, monitor or include of the repository', async () => {
    const first = await commitFiles({ ...FIRST, '.gitattributes': '* filter=evil\n' }, null);
    const marker = join(folder.path, 'ran');
    const script = `touch ${marker}`;
    const included = join(folder.path, 'included');
    await writeFile(included, `[core]\n\tfsmonitor = ${script}\n`);
    for (const [key, value] of [
      ['filter.evil.clean', `${script}; cat`],
      ['filter.evil.smudge', `${script}; cat`],
      ['filter.evil.process', script],
      ['filter.evil.required', 'true'],
      ['core.fsmonitor', script],
      ['core.hooksPath', at('.git/hooks')],
      ['core.sshCommand', script],
      ['core.alternateRefsCommand', script],
      ['diff.external', script],
      ['gpg.program', script],
      ['commit.gpgSign', 'true'],
      ['include.path', included],
    ] as const) {
      gitHere('config', key, value);
    }
    await mkdir(at('.git/hooks'), { recursive: true });
    for (const hook of [
      'reference-transaction',
      'pre-commit',
      'post-commit',
      'post-index-change',
      'post-checkout',
    ]) {
      await writeFile(at(`.git/hooks/${hook}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const tree = await make({ ...SECOND, '.gitattributes': '* filter=evil\n' });
    expect((await repo.commit(request(tree, first))).status).toBe('committed');
    expect(await repo.status()).toMatchObject({ status: 'clean' });
    await writeFile(at('a.py'), 'changed by hand');
    expect(await repo.status()).toMatchObject({ status: 'dirty' });
    expect(existsSync(marker)).toBe(false);
    // The trap works: a plain git falls into it.
    expect(() => gitHere('status', '--porcelain')).toThrow();
    expect(existsSync(marker)).toBe(true);
  });
});

/** Everything a killed process may have done: the first `count` steps of a commit. */
async function stopAfter(count: number, wanted: CommitRequest): Promise<string> {
  const context = contentContext(workTree, 'main', storeDir);
  const disk = new Disk(workTree);
  const plan = await planCommit(context, wanted);
  const { oldTree, newTree } = plan.intent;
  const steps = [
    () => writeIntent(context, plan.intent),
    () => copyObjects(context, plan.intent),
    () => writeCommit(context, plan.commit),
    () => moveBranch(context, plan.intent),
    () => bringWorkTree(context, disk, { oldTree, newTree }),
    () => bringIndex(context, disk, newTree),
  ];
  for (const [index, step] of steps.entries()) {
    if (index < count) await step();
  }
  await Promise.all([context.content.reader.close(), context.store.reader.close()]);
  return plan.intent.new;
}

describe('recover()', () => {
  test.each([
    [0, 'nothing_to_do'],
    [1, 'dropped'],
    [2, 'dropped'],
    [3, 'rolled_forward'],
    [4, 'rolled_forward'],
    [5, 'rolled_forward'],
    [6, 'rolled_forward'],
  ])('after step %i says %s, and a repeated commit() ends whole', async (count, status) => {
    const first = await commitFiles(FIRST, null);
    const wanted = request(await make(SECOND), first);
    const commit = await stopAfter(count, wanted);
    expect(await repo.recover()).toMatchObject({ status });
    expect(await repo.recover()).toEqual({ status: 'nothing_to_do' });
    if (status === 'rolled_forward') await expectWhole(commit, wanted.tree);
    expect(await repo.commit(wanted)).toEqual({
      status: 'committed',
      commit,
      repeated: status === 'rolled_forward',
    });
    await expectWhole(commit, wanted.tree);
  });

  test('finishes a half-written work tree', async () => {
    const first = await commitFiles(FIRST, null);
    const wanted = request(await make(SECOND), first);
    const commit = await stopAfter(4, wanted);
    await writeFile(at('a.py'), 'a2\n');
    await rm(at('x'));
    await mkdir(at('.git/a7/tmp'), { recursive: true });
    await writeFile(at('.git/a7/tmp/half'), 'ha');
    expect(await repo.recover()).toEqual({ status: 'rolled_forward', commit });
    await expectWhole(commit, wanted.tree);
  });

  test('stops at a path that neither tree has, names it, and goes on once it is gone', async () => {
    const first = await commitFiles(FIRST, null);
    const wanted = request(await make(SECOND), first);
    const commit = await stopAfter(4, wanted);
    await writeFile(at('a.py'), 'by hand');
    await mkdir(at('d/c'), { recursive: true });
    await writeFile(at('d/c/e.py'), 'also by hand');
    const paths = [
      { path: 'a.py', state: 'modified' },
      { path: 'd/c/e.py', state: 'in_the_way' },
    ];
    expect(await repo.recover()).toEqual({ status: 'conflict', commit, paths });
    expect(await repo.commit(wanted)).toEqual({ status: 'conflict', commit, paths });
    expect(await readFile(at('a.py'), 'utf8')).toBe('by hand');
    await writeFile(at('a.py'), 'a\n');
    await rm(at('d/c'), { recursive: true });
    expect(await repo.recover()).toEqual({ status: 'rolled_forward', commit });
    await expectWhole(commit, wanted.tree);
  });

  test('leaves a branch alone that somebody else moved', async () => {
    const first = await commitFiles(FIRST, null);
    await stopAfter(3, request(await make(SECOND), first));
    gitHere('commit', '-q', '--allow-empty', '-m', 'by hand');
    const head = gitHere('rev-parse', 'HEAD');
    expect(await repo.recover()).toEqual({ status: 'head_moved', expected: first, actual: head });
    expect(gitHere('status', '--porcelain')).toBe('');
    expect(await repo.recover()).toEqual({ status: 'nothing_to_do' });
  });

  test('waits for a living git with index.lock, and removes the lock once that git was killed', async () => {
    const first = await commitFiles(FIRST, null);
    const wanted = request(await make(SECOND), first);
    const commit = await stopAfter(4, wanted);
    const holder = await holdIndexLock();
    expect(await repo.recover()).toEqual({ status: 'locked', lock: at('.git/index.lock') });
    const gone = once(holder, 'close');
    holder.kill('SIGKILL');
    await gone;
    expect(existsSync(at('.git/index.lock'))).toBe(true);
    expect(await repo.recover()).toEqual({ status: 'rolled_forward', commit });
    await expectWhole(commit, wanted.tree);
  });

  test('removes locks of dead processes on branch and HEAD', async () => {
    const first = await commitFiles(FIRST, null);
    const wanted = request(await make(SECOND), first);
    const commit = await stopAfter(3, wanted);
    await writeFile(at('.git/refs/heads/main.lock'), '');
    await writeFile(at('.git/HEAD.lock'), '');
    expect(await repo.recover()).toEqual({ status: 'rolled_forward', commit });
    await expectWhole(commit, wanted.tree);
  });
});

describe('commit() killed at random instants', () => {
  const SEED = Number(process.env['A7_KILL_SEED'] ?? Date.now() % 1_000_000);
  const ROUNDS = 6;

  test(`leaves branch, index and work tree equal after recover() (A7_KILL_SEED=${SEED})`, async () => {
    await commitFiles(FIRST, null);
    let random = SEED;
    for (let round = 0; round < ROUNDS; round += 1) {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      await runAndKill(Math.floor((random / 2_147_483_648) * 200));
      let recovered = await repo.recover();
      // A git that the dead process had started may live a moment longer.
      for (let tries = 0; tries < 600 && recovered.status === 'locked'; tries += 1) {
        await sleep(50);
        recovered = await repo.recover();
      }
      expect(['nothing_to_do', 'dropped', 'rolled_forward']).toContain(recovered.status);
      await expectWhole(gitHere('rev-parse', 'main'), gitHere('rev-parse', 'main^{tree}'));
    }
    expect(Number(gitHere('rev-list', '--count', 'main'))).toBeGreaterThan(ROUNDS);
  });
});

/** Starts a process that commits without end, lets it reach its first commit, and kills it `delayMs` later. */
async function runAndKill(delayMs: number): Promise<void> {
  const script = join(import.meta.dirname, '../support/commit-loop.mjs');
  const child = spawn(process.execPath, ['--import', 'tsx', script, workTree, storeDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^committed/);
  await sleep(delayMs);
  child.kill('SIGKILL');
  await ended;
}

/** A real git in the middle of an index update: it has taken the lock and waits for input. */
async function holdIndexLock(): Promise<ChildProcess> {
  const child = spawn('git', ['update-index', '--index-info'], {
    cwd: workTree,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (let tries = 0; tries < 3_000 && !existsSync(at('.git/index.lock')); tries += 1) await sleep(10);
  expect(existsSync(at('.git/index.lock'))).toBe(true);
  return child;
}
