/** `store.git`: the bare repository of shadow trees, locked suites and provisional code (design part 5, gate.md part 8). */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TreeEntry, TreeStore } from '../../core/ports/git.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { checkPath, findCollision } from '../../core/shadow/path-rules.ts';
import { EMPTY_TREE, Folders } from './folders.ts';
import { GitCommandError, git, gitArguments, processOptions } from './git-process.ts';
import { assertOid } from './loose-objects.ts';
import { GitObjectError, ObjectReader } from './object-reader.ts';
import { deleteRef, keepRef, listRefs, readRef } from './refs.ts';
import { filterTree, mergeDisjoint, overlay } from './tree-combine.ts';
import { UnsafeTreeError } from './tree-codec.ts';
import { applyChanges } from './tree-edit.ts';
import { Patches } from './patch-between.ts';
import { diffTrees, listTree, lookup } from './tree-read.ts';

/** Opens the store, creating it when it is not there. `gitDir` is `<session>/store.git`. */
export async function createObjectStore(options: { readonly gitDir: string }): Promise<TreeStore> {
  const { gitDir } = options;
  await initStore(gitDir);
  const reader = new ObjectReader(gitDir);
  const folders = new Folders(gitDir, reader);
  const patches = new Patches(gitDir);
  const readBlob = (oid: string): Promise<Buffer> => readBlobOf(reader, oid);
  return {
    emptyTree: EMPTY_TREE,
    lookup: (tree, path) => lookup(folders, tree, path),
    readBlob,
    readFile: async (tree, path) => {
      const found = await lookup(folders, tree, path);
      return found.kind === 'file' && isRegular(found.entry) ? readBlob(found.entry.oid) : null;
    },
    listTree: (tree) => listTree(folders, tree),
    diff: (before, after) => diffTrees(folders, before, after),
    patch: (before, after) => patches.between(before, after),
    files: (tree) => filesOf(folders, readBlob, tree),
    writeFiles: (tree, changes) => applyChanges(folders, tree, changes),
    importFiles: (files) =>
      applyChanges(
        folders,
        EMPTY_TREE,
        files.map((file) => ({ kind: 'write', ...file })),
      ),
    overlay: (input) => overlay(folders, input),
    filterTree: (tree, keep) => filterTree(folders, tree, keep),
    mergeDisjoint: (trees) => mergeDisjoint(folders, trees),
    keep: (ref, oid) => keepRef(gitDir, ref, oid),
    readRef: (ref) => readRef(gitDir, ref),
    deleteRef: (ref) => deleteRef(gitDir, ref),
    listRefs: (prefix) => listRefs(gitDir, prefix),
    importCommit: (from, commit) => importCommit(gitDir, from, commit),
    packBase: (tree) => packBase(gitDir, tree),
    close: async () => {
      await Promise.all([reader.close(), patches.close()]);
    },
  };
}

/** Settings that keep what agents made from ever being collected; written after `init`, so they prove that it ended. */
const SETTINGS = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
] as const;

/** git's own `init` completes what a killed one began. Objects are never borrowed from another repository. */
async function initStore(gitDir: string): Promise<void> {
  await rm(join(gitDir, 'objects', 'info', 'alternates'), { force: true });
  const config = await readFile(join(gitDir, 'config'), 'utf8').catch(() => '');
  if (/\[gc\]\s+auto = 0\n\[maintenance\]\s+auto = false\n/.test(config)) return;
  await mkdir(gitDir, { recursive: true });
  await git({ gitDir }, ['init', '--quiet', '--bare', '--initial-branch=main']);
  for (const [name, value] of SETTINGS) await git({ gitDir }, ['config', name, value]);
}

async function readBlobOf(reader: ObjectReader, oid: string): Promise<Buffer> {
  const object = await reader.read(oid);
  if (object.type !== 'blob')
    throw new GitObjectError(oid, `it must be a blob, current type is ${object.type}`);
  return object.body;
}

function isRegular(entry: TreeEntry): boolean {
  return entry.kind === 'blob' || entry.kind === 'executable';
}

async function filesOf(
  folders: Folders,
  readBlob: (oid: string) => Promise<Buffer>,
  tree: string,
): Promise<readonly SandboxFile[]> {
  const entries = await listTree(folders, tree);
  for (const entry of entries) {
    if (!isRegular(entry))
      throw new UnsafeTreeError(entry.path, `must be a regular file, current kind is ${entry.kind}`);
    const refusal = checkPath(entry.path);
    if (refusal !== null) throw new UnsafeTreeError(entry.path, `the path ${refusal.rule}`);
  }
  const twins = findCollision(entries.map((entry) => entry.path));
  if (twins !== null)
    throw new UnsafeTreeError(twins[1], `must differ from "${twins[0]}" in more than letter case`);
  return Promise.all(
    entries.map(async ({ path, kind, oid }) => ({
      path,
      bytes: await readBlob(oid),
      executable: kind === 'executable',
    })),
  );
}

/** Streams one pack from repository to repository; index-pack checks every object before it is kept. */
async function importCommit(gitDir: string, from: string, commit: string): Promise<string> {
  const source = { gitDir: from };
  const args = ['rev-parse', '--verify', '--end-of-options', `${assertOid(commit)}^{tree}`];
  const tree = (await git(source, args)).trim();
  if (assertOid(tree) === EMPTY_TREE) return tree;
  const pack = ['pack-objects', '--quiet', '--revs', '--stdout'];
  const unpack = ['index-pack', '--stdin'];
  const result = await execa('git', gitArguments(pack), {
    ...processOptions(source),
    input: `${tree}\n`,
    reject: false,
  }).pipe('git', gitArguments(unpack), { ...processOptions({ gitDir }), reject: false });
  if (result.failed) throw new GitCommandError(unpack, result.exitCode, result.stderr);
  return tree;
}

async function packBase(gitDir: string, tree: string): Promise<void> {
  if (assertOid(tree) === EMPTY_TREE) return;
  const target = join(gitDir, 'objects', 'pack', 'pack');
  await git({ gitDir }, ['pack-objects', '--quiet', '--revs', target], `${tree}\n`);
}
