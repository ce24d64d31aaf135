/** What a change of contracts withdrew leaves the branch: a commit of its own, and a line in the ledger (G1, G4). */
import type { RecoverResult } from '../../core/ports/git.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { projectionsOf } from '../ports.ts';
import { treeOfCommit } from '../../activities/shared/trees.ts';
import { failed } from './common.ts';
import { typed } from '../../core/text/typed.ts';

/**
 * Null: a commit that a killed process began is whole, or there was none. Under the lock: another process may be committing now.
 * Without this the files between the branch and the folder would look like a person's changes.
 */
export async function finishCommit(session: Session, shown: string): Promise<Failed | null> {
  return unfinished(await session.exclusive(() => session.content.recover()), shown);
}

/** What stands in the way of an interrupted commit. */
export function unfinished(recovered: RecoverResult, shown: string): Failed | null {
  if (recovered.status !== 'conflict' && recovered.status !== 'dirty') return null;
  const paths = recovered.paths.map((each) => each.path).join(', ');
  return failed(
    2,
    `Cannot finish an interrupted commit: ${paths} hold what nobody committed`,
    `Look at ${shown}/content`,
  );
}

/**
 * Null: nothing is due any more. What is due stands in the ledger, and the commit is made of what is on the branch now: killed
 * in between, the next call finishes it.
 */
export async function settleBranch(session: Session): Promise<Failed | null> {
  const { state } = await session.doc();
  if (state.withdrawn === undefined) return null;
  const due = new Set(state.withdrawn);
  const status = await session.content.status();
  if (status.status !== 'clean')
    return failed(
      2,
      'Cannot take files of removed nodes off the branch: content/ has changes that are not committed',
      typed`git -C ${session.contentDir} stash -u keeps them aside`,
    );
  const base = await treeOfCommit(session, status.head);
  const there = (await session.trees.listTree(base)).map(({ path }) => path).filter((path) => due.has(path));
  const head = there.length === 0 ? status.head : await withdraw(session, status.head, base, there);
  if (typeof head !== 'string' && head !== null) return head;
  const event = { type: 'branch_settled' as const, data: { head, removed: there.length } };
  const { state: now } = await session.doc();
  const appended = await session.ledger.append({ run: 0, fromSeq: now.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(2, 'Cannot settle the branch: the ledger changed meanwhile', 'Run the same command again');
  await projectionsOf(session).update([event]);
  return null;
}

async function withdraw(
  session: Session,
  head: string | null,
  base: string,
  paths: readonly string[],
): Promise<string | Failed> {
  const written = await session.trees.writeFiles(
    base,
    paths.map((path) => ({ kind: 'delete' as const, path })),
  );
  if (written.status === 'refused')
    return failed(2, `Cannot take "${written.refusals[0]?.path ?? '?'}" off the branch`);
  await session.trees.keep('refs/a7/scaffold', written.tree);
  const result = await session.content.commit({
    expectedHead: head,
    tree: written.tree,
    message: `Remove ${String(paths.length)} files that no node owns any more`,
    trailers: [['A7-Withdrawn', String(paths.length)]],
    dateSeconds: Math.floor(Date.now() / 1000),
  });
  return result.status === 'committed'
    ? result.commit
    : failed(2, `Cannot commit the removal: ${result.status.replaceAll('_', ' ')}`);
}
