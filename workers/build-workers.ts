/** Temporal workers of one process: control (workflows, ledger, git, models), rooms of gates, rooms of agents. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { createAgentActivities } from '../activities/agent/index.ts';
import { createJudgeActivities } from '../activities/judge/index.ts';
import { createRoomAgentActivities } from '../activities/room-agent/index.ts';
import { createOrderActivities, createOrderRoomActivities } from '../activities/order/index.ts';
import type { OrderPorts } from '../activities/order/ports.ts';
import { createStageActivities } from '../activities/stage/index.ts';
import type { Machine } from './machine.ts';
import type { WorkerPorts } from './ports.ts';
import { agentQueue, controlQueue, type OrderQueues, sandboxQueue } from './queues.ts';

/** Heartbeats are sent at least this often, so that a cancel arrives within a second (temporal.md 7.1). */
const HEARTBEAT_THROTTLE_MAX = '1s';
/** Wait of a stopping worker for what it has sent. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** A dead worker's workflow waits this long for it before another worker gets it. The SDK's default is 10 s. */
const STICKY_WAIT = '3s';
const CONTROL_ACTIVITIES_MAX = 32;
const CACHED_WORKFLOWS_MAX = 200;
/** An agent's turn is run again by the next worker: nobody waits for it. */
const ORDER_GRACE_MS = 2_000;
/** Waiting for a workspace is an activity, too. */
const LEASES_MAX = 200;
/** Repeated in half of a history's events. The SDK's default is 82 bytes long, and nothing is versioned by it. */
const VERSION = { buildId: 'a7-rt' };

export interface BuiltWorkers {
  /** Ends when both workers have ended. Rejects when one of them failed. */
  readonly running: Promise<void>;
  shutdown(): void;
}

export interface WorkersOptions {
  readonly connection: NativeConnectionOptions;
  readonly namespace: string;
  readonly sessionId: string;
  readonly machine: Machine;
  readonly ports: WorkerPorts;
}

/** Starts both workers on a server that answers. */
export async function startWorkers(options: WorkersOptions): Promise<BuiltWorkers> {
  const connection = await NativeConnection.connect(options.connection);
  const { sessionId, machine } = options;
  const { agent, stage, judge, roomAgent } = options.ports;
  const common: Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'maxHeartbeatThrottleInterval' | 'shutdownGraceTime'
  > = {
    connection,
    namespace: options.namespace,
    ...VERSION,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MAX,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
  };
  const control = await Worker.create({
    ...common,
    ...workflowSource(),
    taskQueue: controlQueue(sessionId),
    activities: { ...createStageActivities(stage), ...createAgentActivities(agent) },
    maxConcurrentActivityTaskExecutions: CONTROL_ACTIVITIES_MAX,
    maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
    stickyQueueScheduleToStartTimeout: STICKY_WAIT,
  });
  const turns = createRoomAgentActivities(roomAgent);
  const gates = await Worker.create({
    ...common,
    taskQueue: sandboxQueue(sessionId, machine.capability),
    // Runs that older programs started ask for turns here.
    activities: { ...createJudgeActivities(judge), ...turns },
    maxConcurrentActivityTaskExecutions: machine.gatesMax,
  });
  const agents = await Worker.create({
    ...common,
    taskQueue: agentQueue(sessionId, machine.capability),
    activities: { ...turns },
    maxConcurrentActivityTaskExecutions: machine.agentsMax,
  });
  const workers = [control, gates, agents];
  const running = Promise.all(workers.map((worker) => worker.run())).then(() => connection.close());
  return {
    running,
    shutdown: () => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** Starts the workers of a data folder's orders. */
export async function startOrderWorkers(options: {
  readonly connection: NativeConnectionOptions;
  readonly namespace: string;
  readonly queues: OrderQueues;
  readonly places: Pick<Machine, 'gatesMax' | 'agentsMax'>;
  readonly ports: OrderPorts;
  /** Of bundled workflows. Default: where the build leaves them. */
  readonly codePath?: string | undefined;
}): Promise<BuiltWorkers> {
  const connection = await NativeConnection.connect(options.connection);
  const common = {
    connection,
    namespace: options.namespace,
    ...VERSION,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MAX,
    shutdownGraceTime: ORDER_GRACE_MS,
  } as const;
  const control = await Worker.create({
    ...common,
    ...workflowSource(options.codePath),
    taskQueue: options.queues.control,
    activities: { ...createOrderActivities(options.ports) },
    maxConcurrentActivityTaskExecutions: LEASES_MAX,
    maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
    stickyQueueScheduleToStartTimeout: STICKY_WAIT,
  });
  const steps = createOrderRoomActivities(options.ports);
  const rooms = await Worker.create({
    ...common,
    taskQueue: options.queues.rooms,
    activities: { ...steps },
    maxConcurrentActivityTaskExecutions: options.places.gatesMax,
  });
  const agents = await Worker.create({
    ...common,
    taskQueue: options.queues.agents,
    activities: { ...steps },
    maxConcurrentActivityTaskExecutions: options.places.agentsMax,
  });
  const workers = [control, rooms, agents];
  return {
    running: Promise.all(workers.map((worker) => worker.run())).then(() => connection.close()),
    shutdown: () => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** The bundle that the build made; from sources the SDK bundles by itself. */
function workflowSource(
  codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)),
): Pick<WorkerOptions, 'workflowBundle'> | Pick<WorkerOptions, 'workflowsPath'> {
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) };
}
