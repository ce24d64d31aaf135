/**
 * A session's commits on top of the commit that it began with, as the repository takes them. The session's own first commit
 * holds what could be judged (links as copies, left-out paths missing); so what each commit changed is laid over the real base,
 * and nothing else differs. The same commits always give the same ids.
 */
import type { TreeChange, TreeRefusal, TreeStore } from '../../core/ports/git.ts';
import { git } from './git-process.ts';
import { assertOid, makeObject, writeLoose } from './loose-objects.ts';

export interface OntoBase {
  /** `content/.git`. */
  readonly content: string;
  /** Where the new commits go; `trees` reads and writes there. */
  readonly store: string;
  readonly trees: TreeStore;
  /** First commit of the session's branch, and its head. */
  readonly root: string;
  readonly head: string;
  /** Commit of the repository, whose tree the store has. */
  readonly base: string;
  readonly baseTree: string;
}

export type OntoBaseResult =
  | { readonly status: 'ok'; readonly commits: readonly string[]; readonly tree: string }
  | { readonly status: 'refused'; readonly commit: string; readonly refusal: TreeRefusal };

/** Oldest first; empty where the branch holds its first commit alone. */
export async function commitsOntoBase(asked: OntoBase): Promise<OntoBaseResult> {
  const { content, store, trees, root, head, base, baseTree } = asked;
  const place = { gitDir: content };
  const range = ['rev-list', '--first-parent', '--reverse', `${assertOid(root)}..${assertOid(head)}`];
  const listed = (await git(place, range)).split('\n').filter((line) => line !== '');
  const rootTree = await trees.importCommit(content, root);
  const commits: string[] = [];
  let tree = baseTree;
  for (const commit of listed) {
    const own = await trees.importCommit(content, commit);
    const changed = await trees.writeFiles(baseTree, changesOf(await trees.diff(rootTree, own)));
    if (changed.status === 'refused') {
      const [refusal = { path: '?', reason: 'path', rule: 'is refused' } as const] = changed.refusals;
      return { status: 'refused', commit, refusal };
    }
    ({ tree } = changed);
    const text = await git(place, ['cat-file', 'commit', commit]);
    const made = makeObject('commit', Buffer.from(moved(text, tree, commits.at(-1) ?? base)));
    await writeLoose(store, [made]);
    commits.push(made.oid);
  }
  return { status: 'ok', commits, tree };
}

function changesOf(differences: Awaited<ReturnType<TreeStore['diff']>>): TreeChange[] {
  return differences.map(({ path, after }) =>
    after === null ? { kind: 'delete', path } : { kind: 'place', path, entry: after },
  );
}

/** Author, date and message stay; a signature over the old bytes would be a wrong one. */
function moved(text: string, tree: string, parent: string): string {
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end).replace(/\ngpgsig(?:-sha256)? .*(?:\n .*)*/gu, '');
  const kept = header.split('\n').filter((line) => !/^(?:tree|parent) /u.test(line));
  return [`tree ${assertOid(tree)}`, `parent ${assertOid(parent)}`, ...kept].join('\n') + text.slice(end);
}
