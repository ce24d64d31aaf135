/** One order on a real server with scripted activities: workflow `workOrder`, and its ledger in memory. */
import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { OrderActivities, OrderRoomActivities } from '../../activities/order/index.ts';
import { foldOrder } from '../../core/order/fold.ts';
import type { OrderState } from '../../core/order/types.ts';
import type { OrderMessage, VerifiedResult, WorkOrderInput } from '../../schemas/order-io.ts';
import type { OrderEvent } from '../../schemas/order-ledger.ts';
import type { OrderBase, WorkOrder } from '../../schemas/order.ts';
import type { workOrder } from '../../workflows/index.ts';
import type { TestServer } from './server.ts';
import { workflowBundle } from './worker-bundle.ts';

const OID = '0'.repeat(40);
const DIGEST = `sha256:${'0'.repeat(64)}`;
const ID = '20261123-044501-1f2e3d';

export const ORDER: WorkOrder = {
  version: 1,
  id: ID,
  createdAt: '2026-11-23T04:45:01.000Z',
  task: 'Mend it',
  source: { kind: 'path', at: '/repo', branch: 'main', commit: OID, tree: null },
  workspace: 'w',
  agent: { name: 'command', model: null, baseUrl: null, command: 'true', files: null },
  gate: { from: 'auto', text: null, file: null },
  limits: {
    iterationsMax: 20,
    timeMs: 600_000,
    agentMs: 60_000,
    costMicroUsd: 0,
    tokensMax: 1,
    requestsMax: 1,
  },
  policy: { paths: [], forbid: [], gateEdits: [], networkHosts: [] },
  retryOf: null,
};
const BASE: OrderBase = {
  commit: OID,
  tree: OID,
  replayCommit: OID,
  planDigest: DIGEST,
  planFrom: 'verify.yaml of the base',
  image: 'i',
  files: 1,
};

type Step = keyof (OrderActivities & OrderRoomActivities);

export interface OrderWorld {
  readonly server: Pick<TestServer, 'address' | 'namespace'>;
  /** The iteration that passes. */
  readonly passesAt: number;
  readonly input?: Partial<WorkOrderInput>;
  /** Runs in the middle of a step. */
  readonly during?: (step: Step, order: OrderOnServer, iteration: number) => Promise<void>;
}

export interface OrderOnServer {
  readonly handle: WorkflowHandle<typeof workOrder>;
  readonly client: Client;
  readonly events: readonly OrderEvent[];
  /** Every step that was performed, with its iteration. */
  readonly steps: readonly string[];
  readonly state: () => OrderState;
  tell(message: OrderMessage): Promise<void>;
  /** History of one run of the workflow, as stored files hold it. */
  history(workflowId: string, runId?: string): Promise<string>;
}

/** Runs the order's worker for as long as `look` takes. */
export async function onOrderServer<T>(
  world: OrderWorld,
  look: (order: OrderOnServer) => Promise<T>,
): Promise<T> {
  const { address, namespace } = world.server;
  const taskQueue = randomUUID();
  const events: OrderEvent[] = [{ type: 'order_submitted', data: { order: ORDER } }];
  const steps: string[] = [];
  let opened: OrderOnServer | null = null;
  const activities = scripted(world, events, async (step, iteration) => {
    steps.push(iteration === 0 ? step : `${step} ${String(iteration)}`);
    if (opened !== null) await world.during?.(step, opened, iteration);
  });
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const codePath = await workflowBundle();
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle: { codePath },
    activities,
  });
  try {
    const client = new Client({ connection, namespace });
    const input: WorkOrderInput = {
      at: { orderId: ID },
      roomQueue: taskQueue,
      searchable: false,
      tellsOutcome: true,
      notesRefusals: true,
      ...world.input,
    };
    const workflowId = `a7-order/${taskQueue}`;
    const handle = await client.workflow.start<typeof workOrder>('workOrder', {
      workflowId,
      taskQueue,
      args: [input],
    });
    const order: OrderOnServer = {
      handle,
      client,
      events,
      steps,
      state: () => foldOrder(events),
      tell: (message) => handle.signal('order', message),
      history: async (id, runId) => historyToJSON(await client.workflow.getHandle(id, runId).fetchHistory()),
    };
    opened = order;
    return await worker.runUntil(() => look(order));
  } finally {
    await connection.close();
    await native.close();
  }
}

function scripted(
  { passesAt }: OrderWorld,
  events: OrderEvent[],
  begin: (step: Step, iteration: number) => Promise<void>,
): OrderActivities & OrderRoomActivities {
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  return {
    openWorkOrder: async () => {
      await begin('openWorkOrder', 0);
      return { events: [...events], run: foldOrder(events).run + 1 };
    },
    appendOrder: ({ fromSeq, events: more }) => {
      if (fromSeq === events.length + 1) events.push(...more);
      return Promise.resolve();
    },
    takeLease: async () => {
      await begin('takeLease', 0);
      return { tookOverFrom: null };
    },
    prepareOrder: async () => {
      await begin('prepareOrder', 0);
      return { kind: 'ready', base: BASE };
    },
    buildIteration: async ({ iteration }) => {
      await begin('buildIteration', iteration);
      return { end: { kind: 'ok', exitCode: 0, detail: '' }, usage, durationMs: 1, tree: OID };
    },
    snapshotIteration: async ({ iteration }) => {
      await begin('snapshotIteration', iteration);
      return { tree: OID, commit: OID, changed: 1, violations: 0 };
    },
    verifyIteration: async ({ iteration }) => {
      await begin('verifyIteration', iteration);
      return verdictOf(iteration, iteration >= passesAt);
    },
    writeFeedback: async ({ iteration }) => {
      await begin('writeFeedback', iteration);
      return { digest: DIGEST };
    },
    closeOrder: () => begin('closeOrder', 0),
  };
}

/** No two failures are the same. */
function verdictOf(iteration: number, isPass: boolean): VerifiedResult {
  const common = { digest: DIGEST, durationMs: 1, level: 'L1' as const };
  if (isPass) return { ...common, verdict: 'PASS', fault: null, signature: null, headline: 'PASS, L1' };
  const signature = `sha256:${String(iteration).padStart(64, '0')}`;
  return {
    ...common,
    verdict: 'FAIL',
    fault: 'builder',
    signature,
    headline: `FAIL at L1: ${String(iteration)}`,
  };
}
