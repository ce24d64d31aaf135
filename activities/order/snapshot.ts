/** SNAPSHOTTING: the immutable identity of an iteration's work, its patch, and what the order does not allow (seed 003, step 5). */
import { countOfChanges, namedChanges } from '../../core/order/changed-paths.ts';
import { refusedViolations } from '../../core/order/policy.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { IterationStep, SnapshotResult } from '../../schemas/order-io.ts';
import { BuiltIteration, OrderBase, OrderSnapshot } from '../../schemas/order.ts';
import { iterationFolder, openStep, type OrderPorts } from './ports.ts';
import { frozenPlan } from './prepare.ts';
import { violationsIn } from './violations.ts';

/** Makes commit, patch and record; the same input gives the same bytes. */
export async function snapshotIteration(ports: OrderPorts, step: IterationStep): Promise<SnapshotResult> {
  const opened = await openStep(ports, step.at);
  const { folder, order, workspace } = opened;
  const at = iterationFolder(step.iteration);
  const known = await folder.get(`${at}/snapshot.json`);
  if (known !== null) return resultOf(OrderSnapshot.parse(JSON.parse(Buffer.from(known).toString('utf8'))));
  const base = OrderBase.parse(
    JSON.parse(Buffer.from((await folder.get('before.json')) ?? '').toString('utf8')),
  );
  const built = BuiltIteration.parse(
    JSON.parse(Buffer.from((await folder.get(`${at}/built.json`)) ?? '').toString('utf8')),
  );
  const { trees } = workspace;
  const differences = await trees.diff(base.tree, built.tree);
  const patch = await trees.patch(base.tree, built.tree).catch((error: unknown) => {
    return new TextEncoder().encode(
      `Cannot make the patch: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  });
  const request = {
    tree: built.tree,
    message: subjectOf(order.task, order.id, step.iteration),
    dateSeconds: secondsOf(order.createdAt),
  };
  const commit = await workspace.commitTree({ ...request, parent: base.commit });
  const replayCommit = await workspace.commitTree({ ...request, parent: base.replayCommit });
  await trees.keep(`refs/a7/orders/${order.id}/iteration-${String(step.iteration)}`, replayCommit);
  const snapshot: OrderSnapshot = {
    iteration: step.iteration,
    before: { commit: base.commit, tree: base.tree },
    tree: built.tree,
    commit,
    replayCommit,
    ...namedChanges(differences.map(({ path }) => path)),
    patchDigest: ports.parts.hash(patch),
    violations: await violationsIn(
      { trees, policy: order.policy, plan: (await frozenPlan(folder)).plan, readToml: ports.readToml },
      { before: base.tree, differences, entries: refusedViolations(built.refused) },
    ),
  };
  await folder.put(`${at}/change.patch`, patch);
  await folder.put('change.patch', patch);
  await folder.putFirst(`${at}/snapshot.json`, prettyJson(snapshot));
  return resultOf(snapshot);
}

function resultOf(snapshot: OrderSnapshot): SnapshotResult {
  const { tree, commit, violations: found } = snapshot;
  return { tree, commit, changed: countOfChanges(snapshot), violations: found.length };
}

function subjectOf(task: string, id: string, iteration: number): string {
  const [line = ''] = task.trim().split('\n');
  return `${line.slice(0, 72) || 'Work order'}\n\nOrder ${id}, iteration ${String(iteration)}`;
}

function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
