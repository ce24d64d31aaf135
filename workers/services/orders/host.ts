/** Workers of a data folder's orders in this process, and the workflows of those that nobody moves. */
import { Client, type Connection } from '@temporalio/client';
import { orderDetails } from '../../../core/order/describe.ts';
import type { WorkOrderInput } from '../../../schemas/order-io.ts';
import { startOrderWorkers } from '../../build-workers.ts';
import { logRuntime } from '../../log-runtime.ts';
import type { Machine } from '../../machine.ts';
import { createOrderPorts } from '../../order-ports.ts';
import { orderQueues, orderWorkflowId } from '../../queues.ts';
import { addSearchAttributes, orderAttributes } from '../../search-attributes.ts';
import { type Surroundings, messageOf, placesOf } from '../common.ts';
import { keepServer } from '../keep-server.ts';
import { connectTo, type ServerPlace } from '../server.ts';
import { isMoving, type OrderData } from './data.ts';

export interface OrderHosting {
  /** Rejects when the workers fail. */
  readonly failing: Promise<never>;
  close(): Promise<void>;
}

/** About thirty iterations. */
const HISTORY_EVENTS_MAX = 2_000;

/** A client, and what it is made of. */
export interface OrderClient {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

/** Serves the orders of a data folder. */
export async function hostOrders(options: {
  readonly around: Surroundings;
  readonly data: OrderData;
  readonly machine: Machine;
  readonly place: ServerPlace;
  readonly say: (text: string) => void;
}): Promise<OrderHosting> {
  const { data, place } = options;
  logRuntime(data.home);
  const connection = await connectTo(place);
  try {
    return await hostOver(connection, options);
  } catch (error) {
    await closeQuietly(connection);
    throw error;
  }
}

async function hostOver(
  connection: Connection,
  { around, data, machine, place, say }: Parameters<typeof hostOrders>[0],
): Promise<OrderHosting> {
  const client = new Client({ connection, namespace: place.namespace });
  const made = await createOrderPorts({
    home: data.home,
    machine,
    places: placesOf(around),
    store: data.store,
    isMoving: (orderId) => isMoving(client, orderId),
    say,
  });
  const ports = around.wrapOrderPorts?.(made) ?? made;
  // Before the workers: what cannot be read here leaves nothing running.
  await adoptOrders({ client, connection, namespace: place.namespace }, data, say);
  const workers = await startOrderWorkers({
    connection: place.connection,
    namespace: place.namespace,
    queues: orderQueues(data.id),
    places: machine,
    ports,
    codePath: around.workflowBundle,
  });
  const ended = new AbortController();
  const watching = keepServer(around, place, say, ended.signal);
  const failing = workers.running.then(() => new Promise<never>(() => undefined));
  failing.catch(() => undefined);
  return {
    failing,
    async close() {
      workers.shutdown();
      await workers.running.catch(() => undefined);
      ended.abort();
      await watching;
      await closeQuietly(connection);
      await machine.sandbox.reap();
      await machine.sandbox.close();
    },
  };
}

async function closeQuietly(connection: Connection): Promise<void> {
  await connection.close().catch(() => undefined);
}

/** Orders whose workflow is gone, or was never started: begun again from their ledger. */
async function adoptOrders(at: OrderClient, data: OrderData, say: (text: string) => void): Promise<void> {
  for (const id of await data.store.list()) {
    const folder = await data.store.open(id);
    if (folder === null) continue;
    try {
      const { end } = await folder.state();
      if (end !== null || (await isMoving(at.client, id))) continue;
      await startOrder(at, data, id);
      say(`Order ${id} is taken up again`);
    } catch (error) {
      say(`Order ${id} cannot be taken up: ${messageOf(error)}`);
    }
  }
}

/** Starts the workflow of an order; a moving one is left alone. */
export async function startOrder(at: OrderClient, data: OrderData, orderId: string): Promise<void> {
  const { client, connection, namespace } = at;
  const folder = await data.store.open(orderId);
  const state = await folder?.state();
  if (state === undefined) throw new Error(`Cannot start order ${orderId}: its folder is gone`);
  const { control, rooms, agents } = orderQueues(data.id);
  const searchable = await addSearchAttributes(connection, namespace);
  const input: WorkOrderInput = {
    at: { orderId },
    roomQueue: rooms,
    agentQueue: agents,
    searchable,
    tellsOutcome: true,
    notesRefusals: true,
    historyEventsMax: HISTORY_EVENTS_MAX,
  };
  await client.workflow.start('workOrder', {
    workflowId: orderWorkflowId(orderId),
    taskQueue: control,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '10s',
    staticSummary: `${state.order.agent.name}: ${state.order.task.trim().split('\n')[0]?.slice(0, 150) ?? ''}`,
    staticDetails: orderDetails(state),
    ...(searchable && { typedSearchAttributes: orderAttributes(orderId, state.order.workspace) }),
  });
}
