/** `promote`: marks a snapshot that passed, and nothing else (seed 003, promotion). The work tree of the user stays as it is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  checkedOutBranches,
  givePack,
  moveRef,
  promotionBundle,
  pushRef,
} from '../../../adapters/git/order-promotion.ts';
import { commitOf, findSource, SourceProblem } from '../../../adapters/git/order-source.ts';
import { writeDurably } from '../../../adapters/system/files.ts';
import { orderPage } from '../../../core/order/describe.ts';
import { prettyJson } from '../../../core/text/canonical.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { PromoteReport, PromoteTo } from '../../../core/ports/order-services.ts';
import type { Failed, Result } from '../../../core/ports/services.ts';
import { sha256 } from '../../../adapters/system/sha256.ts';
import type { OrderEvent } from '../../../schemas/order-ledger.ts';
import type { OrderSnapshot, WorkOrder } from '../../../schemas/order.ts';
import { type Surroundings, failed, messageOf } from '../common.ts';
import { type OrderData, withOrder } from './data.ts';
import { passedSnapshot } from './passed.ts';

/** Marks the passed snapshot of an order. */
export async function promote(
  around: Surroundings,
  id: string,
  to: PromoteTo,
): Promise<Result<PromoteReport>> {
  return withOrder(around, id, async (folder, data) => {
    const found = await passedSnapshot(folder);
    if ('ok' in found) return found;
    const { snapshot: passed } = found;
    const { order } = await folder.state();
    const done = await mark({ around, data, folder, order, snapshot: passed }, to).catch((error: unknown) => {
      return error instanceof SourceProblem
        ? failed(2, error.message, error.next)
        : failed(1, messageOf(error), `a7-rt order show ${id}`);
    });
    if (done !== null) return done;
    const { commit, tree } = passed;
    await record(folder, { type: 'promoted', data: { ...to, commit } });
    return { ok: true, value: { id: folder.id, kind: to.kind, name: to.name, commit, tree } };
  });
}

/** Appended after whatever others append meanwhile; the pages follow. */
async function record(folder: OrderFolder, event: OrderEvent): Promise<void> {
  for (;;) {
    const { seq, promotions } = await folder.state();
    if (event.type === 'promoted' && promotions.some((each) => isDeepStrictEqual(each, event.data))) return;
    const done = await folder.ledger.append({ run: 0, fromSeq: seq + 1, events: [event] });
    if (done.kind === 'appended') break;
    if (done.kind === 'fence_lost') return;
  }
  const state = await folder.state();
  await folder.put('state.json', prettyJson(state));
  await folder.put('summary.md', orderPage(state));
}

interface Marking {
  readonly around: Surroundings;
  readonly data: OrderData;
  readonly folder: OrderFolder;
  readonly order: WorkOrder;
  readonly snapshot: OrderSnapshot;
}

/** Null when it is done. */
async function mark(
  { around, data, folder, order, snapshot }: Marking,
  to: PromoteTo,
): Promise<Failed | null> {
  const { gitDir: store } = await data.store.workspace(order.workspace);
  const at = `iteration-${String(snapshot.iteration)}`;
  if (to.kind === 'patch') {
    const patch = await folder.get(`${at}/change.patch`);
    if (patch === null || sha256(patch) !== snapshot.patchDigest)
      return failed(
        2,
        `Cannot promote order ${order.id}: its patch was changed`,
        `a7-rt order replay ${order.id}`,
      );
    await writeDurably(resolve(to.name), patch);
    return null;
  }
  const { gitDir } = await findSource(order.source.at, join(data.home, 'sources'), around.env);
  const base = snapshot.before.commit;
  if (to.kind === 'bundle') {
    const scratch = await mkdtemp(join(tmpdir(), 'a7-promotion-'));
    try {
      await promotionBundle({
        scratch,
        store,
        source: gitDir,
        base,
        commit: snapshot.commit,
        name: `order-${order.id}`,
        file: resolve(to.name),
      });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return null;
  }
  const ref = `refs/${to.kind === 'branch' ? 'heads' : 'tags'}/${to.name}`;
  const old = await commitOf(gitDir, ref);
  if (old === snapshot.commit) return null;
  if (old !== null && (to.kind === 'tag' || old !== base)) {
    const rule =
      to.kind === 'tag'
        ? 'it exists already'
        : `it moved to ${old.slice(0, 12)}, and the order began at ${base.slice(0, 12)}`;
    return failed(
      3,
      `Cannot promote to ${to.kind} "${to.name}": ${rule}`,
      `a7-rt promote ${order.id} --branch order-${order.id}, then merge it; or a7-rt order retry ${order.id}`,
    );
  }
  if (to.kind === 'branch' && (await checkedOutBranches(gitDir)).includes(to.name))
    return failed(
      3,
      `Cannot promote to branch "${to.name}": it is checked out, and its work tree would not follow`,
      `a7-rt promote ${order.id} --branch order-${order.id}, then git merge --ff-only`,
    );
  if ((await commitOf(gitDir, base)) === null)
    return failed(
      2,
      `Cannot promote order ${order.id}: its base ${base.slice(0, 12)} is not in the repository any more`,
      `a7-rt promote ${order.id} --patch FILE`,
    );
  await givePack(store, gitDir, snapshot.commit, base);
  // There first: a ref that is here says that it is there.
  if (order.source.kind === 'url') await pushRef(gitDir, { ref, commit: snapshot.commit, old }, around.env);
  await moveRef(gitDir, ref, snapshot.commit, old);
  return null;
}
