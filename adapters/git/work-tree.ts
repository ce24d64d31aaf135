/**
 * Brings the work tree from one tree to another, raw bytes only.
 *
 *  W1. A path is touched only if the two trees differ there and it holds what one of them says; all else stops the whole.
 *  W2. A file is replaced by rename, so it is never half written; what is already as wanted is left alone.
 *  W3. Running it again after a kill at any point ends in the same state.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rmdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DirtyPath, TreeDifference } from '../../core/ports/git.ts';
import type { ContentContext } from './content-context.ts';
import type { Disk, DiskState } from './disk-state.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { privateFolder } from './intent.ts';
import { diffTrees } from './tree-read.ts';

type Side = TreeDifference['after'];

/** Paths that hold what neither tree has; empty when the work tree now is `newTree` wherever the trees differ. */
export async function bringWorkTree(
  context: ContentContext,
  disk: Disk,
  trees: { readonly oldTree: string; readonly newTree: string },
): Promise<DirtyPath[]> {
  const differences = await diffTrees(context.content, trees.oldTree, trees.newTree);
  const blocked = await findBlocked(disk, differences);
  if (blocked.length > 0) return blocked;
  const states = await disk.states(differences.map((one) => one.path));
  for (const [index, { path, after }] of differences.entries()) {
    if (after === null && !isGone(states[index])) await removeFile(context, path);
  }
  const late: DirtyPath[] = [];
  for (let at = 0; at < differences.length; at += WRITE_BATCH) {
    const written = differences.slice(at, at + WRITE_BATCH).map((one) => follow(context, disk, one));
    late.push(...(await Promise.all(written)).flat());
  }
  return late;
}

/** Files written at once. */
const WRITE_BATCH = 32;

async function follow(context: ContentContext, disk: Disk, one: TreeDifference): Promise<DirtyPath[]> {
  const [state] = await disk.states([one.path]);
  if (one.after === null || state === undefined || isSame(state, one.after)) return [];
  return (await putFile(context, one.path, one.after)) ? [] : [{ path: one.path, state: 'in_the_way' }];
}

/** Differences whose path holds neither side. */
export async function findBlocked(disk: Disk, differences: readonly TreeDifference[]): Promise<DirtyPath[]> {
  const states = await disk.states(differences.map((one) => one.path));
  return differences.flatMap(({ path, before, after }, index): DirtyPath[] => {
    const state = states[index] ?? { kind: 'absent' };
    if (isSame(state, before) || isSame(state, after)) return [];
    // A folder between the two: its own files are differences too, and judged as such.
    if (state.kind === 'folder' && differences.some((one) => one.path.startsWith(`${path}/`))) return [];
    if (state.kind === 'absent') return [{ path, state: 'deleted' }];
    return [{ path, state: before === null ? 'in_the_way' : 'modified' }];
  });
}

/** Whether disk and tree say the same; what a gitlink points to is not ours to look at. */
export function isSame(state: DiskState, side: Side): boolean {
  if (side === null) return state.kind === 'absent';
  if (side.kind === 'gitlink') return state.kind === 'folder' || state.kind === 'absent';
  return state.kind === side.kind && state.oid === side.oid;
}

/** A folder where a file was is the new tree's already. */
function isGone(state: DiskState | undefined): boolean {
  return state === undefined || state.kind === 'absent' || state.kind === 'folder';
}

async function removeFile(context: ContentContext, path: string): Promise<void> {
  await rm(join(context.workTree, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(context.workTree, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return;
      throw error;
    }
  }
}

/** False when a folder with files of somebody else is in the way. */
async function putFile(context: ContentContext, path: string, side: NonNullable<Side>): Promise<boolean> {
  if (side.kind === 'gitlink') return true;
  const target = join(context.workTree, path);
  const folder = join(privateFolder(context), 'tmp');
  const temp = join(folder, randomBytes(8).toString('hex'));
  const { body } = await context.content.reader.read(side.oid);
  await mkdir(folder, { recursive: true });
  if (side.kind === 'symlink') await symlink(body, temp);
  else await writeSynced(temp, body, side.kind === 'executable' ? 0o755 : 0o644);
  await mkdir(dirname(target), { recursive: true });
  try {
    await rename(temp, target);
    return true;
  } catch (error) {
    await rm(temp, { force: true });
    if (['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(path, mode);
}
