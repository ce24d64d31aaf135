/** Branches and commits of somebody's repository, by name. Read only. */
import { git, tryGit } from './git-process.ts';
import { assertOid, makeObject, writeLoose } from './loose-objects.ts';

/** Branch that is checked out; null for a detached head or none. */
export async function currentBranch(gitDir: string): Promise<string | null> {
  const found = await tryGit({ gitDir }, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** Commit that a revision names; null for none. */
export async function commitOf(gitDir: string, revision: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = await tryGit({ gitDir }, args);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** Tree of a commit, be it there or not: a partial clone may have the one without the other. */
export async function treeOf(gitDir: string, commit: string): Promise<string> {
  const text = await git({ gitDir }, ['cat-file', 'commit', commit]);
  return assertOid(/^tree ([0-9a-f]{40})$/m.exec(text)?.[1] ?? '');
}

/** Whether the checked out branch has a commit, be it there or lost. */
export async function hasHead(gitDir: string): Promise<boolean> {
  return (await tryGit({ gitDir }, ['rev-parse', '--verify', '--quiet', 'HEAD'])).exitCode === 0;
}

/** A branch that has a commit; null for none. */
export async function someBranch(gitDir: string): Promise<string | null> {
  const args = [
    'for-each-ref',
    '--count=1',
    '--sort=-committerdate',
    '--format=%(refname:short)',
    'refs/heads',
  ];
  const found = await tryGit({ gitDir }, args);
  return found.stdout.trim() || null;
}

/** Copies the commit object itself beside its tree: the parent of snapshots, without a history. */
export async function copyCommit(from: string, to: string, commit: string): Promise<void> {
  const bytes = await git({ gitDir: from }, ['cat-file', 'commit', commit]);
  const object = makeObject('commit', Buffer.from(bytes));
  // A commit whose bytes are no UTF-8 cannot be copied as text: it is not needed to judge, only to promote.
  if (object.oid === commit) await writeLoose(to, [object]);
}
