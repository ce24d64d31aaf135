/** `content/`: the repository that holds grounded work only (G1). Its branch moves here and nowhere else. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  CommitRequest,
  CommitResult,
  ContentRepo,
  DirtyPath,
  RecoverResult,
} from '../../core/ports/git.ts';
import { type RestoredBranch, copyBranch, goBack, restoreBranch } from './branch-copy.ts';
import { branchLog } from './branch-log.ts';
import { makeCommit } from './commit-object.ts';
import { bringAlong, canComplete, copyObjects, moveBranch, planCommit, writeCommit } from './commit-steps.ts';
import {
  type ContentContext,
  contentContext,
  initContent,
  isAncestor,
  otherBranch,
  readHead,
  treeOfCommit,
} from './content-context.ts';
import { contentStatus, trackedChanges } from './content-status.ts';
import { Disk } from './disk-state.ts';
import { type MoveIntent, clearIntent, privateFolder, readIntent, writeIntent } from './intent.ts';
import { clearStaleLocks } from './stale-locks.ts';
import { diffTrees } from './tree-read.ts';
import { findBlocked } from './work-tree.ts';

export interface ContentRepoOptions {
  /** `<session>/content`. */
  readonly workTree: string;
  /** Default `main`. */
  readonly branch?: string;
  /** `<session>/store.git`, where committed trees come from. */
  readonly storeDir: string;
}

/** With what only the command line asks for. */
export interface OpenContentRepo extends ContentRepo {
  restore(): Promise<RestoredBranch>;
  /** Takes the branch back to `commit`; its head stays on a branch named `keepAs`. Gives what is in the way, or null. */
  goBack(commit: string, keepAs: string): Promise<readonly DirtyPath[] | null>;
  close(): Promise<void>;
}

/** The repository and, beside the port, an end for its reader processes. One caller at a time: the session's lock. */
export function createContentRepo(options: ContentRepoOptions): OpenContentRepo {
  const context = contentContext(options.workTree, options.branch ?? 'main', options.storeDir);
  const disk = new Disk(options.workTree);
  return {
    init: () => initContent(context),
    head: () => readHead(context),
    status: () => contentStatus(context, disk),
    log: () => branchLog(context.place, context.branch),
    commit: (request) => commit(context, disk, request),
    recover: () => recover(context, disk),
    restore: () => restoreBranch(context, disk),
    goBack: (to, keepAs) => goBack(context, disk, to, keepAs),
    close: async () => {
      await context.content.reader.close();
      await context.store.reader.close();
    },
  };
}

async function commit(context: ContentContext, disk: Disk, request: CommitRequest): Promise<CommitResult> {
  const before = await recover(context, disk);
  if (before.status === 'conflict' || before.status === 'locked') return before;
  const found = await otherBranch(context);
  if (found !== null) return { status: 'wrong_branch', found, expected: context.branch };
  const done = await alreadyDone(context, request);
  if (done !== null) return done;
  const plan = await planCommit(context, request);
  const dirty = await dirtyPaths(context, disk, plan.intent);
  if (dirty.length > 0) return { status: 'dirty', paths: dirty };
  await writeIntent(context, plan.intent);
  await copyObjects(context, plan.intent);
  await writeCommit(context, plan.commit);
  const outcome = await finish(context, disk, plan.intent);
  if (outcome !== null) return outcome;
  await copyBranch(context, { commit: plan.commit, parent: plan.intent.old });
  return { status: 'committed', commit: plan.intent.new, repeated: false };
}

/** A repeated request finds its own commit, also below later ones. */
async function alreadyDone(context: ContentContext, request: CommitRequest): Promise<CommitResult | null> {
  const head = await readHead(context);
  if (head === request.expectedHead) return null;
  const { oid } = makeCommit(request);
  if (head !== null && (await isAncestor(context, oid, head))) {
    return { status: 'committed', commit: oid, repeated: true };
  }
  return { status: 'head_moved', expected: request.expectedHead, actual: head };
}

/** What stops a commit before it begins: a changed tracked file, or any file where a new one must go, ignored or not. */
async function dirtyPaths(
  context: ContentContext,
  disk: Disk,
  intent: MoveIntent,
): Promise<readonly DirtyPath[]> {
  const changed = await trackedChanges(context, disk, await treeOfCommit(context, await readHead(context)));
  if (changed.length > 0) return changed;
  return findBlocked(disk, await diffTrees(context.content, intent.oldTree, intent.newTree, context.store));
}

async function recover(context: ContentContext, disk: Disk): Promise<RecoverResult> {
  const lock = await clearStaleLocks(context);
  if (lock !== null) return { status: 'locked', lock };
  await rm(join(privateFolder(context), 'tmp'), { recursive: true, force: true });
  const intent = await readIntent(context);
  if (intent === null) {
    await copyBranch(context);
    return { status: 'nothing_to_do' };
  }
  const found = await otherBranch(context);
  if (found !== null) return { status: 'wrong_branch', found, expected: context.branch };
  const head = await readHead(context);
  if (head === intent.old && !(await canComplete(context, intent))) {
    await clearIntent(context);
    return { status: 'dropped', commit: intent.new };
  }
  const outcome = await finish(context, disk, intent);
  return outcome ?? { status: 'rolled_forward', commit: intent.new };
}

type Unfinished = Extract<CommitResult, { status: 'head_moved' | 'conflict' | 'locked' }>;

/** From the swap to the end; null when all is done. The intent stays as long as something is left to do. */
async function finish(context: ContentContext, disk: Disk, intent: MoveIntent): Promise<Unfinished | null> {
  const moved = await moveBranch(context, intent);
  if (moved.status === 'locked') return moved;
  if (moved.status === 'head_moved') return headMoved(context, intent, moved.actual);
  const brought = await bringAlong(context, disk, intent);
  if (brought.status === 'conflict') return { ...brought, commit: intent.new };
  if (brought.status === 'locked') return brought;
  await clearIntent(context);
  return null;
}

/** Somebody else moved the branch: work tree and index are theirs. Below their commit ours is done, else it never was. */
async function headMoved(
  context: ContentContext,
  intent: MoveIntent,
  actual: string | null,
): Promise<Unfinished | null> {
  await clearIntent(context);
  if (actual !== null && (await isAncestor(context, intent.new, actual))) return null;
  return { status: 'head_moved', expected: intent.old, actual };
}
