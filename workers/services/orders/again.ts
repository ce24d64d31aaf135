/** Orders that go on: watched again, retried as a new one, or served all together. */
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type {
  OrderNotice,
  RetryChange,
  SubmitAsked,
  SubmitReport,
} from '../../../core/ports/order-services.ts';
import type { Failed, Result } from '../../../core/ports/services.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed, messageOf, spaceStep } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';
import { connectTo, openServer, pageOf } from '../server.ts';
import { run } from '../run.ts';
import { AS_BEFORE, movingSessions, serveSessions } from '../serve-sessions.ts';
import { untilAborted } from '../until-aborted.ts';
import { openData, withOrder } from './data.ts';
import { hostOrders, type OrderHosting, startOrder } from './host.ts';
import { submit } from './submit.ts';
import { watchOrder } from './watch.ts';
import { typed } from '../../../core/text/typed.ts';

/** Serves and follows an order that was submitted before. */
export async function watchAgain(
  around: Surroundings,
  id: string,
  backend: SubmitAsked['backend'],
  watch: (notice: OrderNotice) => void,
  stop: AbortSignal,
): Promise<Result<SubmitReport>> {
  return withOrder(around, id, async (folder, data) => {
    const state = await folder.state();
    const report: SubmitReport = {
      id: folder.id,
      folder: folder.dir,
      page: null,
      served: false,
      state,
      notes: [],
    };
    if (state.end !== null && (await folder.get('summary.md')) !== null) return { ok: true, value: report };
    const place = await openServer(around).catch((error: unknown) =>
      failed(4, messageOf(error), 'a7-rt doctor'),
    );
    if ('ok' in place) return place;
    const connection = await connectTo(place);
    try {
      const { namespace } = place;
      await startOrder(
        { client: new Client({ connection, namespace }), connection, namespace },
        data,
        folder.id,
      );
    } finally {
      await connection.close();
    }
    const page = pageOf(place, orderWorkflowId(folder.id));
    return watchOrder({ around, data, place, report: { ...report, page }, backend, watch, stop });
  });
}

/** The same order as a new one, from the base as it is now. */
export async function retry(
  around: Surroundings,
  id: string,
  { limits: newLimits, policy: newPolicy, ...change }: RetryChange,
  watch: (notice: OrderNotice) => void,
  stop: AbortSignal,
): Promise<Result<SubmitReport>> {
  const asked = await withOrder<SubmitAsked>(around, id, async (folder) => {
    const { order, end } = await folder.state();
    if (end === null)
      return failed(
        3,
        `Cannot retry order ${order.id}: it has not ended`,
        typed`a7-rt order cancel ${order.id}, or a7-rt order watch ${order.id}`,
      );
    const { agent, source, gate, limits, policy, task } = order;
    return {
      ok: true,
      value: {
        repo: source.at,
        base: source.tree === null ? (source.branch ?? source.commit) : null,
        withChanges: source.tree !== null,
        task,
        agent: agent.name,
        model: agent.model,
        baseUrl: agent.baseUrl,
        command: agent.command,
        files: agent.files,
        gate,
        limits: { ...limits, ...newLimits },
        policy: { ...policy, ...newPolicy },
        backend: null,
        watch: false,
        ...change,
        retryOf: order.id,
      },
    };
  });
  return asked.ok ? submit(around, asked.value, watch, stop) : asked;
}

/** Of the data folder: sessions that a worker of it runs on by itself. */
const SESSIONS = 'sessions';

/** `a7-rt worker` without a session. */
export async function serveOrders(
  around: Surroundings,
  backend: SubmitAsked['backend'],
  watch: (text: string) => void,
  stop: AbortSignal,
): Promise<Result<null>> {
  const place = await openServer(around).catch(unable('', 'a7-rt doctor'));
  if ('ok' in place) return place;
  const data = await openData(around);
  if ('ok' in data) return data;
  try {
    const machine = await openHomeMachine(around, backend);
    if ('ok' in machine) return machine;
    const hosting = await hostOrders({ around, data, machine, place, say: watch }).catch(
      unable('Cannot start the workers: ', 'a7-rt doctor'),
    );
    if ('ok' in hosting) {
      await machine.sandbox.close();
      return hosting;
    }
    watch(
      `Serving orders of ${data.home}, and the sessions in ${join(data.home, SESSIONS)} that move, on ${place.address} with ${machine.proof.backend} (${machine.proof.level}). Ctrl-C stops.`,
    );
    const ended = new AbortController();
    const flags = { ...AS_BEFORE, backend };
    const sessions = serveSessions({
      look: () => movingSessions(join(data.home, SESSIONS)),
      runOn: (dir, tell) => run(around, dir, flags, tell, ended.signal),
      say: watch,
      stop: ended.signal,
    });
    try {
      return await served(hosting, stop);
    } finally {
      ended.abort();
      await sessions;
    }
  } finally {
    await data.store.close();
  }
}

async function served(hosting: OrderHosting, stop: AbortSignal): Promise<Result<null>> {
  try {
    await Promise.race([untilAborted(stop), hosting.failing]);
    return { ok: true, value: null };
  } catch (error) {
    return { ...unable('The worker failed: ', 'a7-rt doctor')(error), exitCode: 1 };
  } finally {
    await hosting.close();
  }
}

/** A failure of this machine; a full disk is named as such, whatever step met it. */
function unable(what: string, nextStep: string): (error: unknown) => Failed {
  return (error) => failed(4, `${what}${messageOf(error)}`, spaceStep(error) ?? nextStep);
}
