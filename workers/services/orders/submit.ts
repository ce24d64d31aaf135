/** `submit`: everything that can be refused is refused before anything is paid; then the order is on disk, then it moves. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { installedAgent } from '../../../adapters/agents/programs.ts';
import { cacheFolder } from '../../../adapters/toolchain/index.ts';
import type { SubmitAsked, SubmitReport, OrderNotice } from '../../../core/ports/order-services.ts';
import type { Failed, Result } from '../../../core/ports/services.ts';
import { checkGlob } from '../../../core/globs.ts';
import { TASK_BYTES_MAX, type OrderLimits, WorkOrder } from '../../../schemas/order.ts';
import { modelOf, targetOf } from '../../model-doors.ts';
import { orderWorkflowId } from '../../queues.ts';
import { type Surroundings, failed, messageOf, placesOf } from '../common.ts';
import { connectTo, openServer, pageOf } from '../server.ts';
import { openData } from './data.ts';
import { startOrder } from './host.ts';
import { isServed } from './presence.ts';
import { type Found, sourceOf } from './submit-base.ts';
import { watchOrder } from './watch.ts';
import { typed } from '../../../core/text/typed.ts';

export const DEFAULT_LIMITS: OrderLimits = {
  iterationsMax: 5,
  timeMs: 60 * 60_000,
  agentMs: 30 * 60_000,
  costMicroUsd: 2_000_000,
  tokensMax: 2_000_000,
  requestsMax: 200,
};

/** Checks, records and starts an order; with `watch` it also serves it to its end. */
export async function submit(
  around: Surroundings,
  asked: SubmitAsked,
  watch: (notice: OrderNotice) => void,
  stop: AbortSignal,
): Promise<Result<SubmitReport>> {
  const wrong = wrongUse(asked) ?? (await agentProblem(around, asked));
  if (wrong !== null) return wrong;
  const data = await openData(around);
  if ('ok' in data) return data;
  try {
    const found = await sourceOf(around, data, asked);
    if ('ok' in found) return found;
    const place = await openServer(around).catch((error: unknown) =>
      failed(4, messageOf(error), 'a7-rt doctor'),
    );
    if ('ok' in place) return place;
    const order = orderOf(asked, found);
    const folder = await data.store.create(order);
    await found.workspace.enqueue(order.id);
    const connection = await connectTo(place);
    let served = false;
    try {
      const { namespace } = place;
      const at = { client: new Client({ connection, namespace }), connection, namespace };
      await startOrder(at, data, order.id);
      served = await isServed(at.client, data);
    } finally {
      await connection.close();
    }
    const page = pageOf(place, orderWorkflowId(order.id));
    const report: SubmitReport = {
      id: order.id,
      folder: folder.dir,
      page,
      served,
      state: null,
      notes: found.notes,
    };
    for (const note of found.notes) watch({ kind: 'said', text: note });
    if (!asked.watch) return { ok: true, value: report };
    watch({ kind: 'said', text: `Order ${order.id}${page === null ? '' : `, ${page}`}` });
    return await watchOrder({ around, data, place, report, backend: asked.backend, watch, stop });
  } finally {
    await data.store.close();
  }
}

function wrongUse(asked: SubmitAsked): Failed | null {
  const bytes = Buffer.byteLength(asked.task);
  if (asked.task.trim() === '')
    return failed(2, 'Cannot submit: the task is empty', '--task TEXT, --task @FILE or --task -');
  if (bytes > TASK_BYTES_MAX)
    return failed(
      2,
      `Cannot submit: the task may have ${String(TASK_BYTES_MAX)} bytes, it has ${String(bytes)}`,
      'Put what is long into a file of the repository and name it in the task',
    );
  if ((asked.agent === 'command' || asked.agent === 'acp') && asked.command === null)
    return failed(2, `Cannot submit: agent "${asked.agent}" needs a command`, "--agent-command 'sh -c …'");
  const { paths, forbid, gateEdits } = asked.policy;
  for (const glob of [...paths, ...forbid, ...gateEdits]) {
    const why = checkGlob(glob);
    if (why !== null)
      return failed(2, `Cannot submit: glob "${glob}": ${why}`, 'Write it relative, with "/": src/**');
  }
  const bad = asked.policy.networkHosts.find(
    (host) =>
      isIP(host) !== 0 || !/^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9-]+)+$/.test(host),
  );
  if (bad !== undefined)
    return failed(2, `Cannot submit: "${bad}" is no name of a host`, '--allow-network pypi.org');
  return null;
}

async function agentProblem(around: Surroundings, asked: SubmitAsked): Promise<Failed | null> {
  const { agent, model, baseUrl, command, files } = asked;
  if (files !== null && (await stat(resolve(files)).catch(() => null))?.isDirectory() !== true)
    return failed(
      2,
      `Cannot submit: --agent-files must name a folder, "${files}" is none`,
      'Name the folder of the agent',
    );
  if (installedAgent(join(cacheFolder(), 'agents'), agent) === null)
    return failed(
      4,
      `Cannot submit: agent "${agent}" is not installed here`,
      typed`a7-rt agents --install ${agent}`,
    );
  if (agent === 'command' && model === null) return null;
  const chosen = { name: agent, model, baseUrl, command, files };
  try {
    await modelOf(chosen, placesOf(around));
    await targetOf(chosen, placesOf(around));
    return null;
  } catch (error) {
    return failed(
      2,
      `Cannot submit: ${messageOf(error)}`,
      'a7-rt submit … --model NAME --base-url URL, with the key in the environment',
    );
  }
}

function orderOf(asked: SubmitAsked, { source, workspace }: Found): WorkOrder {
  const { agent, model, baseUrl, command, files, gate, policy, limits, retryOf, task } = asked;
  const now = new Date();
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return WorkOrder.parse({
    version: 1,
    id: `${stamp}-${randomBytes(3).toString('hex')}`,
    createdAt: now.toISOString(),
    task,
    source,
    workspace: workspace.id,
    agent: { name: agent, model, baseUrl, command, files: files === null ? null : resolve(files) },
    gate,
    limits: { ...DEFAULT_LIMITS, ...limits },
    policy,
    retryOf,
  });
}
