/** Opening an order, its ledger, and its lease. */
import { setTimeout as delay } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { foldOrder } from '../../core/order/fold.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { AppendOrder, OpenedOrder } from '../../schemas/order-io.ts';
import type { OrderAt } from '../../schemas/order.ts';
import { fatal } from '../shared/failures.ts';
import { sparingly } from '../shared/heartbeat.ts';
import { openOrder, openStep, type OrderPorts } from './ports.ts';

/** For each order ahead: who is next looks often, the others seldom. */
const LEASE_POLL_MS = 150;
const LEASE_POLL_MAX_MS = 1_500;
/** A lease that is given back is seen at every look; whether its holder is gone is asked for at the server. */
const GONE_CHECK_MS = 2_000;

/** All events so far, and the ordinal of the next run. */
export async function openWorkOrder(ports: OrderPorts, at: OrderAt): Promise<OpenedOrder> {
  const { folder } = await openOrder(ports, at);
  const events = [...(await folder.events())];
  return { events, run: foldOrder(events).run + 1 };
}

/** Appends, then renews `state.json`. A repeated append is a no-op. */
export async function appendOrder(ports: OrderPorts, input: AppendOrder): Promise<void> {
  const { folder } = await openOrder(ports, input.at);
  const { run, fromSeq, events } = input;
  const done = await folder.ledger.append({ run, fromSeq, events });
  if (done.kind === 'fence_lost')
    throw fatal('FenceLost', `Order ${folder.id} was taken over by run ${String(done.run)}`);
  if (done.kind === 'diverged')
    throw fatal(
      'LedgerDiverged',
      `Ledger of order ${folder.id}: line ${String(done.seq)} holds ${done.found}`,
    );
  await folder.put('state.json', prettyJson(await folder.state()));
}

/** Waits until it is this order's turn. Who is ahead and gone is passed over. */
export async function takeLease(
  ports: OrderPorts,
  at: OrderAt,
): Promise<{ readonly tookOverFrom: string | null }> {
  const { workspace, order } = await openStep(ports, at);
  const beat = sparingly(heartbeat);
  const signal = cancellationSignal();
  for (let asksAtMs = 0; ;) {
    const asks = ports.nowMs() >= asksAtMs;
    const turn = await workspace.takeTurn(order.id, async (other) => asks && (await isGone(ports, other)));
    if (turn.kind === 'yours') return { tookOverFrom: turn.tookOverFrom };
    if (asks) asksAtMs = ports.nowMs() + GONE_CHECK_MS;
    beat(turn.ahead);
    const waitMs = Math.min(LEASE_POLL_MAX_MS, LEASE_POLL_MS * turn.ahead.length);
    await delay(waitMs, undefined, { signal });
  }
}

/** Ended, without a folder, or moved by nobody. */
async function isGone(ports: OrderPorts, orderId: string): Promise<boolean> {
  const folder = await ports.store.open(orderId);
  if (folder === null) return true;
  const { end } = await folder.state();
  return end !== null || !(await ports.isMoving(orderId));
}
