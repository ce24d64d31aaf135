/** What a person says to an order: stop, or think of this. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { closeOrder } from '../../../activities/order/close.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { Result } from '../../../core/ports/services.ts';
import type { OrderEvent } from '../../../schemas/order-ledger.ts';
import type { OrderMessage } from '../../../schemas/order-io.ts';
import { ADVICE_CHARS_MAX, type OrderStatus } from '../../../schemas/order.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed } from '../common.ts';
import { findServer } from '../server.ts';
import { type OrderData, withClient, withOrder } from './data.ts';
import { servedNow } from './presence.ts';
import { typed } from '../../../core/text/typed.ts';

const ENDED_WAIT_MS = 15_000;
const POLL_MS = 50;

/** Cancels: a moving order by signal, one that nobody moves in its ledger. */
export async function cancelOrder(
  around: Surroundings,
  id: string,
  reason: string,
): Promise<Result<{ readonly id: string; readonly status: OrderStatus }>> {
  return withOrder(around, id, async (folder, data) => {
    const { end } = await folder.state();
    if (end !== null)
      return failed(
        2,
        `Cannot cancel order ${folder.id}: it has ended as ${end.status}`,
        typed`a7-rt order show ${folder.id}`,
      );
    const sent =
      (await servedNow(around, data)) &&
      (await signal(around, folder.id, { kind: 'cancel', by: 'person', reason }));
    if (sent) await untilEnded(folder);
    else await cancelAtRest(around, folder, data, reason);
    return { ok: true, value: { id: folder.id, status: (await folder.state()).status } };
  });
}

/** Nobody serves it: a signal would wait for a worker. Its workflow, if there is one, has nothing more to do. */

async function cancelAtRest(
  around: Surroundings,
  folder: OrderFolder,
  { store }: OrderData,
  reason: string,
): Promise<void> {
  await onWorkflow(around, folder.id, (handle) => handle.terminate(`Cancelled by person: ${reason}`));
  const { seq } = await folder.state();
  const message = `Cancelled by person: ${reason}`;
  const events: OrderEvent[] = [
    { type: 'cancel_requested', data: { by: 'person', reason } },
    { type: 'order_ended', data: { end: { status: 'CANCELED', code: 'cancelled', message } } },
  ];
  await folder.ledger.append({ run: 0, fromSeq: seq + 1, events });
  await closeOrder({ store }, { orderId: folder.id });
}

/** A word for the next iteration. */
export async function adviseOrder(
  around: Surroundings,
  id: string,
  text: string,
): Promise<Result<{ readonly id: string }>> {
  return withOrder(around, id, async (folder) => {
    const { end } = await folder.state();
    if (end !== null)
      return failed(
        2,
        `Cannot advise order ${folder.id}: it has ended as ${end.status}`,
        typed`a7-rt order retry ${folder.id}`,
      );
    if (text.length > ADVICE_CHARS_MAX)
      return failed(
        2,
        `Cannot advise: at most ${String(ADVICE_CHARS_MAX)} characters, these are ${String(text.length)}`,
      );
    const message: OrderMessage = { kind: 'advice', id: randomUUID(), by: 'person', text };
    if (await signal(around, folder.id, message)) return { ok: true, value: { id: folder.id } };
    return failed(
      3,
      `Cannot advise order ${folder.id}: nothing moves it`,
      typed`a7-rt order watch ${folder.id}`,
    );
  });
}

function signal(around: Surroundings, orderId: string, message: OrderMessage): Promise<boolean> {
  return onWorkflow(around, orderId, (handle) => handle.signal('order', message));
}

/** False where there is no server, or no moving workflow. */
async function onWorkflow(
  around: Surroundings,
  orderId: string,
  work: (handle: WorkflowHandle) => Promise<unknown>,
): Promise<boolean> {
  const place = await findServer(around);
  if (place === null) return false;
  return withClient(place, async (client) => {
    try {
      await work(client.workflow.getHandle(orderWorkflowId(orderId)));
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
      throw error;
    }
  });
}

async function untilEnded(folder: OrderFolder): Promise<void> {
  for (const until = performance.now() + ENDED_WAIT_MS; performance.now() < until;) {
    const { end } = await folder.state();
    if (end !== null && (await folder.get('summary.md')) !== null) return;
    await delay(POLL_MS);
  }
}
