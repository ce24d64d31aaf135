/** The base of a new order: found, brought into its workspace, and known to be judgeable before an agent is paid. */
import { join } from 'node:path';
import { treeListing } from '../../../activities/order/tree-listing.ts';
import { unjudgeable } from '../../../activities/order/prepare.ts';
import { importBase } from '../../../adapters/git/order-base.ts';
import {
  commitOf,
  copyCommit,
  currentBranch,
  hasHead,
  someBranch,
} from '../../../adapters/git/named-commits.ts';
import {
  findSource,
  type FoundRepository,
  SourceProblem,
  workspaceId,
  workTreeListing,
} from '../../../adapters/git/order-source.ts';
import { linkProblem, readSnapshot } from '../../../adapters/git/read-snapshot.ts';
import type { SubmitAsked } from '../../../core/ports/order-services.ts';
import type { Workspace } from '../../../core/ports/orders.ts';
import type { Failed } from '../../../core/ports/services.ts';
import type { OrderSource } from '../../../schemas/order.ts';
import { type Surroundings, failed } from '../common.ts';
import type { OrderData } from './data.ts';
import { orderPlan } from './plan.ts';
import { typed } from '../../../core/text/typed.ts';

export interface Found {
  readonly source: OrderSource;
  readonly workspace: Workspace;
  readonly notes: readonly string[];
}

/** The base, or why there is none. */
export async function sourceOf(
  around: Surroundings,
  data: OrderData,
  asked: SubmitAsked,
): Promise<Found | Failed> {
  try {
    const repository = await findSource(asked.repo, join(data.home, 'sources'), around.env);
    return await baseOf(around, data, repository, asked);
  } catch (error) {
    if (error instanceof SourceProblem) return failed(2, error.message, error.next);
    throw error;
  }
}

async function baseOf(
  { env }: Surroundings,
  data: OrderData,
  repository: FoundRepository,
  asked: SubmitAsked,
): Promise<Found | Failed> {
  const { gitDir, kind, at } = repository;
  const head = await currentBranch(gitDir);
  const named = asked.base ?? head;
  const isBranch = named !== null && (await commitOf(gitDir, `refs/heads/${named}`)) !== null;
  const commit = await commitOf(gitDir, isBranch ? `refs/heads/${named}` : (named ?? 'HEAD'));
  if (commit === null) return await noBase(repository, head, asked);
  const workspace = await data.store.workspace(workspaceId(repository.identity, isBranch ? named : commit));
  const own = await importBase(workspace, gitDir, commit, env);
  await copyCommit(gitDir, workspace.gitDir, commit);
  const changes = await changesOf(repository, asked, workspace, own);
  if ('ok' in changes) return changes;
  const tree = changes.tree ?? own;
  await workspace.trees.keep(`refs/a7/submitted/${tree}`, tree);
  const listing = await treeListing(workspace.trees, tree, commit);
  const plan = await orderPlan(listing, asked.gate);
  if ('problem' in plan) return failed(2, `Cannot submit: ${plan.problem}`, plan.next);
  const problem = unjudgeable(plan, listing.entries) ?? (await contentProblem(listing, plan.leaveOut));
  if (problem !== null)
    return failed(
      2,
      `Cannot submit: ${problem}`,
      problem.startsWith('The gate cannot judge')
        ? 'Mend it, or list it under policy.leave_out of verify.yaml (a7-rt gate init writes one) and commit'
        : typed`a7-rt gate show --repo ${asked.repo}; a7-rt gate init writes a plan`,
    );
  return {
    source: { kind, at, branch: isBranch ? named : null, commit, tree: changes.tree },
    workspace,
    notes: [
      ...changes.notes,
      ...(repository.isShallow ? ['The repository is shallow: its history is not needed'] : []),
    ],
  };
}

/** Why there is no commit to begin with. */
async function noBase(
  { gitDir, kind }: FoundRepository,
  head: string | null,
  { repo, base }: Pick<SubmitAsked, 'repo' | 'base'>,
): Promise<Failed> {
  const problem = (what: string, next: string): Failed =>
    failed(2, `Cannot submit for "${repo}": ${what}`, next);
  if (base !== null)
    return problem(
      `it has no branch or commit "${base}"`,
      kind === 'url' ? typed`git ls-remote --heads ${repo}` : typed`git -C ${repo} branch --list`,
    );
  if (await hasHead(gitDir))
    return problem(
      'the commit that is checked out is not in the repository',
      'git fsck tells what is lost; fetch or clone it again',
    );
  const other = await someBranch(gitDir);
  return other === null
    ? problem('the repository has no commit', 'git add . && git commit, then submit again')
    : problem(
        `the branch that is checked out, "${head ?? ''}", has no commit`,
        typed`git commit, then submit again; or another base: --base ${other}`,
      );
}

/**
 * What the gate refuses by what a file holds, and no change of an agent could mend. Pointers of Git LFS are only looked for where
 * attributes speak of them: that costs a reading of all files.
 */
async function contentProblem(
  listing: Awaited<ReturnType<typeof treeListing>>,
  leaveOut: readonly string[],
): Promise<string | null> {
  const link = await linkProblem(listing, leaveOut);
  if (link !== null) return `The gate cannot judge this repository: ${link.text}`;
  const attributes = listing.entries.filter(
    ({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'),
  );
  for (const entry of attributes) {
    const bytes = await listing.read(entry, 1024 * 1024);
    if (bytes === null || !Buffer.from(bytes).toString('utf8').includes('filter=lfs')) continue;
    const [first] = (await readSnapshot(listing, leaveOut)).refused;
    return first === undefined ? null : `The gate cannot judge this repository: ${first.text}`;
  }
  return null;
}

/** Uncommitted work as a tree, if it was asked for. */
async function changesOf(
  { isBare, kind, at }: FoundRepository,
  asked: SubmitAsked,
  workspace: Workspace,
  own: string,
): Promise<{ readonly tree: string | null; readonly notes: readonly string[] } | Failed> {
  if (isBare || kind === 'url') {
    return asked.withChanges
      ? failed(2, 'Cannot submit with changes: the repository has no work tree', 'Leave --with-changes out')
      : { tree: null, notes: [] };
  }
  if (asked.base !== null && asked.withChanges)
    return failed(
      2,
      'Cannot submit with changes on another base than what is checked out',
      'Leave --base or --with-changes out',
    );
  // Who does not ask for it pays nothing for a large work tree.
  if (!asked.withChanges) return { tree: null, notes: [] };
  const work = await workTreeListing(at);
  try {
    const { files, refused } = await readSnapshot(work.listing, []);
    const [first] = refused;
    if (first !== undefined)
      return failed(2, `Cannot submit with changes: ${first.text}`, 'Commit what shall be worked on');
    const made = await workspace.trees.importFiles(files);
    if (made.status === 'refused')
      return failed(
        2,
        `Cannot submit with changes: "${made.refusals[0]?.path ?? ''}" ${made.refusals[0]?.rule ?? ''}`,
      );
    return made.tree === own
      ? { tree: null, notes: ['There are no uncommitted changes'] }
      : { tree: made.tree, notes: ['Uncommitted work is part of the base of this order'] };
  } finally {
    await work.close();
  }
}
