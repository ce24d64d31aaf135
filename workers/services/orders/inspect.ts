/** Orders for people and programs: the table, one order, its logs, its patch, its reports. Reads files alone. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { OrderRow, OrderShown, OrderText } from '../../../core/ports/order-services.ts';
import type { Result } from '../../../core/ports/services.ts';
import { RepositoryReport } from '../../../schemas/repository-report.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed, messageOf } from '../common.ts';
import { findServer, pageOf } from '../server.ts';
import { movesNow, openData, withOrder } from './data.ts';
import { servedNow } from './presence.ts';
import { typed } from '../../../core/text/typed.ts';

/** Every order of the data folder, the newest first. */
export async function listOrders(around: Surroundings): Promise<Result<readonly OrderRow[]>> {
  const data = await openData(around);
  if ('ok' in data) return data;
  const rows: OrderRow[] = [];
  for (const id of await data.store.list()) {
    const folder = await data.store.open(id);
    if (folder !== null) rows.push(await rowOf(folder).catch((error: unknown) => unreadable(folder, error)));
  }
  return { ok: true, value: rows.toReversed() };
}

/** One that cannot be read hides no other. */
function unreadable({ id }: OrderFolder, error: unknown): OrderRow {
  const row = { id, status: 'FAILED', agent: '-', iteration: 0, iterationsMax: 0, verdict: null } as const;
  // Its name begins with the time of its submission.
  const [, date = '', time = ''] = /^(\d{8})-(\d{6})/.exec(id) ?? [];
  const createdAt = `${date.replace(/(..)(..)$/, '-$1-$2')}T${time.replace(/(..)(..)$/, ':$1:$2')}.000Z`;
  return { ...row, costMicroUsd: null, createdAt, task: messageOf(error) };
}

async function rowOf(folder: OrderFolder): Promise<OrderRow> {
  const { order, status, iterations, usage } = await folder.state();
  const last = iterations.at(-1);
  return {
    id: order.id,
    status,
    agent: order.agent.name,
    iteration: last?.iteration ?? 0,
    iterationsMax: order.limits.iterationsMax,
    verdict: iterations.findLast((each) => each.verdict !== null)?.verdict ?? null,
    costMicroUsd: usage.costMicroUsd,
    createdAt: order.createdAt,
    task: order.task.trim().split('\n')[0]?.slice(0, 200) ?? '',
  };
}

/** One order whole. */
export async function showOrder(around: Surroundings, id: string): Promise<Result<OrderShown>> {
  return withOrder(around, id, async (folder, data) => {
    const state = await folder.state();
    const place = await findServer(around);
    const names = await readdir(folder.dir, { recursive: true, withFileTypes: true });
    const artifacts = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.dir.length + 1))
      .toSorted();
    const moving =
      state.end === null && (await movesNow(around, folder.id)) && (await servedNow(around, data));
    const page = place === null ? null : pageOf(place, orderWorkflowId(folder.id));
    return { ok: true, value: { state, folder: folder.dir, page, artifacts, moving } };
  });
}

/** What the agent printed, and every command of the clean room. */
export async function orderLogs(
  around: Surroundings,
  id: string,
  iteration: number | null,
): Promise<Result<OrderText>> {
  return withOrder(around, id, async (folder) => {
    const { iterations } = await folder.state();
    const wanted = iterations.filter((each) => iteration === null || each.iteration === iteration);
    if (wanted.length === 0) return noIteration(folder.id, iteration);
    const parts: string[] = [];
    for (const each of wanted) {
      const at = `iteration-${String(each.iteration)}`;
      parts.push(`=== ${at}: agent`, await textOf(folder, `${at}/agent.log`));
      const logs = await readdir(folder.pathOf(`${at}/logs`)).catch(() => []);
      for (const name of logs.toSorted())
        parts.push(`=== ${at}: ${name}`, await textOf(folder, `${at}/logs/${name}`));
    }
    return { ok: true, value: { id: folder.id, text: parts.join('\n') } };
  });
}

/** The patch from the base. */
export async function orderDiff(
  around: Surroundings,
  id: string,
  iteration: number | null,
): Promise<Result<OrderText>> {
  return withOrder(around, id, async (folder) => {
    const name = iteration === null ? 'change.patch' : `iteration-${String(iteration)}/change.patch`;
    const bytes = await folder.get(name);
    if (bytes === null) {
      const { iterations } = await folder.state();
      return iterations.some((each) => iteration === null || each.iteration === iteration)
        ? failed(
            2,
            `Order ${folder.id} has no patch yet: no snapshot was taken`,
            typed`a7-rt order logs ${folder.id}`,
          )
        : noIteration(folder.id, iteration);
    }
    return { ok: true, value: { id: folder.id, text: Buffer.from(bytes).toString('utf8') } };
  });
}

/** The report of an iteration; default: the last one that was judged. */
export async function orderReport(
  around: Surroundings,
  id: string,
  iteration: number | null,
): Promise<Result<RepositoryReport>> {
  return withOrder(around, id, async (folder) => {
    const { iterations } = await folder.state();
    const judged = iterations.findLast(
      (each) => each.verdict !== null && (iteration === null || each.iteration === iteration),
    );
    if (judged === undefined)
      return iterations.some((each) => iteration === null || each.iteration === iteration)
        ? failed(
            2,
            `Order ${folder.id} has no report: nothing was judged`,
            typed`a7-rt order logs ${folder.id}`,
          )
        : noIteration(folder.id, iteration);
    const text = await textOf(folder, `iteration-${String(judged.iteration)}/report.json`);
    return { ok: true, value: RepositoryReport.parse(JSON.parse(text)) };
  });
}

function noIteration(id: string, iteration: number | null): ReturnType<typeof failed> {
  const what = iteration === null ? 'no iteration yet' : `no iteration ${String(iteration)}`;
  return failed(2, `Order ${id} has ${what}`, typed`a7-rt order show ${id}`);
}

async function textOf(folder: OrderFolder, name: string): Promise<string> {
  const bytes = await folder.get(name);
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}
