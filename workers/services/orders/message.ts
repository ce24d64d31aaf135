/** What a person says to an order: stop, or think of this. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { orderPage } from '../../../core/order/describe.ts';
import { prettyJson } from '../../../core/text/canonical.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { Result } from '../../../core/ports/services.ts';
import type { OrderEvent } from '../../../schemas/order-ledger.ts';
import type { OrderMessage } from '../../../schemas/order-io.ts';
import { ADVICE_CHARS_MAX, type OrderStatus } from '../../../schemas/order.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed } from '../common.ts';
import { findServer } from '../server.ts';
import { type OrderData, withClient, withOrder } from './data.ts';
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
    const sent = await signal(around, folder.id, { kind: 'cancel', by: 'person', reason });
    if (sent) {
      const status = await untilEnded(folder);
      if (status !== null) return { ok: true, value: { id: folder.id, status } };
    }
    // No worker takes the signal: a workflow that is there reads the ledger when somebody serves it.
    if (!sent) await cancelAtRest(folder, data, reason);
    return { ok: true, value: { id: folder.id, status: (await folder.state()).status } };
  });
}

async function cancelAtRest(folder: OrderFolder, data: OrderData, reason: string): Promise<void> {
  const { seq, order } = await folder.state();
  const message = `Cancelled by person: ${reason}`;
  const events: OrderEvent[] = [
    { type: 'cancel_requested', data: { by: 'person', reason } },
    { type: 'order_ended', data: { end: { status: 'CANCELED', code: 'cancelled', message } } },
  ];
  await folder.ledger.append({ run: 0, fromSeq: seq + 1, events });
  const state = await folder.state();
  if ((await folder.get('change.patch')) === null) await folder.put('change.patch', '');
  await folder.put('state.json', prettyJson(state));
  await folder.put('summary.md', orderPage(state));
  await (await data.store.workspace(order.workspace)).release(order.id);
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

async function signal(around: Surroundings, orderId: string, message: OrderMessage): Promise<boolean> {
  const place = await findServer(around);
  if (place === null) return false;
  return withClient(place, async (client) => {
    try {
      await client.workflow.getHandle(orderWorkflowId(orderId)).signal('order', message);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
      throw error;
    }
  });
}

async function untilEnded(folder: OrderFolder): Promise<OrderStatus | null> {
  for (const until = performance.now() + ENDED_WAIT_MS; performance.now() < until;) {
    const { end } = await folder.state();
    if (end !== null && (await folder.get('summary.md')) !== null) return end.status;
    await delay(POLL_MS);
  }
  return null;
}
