/** SNAPSHOTTING: the immutable identity of an iteration's work, its patch, and what the order does not allow (seed 003, step 5). */
import { type ChangedPath, violationsOf } from '../../core/order/policy.ts';
import { steeringPart } from '../../core/order/steering.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { TreeDifference } from '../../core/ports/git.ts';
import type { IterationStep, SnapshotResult } from '../../schemas/order-io.ts';
import { BuiltIteration, OrderBase, OrderSnapshot, type Violation } from '../../schemas/order.ts';
import { type FrozenPlan, iterationFolder, openOrder, type OpenOrder, type OrderPorts } from './ports.ts';
import { frozenPlan } from './prepare.ts';

const CHANGED_NAMED_MAX = 5_000;

/** Makes commit, patch and record; the same input gives the same bytes. */
export async function snapshotIteration(ports: OrderPorts, step: IterationStep): Promise<SnapshotResult> {
  const opened = await openOrder(ports, step.at);
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
    changed: differences.slice(0, CHANGED_NAMED_MAX).map(({ path }) => path),
    patchDigest: ports.parts.hash(patch),
    violations: await violations(ports, opened, await frozenPlan(folder), base, built, differences),
  };
  await folder.put(`${at}/change.patch`, patch);
  await folder.put('change.patch', patch);
  await folder.putFirst(`${at}/snapshot.json`, prettyJson(snapshot));
  return resultOf(snapshot);
}

function resultOf({ tree, commit, changed, violations: found }: OrderSnapshot): SnapshotResult {
  return { tree, commit, changed: changed.length, violations: found.length };
}

async function violations(
  ports: OrderPorts,
  { order, workspace }: OpenOrder,
  { plan }: FrozenPlan,
  base: OrderBase,
  built: BuiltIteration,
  differences: readonly TreeDifference[],
): Promise<Violation[]> {
  const listed = await workspace.trees.listTree(base.tree);
  const changed = differences.map(({ path, before, after }): ChangedPath => {
    return { path, kind: before === null ? 'added' : after === null ? 'deleted' : 'changed' };
  });
  const found = violationsOf({
    changed,
    basePaths: new Set(listed.map(({ path }) => path)),
    plan,
    policy: order.policy,
    refused: built.refused,
  });
  const steered: Violation[] = [];
  for (const { path, before, after } of differences) {
    if (
      !/(?:^|\/)(?:pyproject\.toml|package\.json)$/.test(path) ||
      matchesAnyGlob(order.policy.gateEdits, path)
    )
      continue;
    const texts = await Promise.all(
      [before, after].map(async (entry) => {
        if (entry === null || entry.kind === 'symlink' || entry.kind === 'gitlink') return '';
        return (await workspace.trees.readBlob(entry.oid)).toString('utf8');
      }),
    );
    const [was, is] = texts.map((text) => steeringPart(path, text, ports.readToml));
    if (was !== is)
      steered.push({
        kind: 'gate_file',
        path,
        text: `The part of "${path}" that steers test runs was changed: put it back as it was`,
      });
  }
  return [...found, ...steered];
}

function subjectOf(task: string, id: string, iteration: number): string {
  const [line = ''] = task.trim().split('\n');
  return `${line.slice(0, 72) || 'Work order'}\n\nOrder ${id}, iteration ${String(iteration)}`;
}

function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
