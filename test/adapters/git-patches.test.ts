/** Patches of a long-lived git against those of a git of their own. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import type { TreeChange, TreeStore } from '../../core/ports/git.ts';
import { type TempFolder, plainGit, tempFolder } from '../support/git-repo.ts';

let folder: TempFolder;
let gitDir: string;
let store: TreeStore;

beforeEach(async () => {
  folder = await tempFolder();
  gitDir = join(folder.path, 'store.git');
  store = await createObjectStore({ gitDir });
});

afterEach(async () => {
  await store.close();
  await folder.remove();
});

const write = (path: string, bytes: Uint8Array | string, executable = false): TreeChange => ({
  kind: 'write',
  path,
  bytes: Buffer.from(bytes),
  executable,
});

async function change(tree: string, changes: readonly TreeChange[]): Promise<string> {
  const result = await store.writeFiles(tree, changes);
  if (result.status === 'refused') throw new Error(JSON.stringify(result.refusals));
  return result.tree;
}

function plainPatch(before: string, after: string): string {
  const format = ['-r', '-p', '--binary', '--full-index', '--no-renames'];
  const args = ['--git-dir', gitDir, 'diff-tree', ...format, before, after];
  return execFileSync('git', args, { maxBuffer: 64 * 1024 * 1024 }).toString('latin1');
}

const patchText = async (before: string, after: string): Promise<string> =>
  Buffer.from(await store.patch(before, after)).toString('latin1');

test('patch() gives the bytes that plain git gives: texts, bytes, modes, new and removed files', async () => {
  const noise = Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 7919) % 256));
  // Contents that could be taken for what the process says of itself.
  const tricky = `${store.emptyTree} ${store.emptyTree}\nend 0123456789abcdef01234567\ndiff --git a/x b/x\n`;
  const first = await change(store.emptyTree, [
    write('a.py', 'one\n'.repeat(500)),
    write('gone.txt', tricky),
    write('ä/b c.txt', 'no line break'),
    write('data.bin', noise),
  ]);
  const second = await change(first, [
    write('a.py', `${'one\n'.repeat(250)}two\n${'one\n'.repeat(249)}`),
    { kind: 'delete', path: 'gone.txt' },
    write('ä/b c.txt', 'no line break', true),
    write('new.txt', tricky),
    write('data.bin', noise.toReversed()),
  ]);
  const pairs = [
    [store.emptyTree, first],
    [first, second],
    [second, first],
    [second, second],
    [second, store.emptyTree],
  ] as const;
  const patches = await Promise.all(pairs.map(([before, after]) => patchText(before, after)));
  expect(patches).toEqual(pairs.map(([before, after]) => plainPatch(before, after)));
  expect(patches[3]).toBe('');
});

test('patch() of a missing tree or file fails, and the next one is made', async () => {
  const first = await change(store.emptyTree, [write('a.txt', 'one\n')]);
  const missing = 'f'.repeat(40);
  await expect(store.patch(first, missing)).rejects.toThrow(missing);
  await expect(store.patch(missing, first)).rejects.toThrow('missing');
  const second = await change(first, [write('a.txt', 'two\n')]);
  const blob = plainGit(['--git-dir', gitDir, 'rev-parse', `${second}:a.txt`]);
  await rm(join(gitDir, 'objects', blob.slice(0, 2), blob.slice(2)));
  await expect(store.patch(first, second)).rejects.toThrow('ended');
  const third = await change(first, [write('a.txt', 'three\n')]);
  expect(await patchText(first, third)).toBe(plainPatch(first, third));
});

test('patch() goes on when its process was killed', async () => {
  const trees = [store.emptyTree];
  for (const text of ['one', 'two', 'three'])
    trees.push(await change(store.emptyTree, [write('a.txt', text)]));
  const [none = '', one = '', two = '', three = ''] = trees;
  expect(await patchText(none, one)).toBe(plainPatch(none, one));
  const [pid] = ownPatchProcesses();
  process.kill(pid ?? 0, 'SIGKILL');
  while (ownPatchProcesses().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await patchText(one, two)).toBe(plainPatch(one, two));
  expect(await patchText(two, three)).toBe(plainPatch(two, three));
});

/** Living `git diff-tree` processes that work in this test's store. */
function ownPatchProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isOwn = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`GIT_DIR=${gitDir}`);
        return isOwn && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('diff-tree');
      } catch {
        return false;
      }
    })
    .map(Number);
}
