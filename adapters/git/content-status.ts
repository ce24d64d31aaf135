/** Whether the content repository is as its branch says. `git status` would run clean filters, so it is not asked. */
import type { ContentStatus, DirtyPath } from '../../core/ports/git.ts';
import { type ContentContext, otherBranch, readHead, treeOfCommit } from './content-context.ts';
import type { Disk } from './disk-state.ts';
import { git } from './git-process.ts';
import { listTree } from './tree-read.ts';
import { isSame } from './work-tree.ts';

/** Compares branch, index and work tree. */
export async function contentStatus(context: ContentContext, disk: Disk): Promise<ContentStatus> {
  const found = await otherBranch(context);
  if (found !== null) return { status: 'wrong_branch', found, expected: context.branch };
  const head = await readHead(context);
  const tree = await treeOfCommit(context, head);
  const [paths, untracked] = await Promise.all([
    trackedChanges(context, disk, tree),
    untrackedPaths(context),
  ]);
  return paths.length === 0 ? { status: 'clean', head, untracked } : { status: 'dirty', paths, untracked };
}

/** Tracked files that are not as in `tree`, in the index or in the work tree. */
export async function trackedChanges(
  context: ContentContext,
  disk: Disk,
  tree: string,
): Promise<readonly DirtyPath[]> {
  const [staged, changed] = await Promise.all([
    stagedPaths(context, tree),
    changedPaths(context, disk, tree),
  ]);
  return [...changed, ...staged.filter((one) => !changed.some((other) => other.path === one.path))];
}

async function changedPaths(context: ContentContext, disk: Disk, tree: string): Promise<DirtyPath[]> {
  const entries = await listTree(context.content, tree);
  const states = await disk.states(entries.map((entry) => entry.path));
  return entries.flatMap((entry, index) => {
    const state = states[index] ?? { kind: 'absent' };
    if (isSame(state, entry)) return [];
    return [
      { path: entry.path, state: state.kind === 'absent' ? ('deleted' as const) : ('modified' as const) },
    ];
  });
}

/** Index against tree: objects are compared by id, so no filter is involved. */
async function stagedPaths(context: ContentContext, tree: string): Promise<DirtyPath[]> {
  const options = ['--cached', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const names = await git(context.place, ['diff-index', ...options, tree, '--']);
  return splitNames(names).map((path) => ({ path, state: 'staged' }));
}

async function untrackedPaths(context: ContentContext): Promise<string[]> {
  return splitNames(await git(context.place, ['ls-files', '--others', '--exclude-standard', '-z']));
}

function splitNames(text: string): string[] {
  return text.split('\0').filter((name) => name !== '');
}
