/** The objects of an order's base: linked where they are many, whole where they are not, and there when the source is gone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importBase } from '../../adapters/git/order-base.ts';
import { openWorkspace } from '../../adapters/git/order-workspace.ts';
import type { Workspace } from '../../core/ports/orders.ts';
import { plainGit } from '../support/git-repo.ts';

const dir = mkdtempSync(join(tmpdir(), 'a7-order-base-'));
const repo = join(dir, 'repo');
const store = join(dir, 'workspace');
let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace(store, 'w', (_name, work) => work());
});
afterAll(async () => {
  await workspace.trees.close();
  rmSync(dir, { recursive: true, force: true });
});

const packs = (at: string): string[] =>
  readdirSync(join(at, 'objects/pack')).filter((name) => name.endsWith('.pack'));
const commit = (message: string): string => {
  plainGit(['add', '-A'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', message], { cwd: repo });
  return plainGit(['rev-parse', 'HEAD'], { cwd: repo });
};

test('importBase() links large packs, copies what lies loose, and needs the source no more', async () => {
  plainGit(['init', '--quiet', '--initial-branch=main', repo], { cwd: dir });
  writeFileSync(join(repo, 'big.bin'), randomBytes(33 * 1024 * 1024));
  commit('big');
  plainGit(['repack', '-adq', '--window=0'], { cwd: repo });
  writeFileSync(join(repo, 'small.txt'), 'loose\n');
  const head = commit('small');

  const tree = await importBase(workspace, join(repo, '.git'), head);

  const [pack = ''] = packs(join(repo, '.git'));
  const inode = (at: string): number => statSync(join(at, 'objects/pack', pack)).ino;
  expect(inode(join(store, 'store.git'))).toBe(inode(join(repo, '.git')));
  rmSync(repo, { recursive: true });
  expect((await workspace.trees.readFile(tree, 'small.txt'))?.toString()).toBe('loose\n');
  expect((await workspace.trees.readFile(tree, 'big.bin'))?.length).toBe(33 * 1024 * 1024);
  plainGit(['fsck', '--strict', '--connectivity-only'], { cwd: join(store, 'store.git') });
});

test('importBase() copies the tree alone of a small repository, once', async () => {
  plainGit(['init', '--quiet', '--initial-branch=main', repo], { cwd: dir });
  writeFileSync(join(repo, 'a.txt'), 'a\n');
  const head = commit('a');
  const before = packs(join(store, 'store.git')).length;
  const tree = await importBase(workspace, join(repo, '.git'), head);
  const after = packs(join(store, 'store.git'));
  expect(await importBase(workspace, join(repo, '.git'), head)).toBe(tree);
  expect([packs(join(store, 'store.git')), after.length - before]).toEqual([after, 1]);
});

test('importBase() copies once more where git put packs away meanwhile', async () => {
  plainGit(['init', '--quiet', '--initial-branch=main', repo], { cwd: dir });
  writeFileSync(join(repo, 'repacked.txt'), 'repacked\n');
  const head = commit('repacked');
  let tries = 0;
  const importCommit = (from: string, wanted: string): Promise<string> => {
    tries += 1;
    if (tries === 1) return Promise.reject(new Error('index-pack: early EOF'));
    return workspace.trees.importCommit(from, wanted);
  };
  const shaken = { ...workspace, trees: { ...workspace.trees, importCommit } };
  const tree = await importBase(shaken, join(repo, '.git'), head);
  expect([tries, (await workspace.trees.readFile(tree, 'repacked.txt'))?.toString()]).toEqual([
    2,
    'repacked\n',
  ]);
});

test('packOf() writes on the disk of the store, wherever temporary files lie', async () => {
  plainGit(['init', '--quiet', '--initial-branch=main', repo], { cwd: dir });
  writeFileSync(join(repo, 'packed.txt'), 'packed\n');
  const head = commit('packed');
  await importBase(workspace, join(repo, '.git'), head);
  const gitDir = join(store, 'store.git');
  plainGit(['fetch', '--quiet', join(repo, '.git'), head], { cwd: gitDir });
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/dev/null/elsewhere';
  try {
    expect((await workspace.packOf(head, head)).pack.length).toBeGreaterThan(0);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  expect(readdirSync(gitDir).filter((name) => name.startsWith('a7-pack-'))).toEqual([]);
});
