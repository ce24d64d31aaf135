/** Serves and follows one order to its end. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderNotice, SubmitAsked, SubmitReport } from '../../../core/ports/order-services.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { Result } from '../../../core/ports/services.ts';
import { type Surroundings, failed, messageOf } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';
import type { ServerPlace } from '../server.ts';
import type { OrderData } from './data.ts';
import { hostOrders } from './host.ts';
import { typed } from '../../../core/text/typed.ts';

const POLL_MS = 100;

export interface Watching {
  readonly around: Surroundings;
  readonly data: OrderData;
  readonly place: ServerPlace;
  readonly report: SubmitReport;
  readonly backend: SubmitAsked['backend'];
  readonly watch: (notice: OrderNotice) => void;
  readonly stop: AbortSignal;
}

/** Hosts workers until the order has ended, or a person stops. */
export async function watchOrder(watching: Watching): Promise<Result<SubmitReport>> {
  const { around, data, place, report, backend, watch, stop } = watching;
  const folder = await data.store.open(report.id);
  if (folder === null) return failed(2, `Cannot watch order ${report.id}: its folder is gone`);
  const machine = await openHomeMachine(around, backend);
  if ('ok' in machine) return machine;
  const say = (text: string): void => watch({ kind: 'said', text });
  const hosting = await hostOrders({ around, data, machine, place, say }).catch(messageOf);
  if (typeof hosting === 'string') {
    await machine.sandbox.close();
    return failed(4, `Cannot start the workers: ${hosting}`, 'a7-rt doctor');
  }
  try {
    const isEnded = await Promise.race([follow(folder, watch, stop), hosting.failing]);
    if (!isEnded)
      return failed(
        3,
        `Paused; order ${report.id} is ${(await folder.state()).status}`,
        typed`a7-rt order watch ${report.id}`,
      );
  } catch (error) {
    return failed(1, `The worker failed: ${messageOf(error)}`, 'a7-rt doctor');
  } finally {
    await hosting.close();
  }
  return { ok: true, value: { ...report, state: await folder.state() } };
}

/** Tells each new line; true when the order is closed: its last artifact is there and the lease is given back. */
async function follow(
  folder: OrderFolder,
  watch: (notice: OrderNotice) => void,
  stop: AbortSignal,
): Promise<boolean> {
  let told = 0;
  while (!stop.aborted) {
    const read = await folder.ledger.read();
    const lines = read.kind === 'read' ? read.lines : [];
    for (const line of lines.slice(told)) watch({ kind: 'line', line });
    told = lines.length;
    const { end } = await folder.state();
    if (end !== null && (await folder.get('summary.md')) !== null) return true;
    await delay(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return false;
}
