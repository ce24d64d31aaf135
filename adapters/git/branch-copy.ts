/** The branch once more, in `store.git`: a lost `content/` is made again from it, commit by commit and byte by byte. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { DirtyPath } from '../../core/ports/git.ts';
import { bringAlong, moveBranch } from './commit-steps.ts';
import { type ContentContext, initContent, isAncestor, readHead, treeOfCommit } from './content-context.ts';
import type { Disk } from './disk-state.ts';
import { EMPTY_TREE } from './folders.ts';
import { GitCommandError, git, gitArguments, processOptions } from './git-process.ts';
import { type MoveIntent, clearIntent, writeIntent } from './intent.ts';
import { type PackedObject, writeLoose } from './loose-objects.ts';
import { keepRef, readRef } from './refs.ts';

const COPY = 'refs/a7/branch/main';

/** Brings the copy to the head. `commit`: the one that was just made on `parent`, which then is all that is new. */
export async function copyBranch(
  context: ContentContext,
  made?: { readonly commit: PackedObject; readonly parent: string | null },
): Promise<void> {
  const { storeDir } = context;
  if (!existsSync(join(storeDir, 'HEAD'))) return;
  const [copied, head] = [await readRef(storeDir, COPY), made?.commit.oid ?? (await readHead(context))];
  if (head === null || copied === head) return;
  if (made !== undefined && copied === made.parent) {
    await writeLoose(storeDir, [made.commit]);
    await keepRef(storeDir, COPY, head);
    return;
  }
  // A branch that somebody moved back keeps what it had, in the copy.
  if (made === undefined && copied !== null && !(await isAncestor(context, copied, head))) return;
  await fetchInto(context);
}

async function fetchInto(context: ContentContext): Promise<void> {
  const head = await readHead(context);
  if (head === null) return;
  await copyCommits(context.gitDir, context.storeDir, head);
  await keepRef(context.storeDir, COPY, head);
}

/** All that a commit needs, as one pack; index-pack checks every object before it is kept. */
async function copyCommits(from: string, to: string, commit: string): Promise<void> {
  const pack = gitArguments(['pack-objects', '--quiet', '--revs', '--stdout']);
  const unpack = ['index-pack', '--stdin'];
  const result = await execa('git', pack, {
    ...processOptions({ gitDir: from }),
    input: `${commit}\n`,
    reject: false,
  }).pipe('git', gitArguments(unpack), { ...processOptions({ gitDir: to }), reject: false });
  if (result.failed) throw new GitCommandError(unpack, result.exitCode, result.stderr);
}

/** Takes the branch back to a commit below its head, which stays on a branch named `keepAs`. Null: done; else what is in the way. */
export async function goBack(
  context: ContentContext,
  disk: Disk,
  to: string,
  keepAs: string,
): Promise<readonly DirtyPath[] | null> {
  const head = await readHead(context);
  if (head === null || head === to) return null;
  await git(context.place, ['branch', '--force', keepAs, head]);
  const oldTree = await treeOfCommit(context, head);
  const intent = {
    version: 1 as const,
    old: head,
    new: to,
    oldTree,
    newTree: await treeOfCommit(context, to),
  };
  const inTheWay = await moveWhole(context, disk, intent);
  await fetchInto(context);
  return inTheWay;
}

export type RestoredBranch =
  | { readonly status: 'whole' }
  | { readonly status: 'no_copy' }
  | { readonly status: 'restored'; readonly head: string }
  | { readonly status: 'in_the_way'; readonly paths: readonly DirtyPath[] };

/** Makes the repository again where it is gone, or behind its copy. Files that are there stay, where they are what they should be. */
export async function restoreBranch(context: ContentContext, disk: Disk): Promise<RestoredBranch> {
  const { storeDir } = context;
  const copied = existsSync(join(storeDir, 'HEAD')) ? await readRef(storeDir, COPY) : null;
  const isThere = existsSync(join(context.gitDir, 'HEAD'));
  const head = isThere ? await readHead(context) : null;
  if (copied === null) return { status: head === null ? 'no_copy' : 'whole' };
  if (head === copied) return { status: 'whole' };
  await initContent(context);
  await copyCommits(storeDir, context.gitDir, copied);
  if (head !== null && !(await isAncestor(context, head, copied))) return { status: 'whole' };
  const oldTree = head === null ? EMPTY_TREE : await treeOfCommit(context, head);
  const newTree = await treeOfCommit(context, copied);
  const intent = { version: 1 as const, old: head, new: copied, oldTree, newTree };
  const inTheWay = await moveWhole(context, disk, intent);
  return inTheWay === null ? { status: 'restored', head: copied } : { status: 'in_the_way', paths: inTheWay };
}

/** Branch, work tree and index, with an intent as for a commit: killed in between, the next opener brings the rest along. */
async function moveWhole(
  context: ContentContext,
  disk: Disk,
  intent: MoveIntent,
): Promise<readonly DirtyPath[] | null> {
  await writeIntent(context, intent);
  await moveBranch(context, intent);
  const brought = await bringAlong(context, disk, intent);
  // An index that another git holds is brought along by whoever opens the repository next.
  if (brought.status !== 'locked') await clearIntent(context);
  return brought.status === 'conflict' ? brought.paths : null;
}
