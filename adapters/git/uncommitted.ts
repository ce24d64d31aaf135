/** What of a work tree is not in a commit. `git status` would run the repository's own filters, so bytes are compared. */
import type { TreeEntry } from '../../core/ports/git.ts';
import { Disk } from './disk-state.ts';
import { openUserRepository } from './user-repository.ts';
import { isSame } from './work-tree.ts';

/** Tracked files that differ from `tree`, and files that are neither in it nor ignored. Sorted. */
export async function uncommittedPaths(
  folder: string,
  tree: readonly TreeEntry[],
): Promise<readonly string[]> {
  const repository = await openUserRepository(folder, {});
  try {
    const { entries } = await repository.list({ kind: 'work_tree', revision: null });
    const states = await new Disk(repository.root).states(tree.map(({ path }) => path));
    const changed = tree.filter((entry, index) => !isSame(states[index] ?? { kind: 'absent' }, entry));
    const known = new Set(tree.map(({ path }) => path));
    const fresh = entries.filter(({ path }) => !known.has(path));
    return [...changed, ...fresh].map(({ path }) => path).sort();
  } finally {
    await repository.close();
  }
}
