/**
 * The objects of an order's base in its workspace's store. Small ones are copied; packs of a repository on the same file system
 * are linked: a second name of the same bytes takes no time and no room, and stays when the repository repacks or goes away.
 * Objects are never borrowed by `alternates` (decision 0080).
 */
import { link, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Workspace } from '../../core/ports/orders.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { gitArguments, GitCommandError, processOptions, tryGit } from './git-process.ts';
import { assertOid } from './loose-objects.ts';
import { importPartial } from './order-partial.ts';
import { treeOf } from './named-commits.ts';
import { SourceProblem } from './order-source.ts';

/** Below it a copy costs less than a second, and is checked object by object. */
const LINK_BYTES_MIN = 32 * 1024 * 1024;
const PACKS_MAX = 100;

/** Brings what `commit` holds into the workspace's store, once. @param env for a remote that has to be asked @returns its tree */
export async function importBase(
  workspace: Workspace,
  from: string,
  commit: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const tree = await treeOf(from, assertOid(commit));
  const ref = `refs/a7/imported/${tree}`;
  if ((await workspace.trees.readRef(ref)) === tree) return tree;
  const promised = await importPartial(workspace.gitDir, from, commit, env);
  if (promised === null && !(await isLinked(workspace.gitDir, from, tree)))
    await copied(workspace, from, commit).catch((error: unknown) => notWhole(error, from, tree));
  await workspace.trees.keep(ref, tree);
  return tree;
}

/** git may put packs away while they are read, as `git gc` does after a commit: the second time the new ones are there. */
async function copied({ trees }: Workspace, from: string, commit: string): Promise<unknown> {
  return trees.importCommit(from, commit).catch(() => trees.importCommit(from, commit));
}

/** A copy failed: by the repository where it lacks objects of its own, else by this machine. */
async function notWhole(error: unknown, from: string, tree: string): Promise<never> {
  const walked = await tryGit({ gitDir: from }, ['rev-list', '--objects', '--quiet', tree]);
  if (walked.exitCode === 0) throw error;
  throw new SourceProblem(
    'Cannot read the whole base: objects of it are not in the repository',
    'git fsck tells what is lost; fetch or clone it again',
  );
}

/** Links the packs and copies what lies loose beside them. False: nothing that helps could be done, copy all. */
async function isLinked(to: string, from: string, tree: string): Promise<boolean> {
  const packs = await packsOf(from);
  if (packs === null) return false;
  try {
    await mkdir(join(to, 'objects', 'pack'), { recursive: true });
    for (const name of packs)
      // The index last: a pack without one is not read.
      for (const end of ['pack', 'idx'])
        await link(
          join(from, 'objects', 'pack', `${name}.${end}`),
          join(to, 'objects', 'pack', `${name}.${end}`),
        ).catch((error: unknown) => {
          if (errorCode(error) !== 'EEXIST') throw error;
        });
    await copyLoose(to, from, tree);
    // Every object of the tree can be found now, or the whole is copied.
    const walked = await tryGit({ gitDir: to }, ['rev-list', '--objects', '--quiet', tree]);
    return walked.exitCode === 0;
  } catch {
    // Another file system, a pack that git took away meanwhile, no right to link.
    return false;
  }
}

/** Names of the packs, where linking them is worth it and all of the repository's objects are its own. */
async function packsOf(from: string): Promise<readonly string[] | null> {
  const folder = join(from, 'objects', 'pack');
  const files = await readdir(folder).catch(() => []);
  const isBorrower = await stat(join(from, 'objects', 'info', 'alternates')).catch(() => null);
  if (isBorrower !== null || files.some((name) => name.endsWith('.promisor'))) return null;
  const packs = files
    .filter((name) => /^pack-[0-9a-f]{40}\.pack$/.test(name))
    .map((name) => name.slice(0, -5));
  if (packs.length === 0 || packs.length > PACKS_MAX) return null;
  const sizes = await Promise.all(packs.map(async (name) => (await stat(join(folder, `${name}.pack`))).size));
  return sizes.reduce((sum, size) => sum + size, 0) < LINK_BYTES_MIN ? null : packs;
}

async function copyLoose(to: string, from: string, tree: string): Promise<void> {
  const pack = ['pack-objects', '--quiet', '--revs', '--incremental', '--stdout'];
  const unpack = ['index-pack', '--stdin'];
  const result = await execa('git', gitArguments(pack), {
    ...processOptions({ gitDir: from }),
    input: `${tree}\n`,
    reject: false,
  }).pipe('git', gitArguments(unpack), { ...processOptions({ gitDir: to }), reject: false });
  if (result.failed) throw new GitCommandError(unpack, result.exitCode, result.stderr);
}
