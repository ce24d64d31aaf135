/** `promote`: marks a snapshot that passed, and nothing else (seed 003, promotion). The work tree of the user stays as it is. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findSource, type FoundRepository, SourceProblem } from '../../../adapters/git/order-source.ts';
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
import { markCommit } from '../mark-commit.ts';
import { passedSnapshot } from './passed.ts';
import { typed } from '../../../core/text/typed.ts';

/** Marks the passed snapshot of an order. */
export async function promote(
  around: Surroundings,
  id: string,
  to: PromoteTo,
  /** Where its repository lies now; null: where it lay. */
  repo: string | null = null,
): Promise<Result<PromoteReport>> {
  return withOrder(around, id, async (folder, data) => {
    const found = await passedSnapshot(folder, 'promote');
    if ('ok' in found) return found;
    const { snapshot: passed } = found;
    const { order } = await folder.state();
    const done = await mark({ around, data, folder, order, repo, snapshot: passed }, to).catch(
      (error: unknown) => {
        if (error instanceof SourceProblem) return failed(2, error.message, error.next);
        // As in the container of docker-compose.yml: people's repositories are shown to the worker, not handed to it.
        return /read-only file system/iu.test(messageOf(error))
          ? failed(
              2,
              `Cannot promote order ${id} to ${to.kind} "${to.name}": its repository ${order.source.at} is read-only here`,
              typed`a7-rt promote ${id} --bundle FILE`,
            )
          : failed(1, messageOf(error), typed`a7-rt order show ${id}`);
      },
    );
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
  readonly repo: string | null;
  readonly snapshot: OrderSnapshot;
}

/** Null when it is done. */
async function mark(
  { around, data, folder, order, repo, snapshot }: Marking,
  to: PromoteTo,
): Promise<Failed | null> {
  const { gitDir: store } = await data.store.workspace(order.workspace);
  return markCommit(
    {
      around,
      what: `order ${order.id}`,
      command: typed`a7-rt promote ${order.id}`,
      anew: typed`a7-rt order retry ${order.id}`,
      branch: `order-${order.id}`,
      store,
      repository: () => repositoryOf(around, data, order, repo),
      base: snapshot.before.commit,
      commits: [snapshot.commit],
      patch: async () => {
        const patch = await folder.get(`iteration-${String(snapshot.iteration)}/change.patch`);
        return patch !== null && sha256(patch) === snapshot.patchDigest
          ? patch
          : failed(
              2,
              `Cannot promote order ${order.id}: its patch was changed`,
              typed`a7-rt order replay ${order.id}`,
            );
      },
    },
    to,
  );
}

/** The repository as it is now. A person who moved it says where to. */
async function repositoryOf(
  { env }: Surroundings,
  { home }: OrderData,
  { id, source }: WorkOrder,
  repo: string | null,
): Promise<FoundRepository> {
  const act = { verb: 'promote to', flag: '--repo' };
  try {
    return await findSource(repo ?? source.at, join(home, 'sources'), env, act);
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw error;
    const next = typed`a7-rt promote ${id} --repo FOLDER names where it lies now; --patch FILE needs no repository`;
    throw new SourceProblem(error.message, next);
  }
}
