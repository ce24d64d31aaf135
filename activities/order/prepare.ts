/** LEASED: the base as it is now, and the plan that judges, frozen from it (seed 003, steps 2 and 3). */
import { prettyJson } from '../../core/text/canonical.ts';
import { planFindings } from '../../core/repository/verdict.ts';
import { sortEntries } from '../../core/repository/snapshot-rules.ts';
import type { PreparedOrder } from '../../schemas/order-io.ts';
import { OrderBase, type OrderAt } from '../../schemas/order.ts';
import { FrozenPlan } from '../../schemas/order-files.ts';
import { openStep, type OrderPorts } from './ports.ts';
import { treeListing } from './tree-listing.ts';

/** Resolves once; a retry finds what was stored. */
export async function prepareOrder(ports: OrderPorts, at: OrderAt): Promise<PreparedOrder> {
  const { folder, order, workspace } = await openStep(ports, at);
  const known = await folder.get('before.json');
  if (known !== null)
    return { kind: 'ready', base: OrderBase.parse(JSON.parse(Buffer.from(known).toString())) };
  let found;
  try {
    found = await ports.sources.resolve(order.source, workspace);
  } catch (error) {
    return {
      kind: 'refused',
      code: 'source',
      message: error instanceof Error ? error.message : String(error),
    };
  }
  const listing = await treeListing(workspace.trees, found.tree, found.commit);
  const frozen = await ports.planOf(listing, order.gate);
  if ('problem' in frozen) return { kind: 'refused', code: 'plan', message: frozen.problem };
  const problem = unjudgeable(frozen, listing.entries);
  if (problem !== null) return { kind: 'refused', code: 'plan', message: problem };
  const message = `Base of order ${order.id}`;
  const replayCommit = await workspace.commitTree({
    tree: found.tree,
    parent: null,
    message,
    dateSeconds: 0,
  });
  await workspace.trees.keep(`refs/a7/orders/${order.id}/base`, replayCommit);
  const planText = prettyJson(frozen);
  const base: OrderBase = {
    commit: found.commit,
    tree: found.tree,
    replayCommit,
    planDigest: ports.parts.hash(planText),
    planFrom: frozen.planFrom,
    image: ports.image,
    files: listing.entries.length,
  };
  await folder.put('plan.json', planText);
  await folder.putFirst('before.json', prettyJson(base));
  return { kind: 'ready', base };
}

/** Why this plan cannot judge this base; null where it can. */
export function unjudgeable(frozen: FrozenPlan, entries: Parameters<typeof sortEntries>[0]): string | null {
  const [finding] = planFindings(frozen.plan);
  if (finding !== undefined) return finding.text;
  const [refused] = sortEntries(entries, frozen.leaveOut).refused;
  return refused === undefined ? null : `The gate cannot judge this repository: ${refused.text}`;
}

/** The frozen plan. @throws when the order was not prepared. */
export async function frozenPlan(folder: {
  get(name: string): Promise<Uint8Array | null>;
}): Promise<FrozenPlan> {
  const bytes = await folder.get('plan.json');
  if (bytes === null) throw new Error('Cannot read plan.json: the order was not prepared');
  return FrozenPlan.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}
