/**
 * A commit as steps, each of which may be the last one before the process dies (gate.md part 8):
 * intent on disk → objects → commit object → branch by compare-and-swap → work tree → index → intent gone.
 *
 *  C1. Before the swap nothing visible has changed; after it the commit is a fact and recovery only brings the rest along.
 *  C2. The commit object is written after all it points to: if it is there, the commit can be completed without the store.
 *  C3. Every step may be repeated.
 */
import type { CommitRequest, DirtyPath } from '../../core/ports/git.ts';
import { makeCommit } from './commit-object.ts';
import { type ContentContext, readHead, treeOfCommit } from './content-context.ts';
import type { Disk } from './disk-state.ts';
import { EMPTY_TREE, type Folders } from './folders.ts';
import { GitCommandError, tryGit } from './git-process.ts';
import { encodeIndex, writeIndex } from './index-file.ts';
import type { MoveIntent } from './intent.ts';
import { type PackedObject, hasLoose, writeLoose } from './loose-objects.ts';
import { GitObjectError } from './object-reader.ts';
import { clearStaleLocks } from './stale-locks.ts';
import { listTree } from './tree-read.ts';
import { bringWorkTree } from './work-tree.ts';

export interface CommitPlan {
  readonly intent: MoveIntent;
  readonly commit: PackedObject;
}

/** What the request means: the commit's id is known before anything is written. */
export async function planCommit(context: ContentContext, request: CommitRequest): Promise<CommitPlan> {
  const commit = makeCommit(request);
  const oldTree = await treeOfCommit(context, request.expectedHead);
  return {
    commit,
    intent: { version: 1, old: request.expectedHead, new: commit.oid, oldTree, newTree: request.tree },
  };
}

/** Objects per write: bounds memory and open files. */
const COPY_BATCH = 100;

/** Copies what the new tree has and the old one has not into the content repository. */
export async function copyObjects(context: ContentContext, intent: MoveIntent): Promise<void> {
  const oids = [...(await newObjects(context, intent.oldTree, intent.newTree))];
  for (let at = 0; at < oids.length; at += COPY_BATCH) {
    const objects = oids.slice(at, at + COPY_BATCH).map((oid) => readStored(context.store, oid));
    await writeLoose(context.gitDir, await Promise.all(objects));
  }
}

export async function writeCommit(context: ContentContext, commit: PackedObject): Promise<void> {
  await writeLoose(context.gitDir, [commit]);
}

/** Whether the commit object was written, hence all that it needs (C2). */
export async function canComplete(context: ContentContext, intent: MoveIntent): Promise<boolean> {
  return hasLoose(context.gitDir, intent.new);
}

export type MoveOutcome =
  | { readonly status: 'moved' }
  | { readonly status: 'head_moved'; readonly actual: string | null }
  | { readonly status: 'locked'; readonly lock: string };

const NO_COMMIT = '0'.repeat(40);

/** Moves the branch from old to new, or says who was faster. A lock of a dead git is removed once. */
export async function moveBranch(context: ContentContext, intent: MoveIntent): Promise<MoveOutcome> {
  const args = [
    'update-ref',
    '-m',
    'a7-rt commit',
    `refs/heads/${context.branch}`,
    intent.new,
    intent.old ?? NO_COMMIT,
  ];
  for (let attempt = 1; ; attempt += 1) {
    const result = await tryGit(context.place, args);
    const actual = await readHead(context);
    if (actual === intent.new) return { status: 'moved' };
    if (actual !== intent.old) return { status: 'head_moved', actual };
    const held = await clearStaleLocks(context);
    if (held !== null) return { status: 'locked', lock: held };
    if (attempt === 2) throw new GitCommandError(args, result.exitCode, result.stderr);
  }
}

export type BringOutcome =
  | { readonly status: 'ok' }
  | { readonly status: 'conflict'; readonly paths: readonly DirtyPath[] }
  | { readonly status: 'locked'; readonly lock: string };

/** Work tree and index follow the branch. */
export async function bringAlong(
  context: ContentContext,
  disk: Disk,
  intent: MoveIntent,
): Promise<BringOutcome> {
  const paths = await bringWorkTree(context, disk, intent);
  if (paths.length > 0) return { status: 'conflict', paths };
  const lock = await bringIndex(context, disk, intent.newTree);
  return lock === null ? { status: 'ok' } : { status: 'locked', lock };
}

/** Makes the index equal to a tree. Returns a lock that a living process holds, or null. */
export async function bringIndex(context: ContentContext, disk: Disk, tree: string): Promise<string | null> {
  const entries = await listTree(context.content, tree);
  const states = await disk.states(entries.map((entry) => entry.path));
  return writeIndex(context, encodeIndex(entries, states));
}

async function newObjects(context: ContentContext, oldTree: string, newTree: string): Promise<Set<string>> {
  const found = new Set<string>();
  if (oldTree === newTree) return found;
  // git knows the empty tree without storing it.
  if (newTree !== EMPTY_TREE) found.add(newTree);
  const before = await context.content.load(oldTree);
  for (const item of (await context.store.load(newTree)).values()) {
    const old = before.get(item.name);
    if (old?.oid === item.oid || item.kind === 'gitlink') continue;
    if (item.kind !== 'folder') found.add(item.oid);
    else {
      const inside = await newObjects(context, old?.kind === 'folder' ? old.oid : EMPTY_TREE, item.oid);
      for (const oid of inside) found.add(oid);
    }
  }
  return found;
}

async function readStored(store: Folders, oid: string): Promise<PackedObject> {
  const { type, body } = await store.reader.read(oid);
  if (type !== 'blob' && type !== 'tree')
    throw new GitObjectError(oid, `it must be a blob or a tree, current type is ${type}`);
  return { oid, type, body };
}
