/** The data folder of orders: its identity names the queues, so that it may be mounted anywhere. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { z } from 'zod';
import { OrderUnreadable } from '../../../adapters/orders/order-store.ts';
import { createExclusively } from '../../../adapters/system/files.ts';
import { homeFolder } from '../../../adapters/temporal/home.ts';
import type { OrderFolder, OrderStore } from '../../../core/ports/orders.ts';
import type { Failed, Result } from '../../../core/ports/services.ts';
import { orderStoreOf } from '../../order-ports.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed } from '../common.ts';
import { connectTo, findServer, type ServerPlace } from '../server.ts';
import { strictJson } from '../../../core/text/strict-json.ts';

const DataFile = z.strictObject({ version: z.literal(1), id: z.string().regex(/^[0-9a-f]{8}$/) });

export interface OrderData {
  readonly home: string;
  readonly id: string;
  readonly store: OrderStore;
}

/** Opens the data folder of a home; the first one to ask gives it its identity. */
export async function openData({ env }: Surroundings): Promise<OrderData | Failed> {
  const home = homeFolder(env);
  const path = join(home, 'orders', 'data.json');
  // Read before it is made: a full disk, or one that is read-only, keeps nobody from looking at orders.
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known === null)
    await createExclusively(path, `${JSON.stringify({ version: 1, id: randomUUID().slice(0, 8) })}\n`);
  const read = DataFile.safeParse(strictJson(known ?? (await readFile(path, 'utf8'))));
  if (read.success) return { home, id: read.data.id, store: orderStoreOf(home) };
  return failed(
    2,
    `Cannot read ${path}: it must hold "version" 1 and an "id" of eight hex digits, which names the queues of this home's orders`,
    'Put it back from a copy; without one, remove it and submit the open orders again',
  );
}

/** Works on one order of this home. */
export async function withOrder<T>(
  around: Surroundings,
  id: string,
  work: (folder: OrderFolder, data: OrderData) => Promise<Result<T>>,
): Promise<Result<T>> {
  const data = await openData(around);
  if ('ok' in data) return data;
  try {
    const folder = await findOrder(data.store, id);
    return 'ok' in folder ? folder : await work(folder, data);
  } catch (error) {
    if (!(error instanceof OrderUnreadable)) throw error;
    return failed(
      2,
      error.message,
      'Restore its folder; its bundle may still be whole: a7-rt order replay FILE --bundle',
    );
  } finally {
    await data.store.close();
  }
}

/** An order by its id, or by the end of it. */
async function findOrder(store: OrderStore, id: string): Promise<OrderFolder | Failed> {
  const exact = await store.open(id);
  if (exact !== null) return exact;
  const all = await store.list();
  const named = id === 'last' ? all.slice(-1) : all.filter((each) => id.length >= 4 && each.endsWith(id));
  const [only, second] = named;
  if (only === undefined) return failed(2, `Cannot find order "${id}"`, 'a7-rt orders');
  if (second !== undefined)
    return failed(2, `Cannot tell which order "${id}" is: ${named.join(', ')}`, 'a7-rt orders');
  return (await store.open(only)) ?? failed(2, `Cannot open order "${only}"`, 'a7-rt orders');
}

/** Runs with a client of the server. */
export async function withClient<T>(place: ServerPlace, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo(place);
  try {
    return await work(new Client({ connection, namespace: place.namespace }));
  } finally {
    await connection.close();
  }
}

/** Whether a workflow moves the order. */
export async function isMoving(client: Client, orderId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(orderWorkflowId(orderId)).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}

/** The same where the server may be away: then nothing moves. */
export async function movesNow(around: Surroundings, orderId: string): Promise<boolean> {
  const place = await findServer(around);
  if (place === null) return false;
  return withClient(place, (client) => isMoving(client, orderId)).catch(() => false);
}
