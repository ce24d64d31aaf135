/** One stage on a real server with scripted activities: starts `buildStage`, runs a worker while the test looks at it. */
import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { StageState } from '../../core/stage/types.ts';
import type { HumanInput, LedgerEvent, LedgerEventOf, LedgerEventType } from '../../schemas/ledger.ts';
import type { BuildStageInput, HistoryBounds, StageOutcome } from '../../schemas/stage-io.ts';
import { StageOptions } from '../../schemas/stage.ts';
import type { buildStage } from '../../workflows/index.ts';
import type { TestServer } from './server.ts';
import { workflowBundle } from './worker-bundle.ts';
import { type Behaviour, fakeActivities } from './worker-fakes.ts';

export interface StageWorldOptions {
  readonly server: Pick<TestServer, 'address' | 'namespace'>;
  /** Usually `seeded([seedNode('a'), …])`. */
  readonly first: LedgerEvent;
  readonly behaviour?: Behaviour;
  readonly options?: Record<string, unknown>;
  readonly humanWaitMs?: number;
  readonly historyBounds?: HistoryBounds;
}

export interface StageOnServer {
  readonly handle: WorkflowHandle<typeof buildStage>;
  readonly client: Client;
  readonly events: readonly LedgerEvent[];
  readonly state: () => StageState;
  /** Data of all events of a type, in order. */
  eventsOf<T extends LedgerEventType>(type: T): readonly LedgerEventOf<T>['data'][];
  /** Waits until `holds`; the test's own timeout ends it. */
  until(holds: () => boolean): Promise<void>;
  say(input: Partial<HumanInput> & Pick<HumanInput, 'kind'>): Promise<void>;
  /** Starts the stage again after it ended. */
  again(): Promise<WorkflowHandle<typeof buildStage>>;
  /** History of one workflow as stored files hold it: by id, or of one run of it. */
  history(workflowId: string, runId?: string): Promise<string>;
  /** Ids of the children, in order of their start. */
  children(): readonly string[];
}

const POLL_MS = 50;

/** Runs a stage's worker for as long as `look` takes. */
export async function onServer<T>(
  world: StageWorldOptions,
  look: (stage: StageOnServer) => Promise<T>,
): Promise<T> {
  const { address, namespace } = world.server;
  const sessionId = randomUUID();
  const fake = fakeActivities(world.first, world.behaviour ?? {});
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: sessionId,
    workflowBundle: { codePath: await workflowBundle() },
    activities: fake.activities,
    maxHeartbeatThrottleInterval: '200ms',
  });
  try {
    const client = new Client({ connection, namespace });
    return await worker.runUntil(async () => look(await openStage(world, sessionId, client, fake)));
  } finally {
    await connection.close();
    await native.close();
  }
}

async function openStage(
  world: StageWorldOptions,
  sessionId: string,
  client: Client,
  fake: ReturnType<typeof fakeActivities>,
): Promise<StageOnServer> {
  const workflowId = `a7/${sessionId}/core`;
  const input: BuildStageInput = {
    at: { sessionDir: '/session', sessionId, stageId: 'core' },
    options: StageOptions.parse(world.options ?? {}),
    sandboxQueue: sessionId,
    humanWaitMs: world.humanWaitMs ?? 600_000,
    joinsCommits: true,
    joinsOpenings: true,
    ...(world.historyBounds === undefined ? {} : { historyBounds: world.historyBounds }),
    carry: null,
  };
  const start = (): Promise<WorkflowHandle<typeof buildStage>> =>
    client.workflow.start<typeof buildStage>('buildStage', {
      workflowId,
      taskQueue: sessionId,
      args: [input],
      staticSummary: 'Stage core',
    });
  const handle = await start();
  const eventsOf = <T extends LedgerEventType>(type: T): LedgerEventOf<T>['data'][] =>
    fake.events.flatMap((event) => (event.type === type ? [event.data as LedgerEventOf<T>['data']] : []));
  return {
    handle,
    client,
    events: fake.events,
    state: fake.state,
    eventsOf,
    until: async (holds) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    say: (message) =>
      handle.signal('input', {
        id: randomUUID(),
        by: 'tester',
        text: '',
        nodeId: null,
        action: null,
        ...message,
      }),
    again: start,
    history: async (id, runId) => historyToJSON(await client.workflow.getHandle(id, runId).fetchHistory()),
    children: () =>
      eventsOf('dispatched').map(
        ({ record }) => `${workflowId}/${record.dispatchId}/r${String(fake.state().run?.run ?? 1)}`,
      ),
  };
}

/** How the stage ended. */
export function outcomeOf(stage: StageOnServer): Promise<StageOutcome> {
  return stage.handle.result();
}
