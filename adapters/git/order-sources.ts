/** Sources of orders over git: what is the base now, and its objects in the workspace's store. */
import type { OrderSources, ResolvedSource, Workspace } from '../../core/ports/orders.ts';
import type { OrderSource } from '../../schemas/order.ts';
import { importBase } from './order-base.ts';
import { commitOf, copyCommit } from './named-commits.ts';
import { findSource, SourceProblem } from './order-source.ts';

/** @param cache folder of bare clones of URLs. */
export function createOrderSources(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
): OrderSources {
  return { resolve: (source, workspace) => resolve(cache, env, source, workspace) };
}

async function resolve(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  source: OrderSource,
  workspace: Workspace,
): Promise<ResolvedSource> {
  const { gitDir } = await findSource(source.at, cache, env, { verb: 'begin on', flag: '--repo' });
  // Uncommitted work was taken on top of one commit; else the branch as it is when the order's turn has come.
  const isFixed = source.branch === null || source.tree !== null;
  const commit = isFixed ? source.commit : await commitOf(gitDir, `refs/heads/${source.branch}`);
  if (commit === null)
    throw new SourceProblem(
      `Cannot find branch "${source.branch ?? ''}" of ${source.at}: it is not there any more`,
      'a7-rt order retry ID --base REVISION',
    );
  const own = await importBase(workspace, gitDir, commit, env);
  await copyCommit(gitDir, workspace.gitDir, commit);
  const tree = source.tree ?? own;
  const notes =
    commit === source.commit
      ? []
      : [
          `The branch moved from ${source.commit.slice(0, 12)} to ${commit.slice(0, 12)} while the order waited`,
        ];
  return { commit, tree, notes };
}
