/** Starts or joins the workflow of one stage and waits for its end, across deaths of the server. */
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { workflowNameOf } from '../../adapters/store/session.ts';
import type { Failed } from '../../core/ports/services.ts';
import { type BuildStageInput, StageOutcome } from '../../schemas/stage-io.ts';
import { agentQueue, controlQueue, sandboxQueue, stageWorkflowId } from '../queues.ts';
import { stageAttributes } from '../search-attributes.ts';
import { failed, messageOf } from './common.ts';
import type { RunContext } from './run-context.ts';
import { untilPerson } from './person-wait.ts';
import { optionsOf, settleOptions } from './stage-options.ts';
import { connectTo, pageOf } from './server.ts';
import { watchLedger } from './watch-ledger.ts';
import { typed } from '../../core/text/typed.ts';

const RETRY_MS = 500;
/** The session folder itself is broken: no run can mend it. */
const DAMAGED = 'LedgerCorrupt';
/** It was moved or deleted while the stage moved. */
const GONE = 'SessionGone';
/** Codes of gRPC that say that the request itself is wrong: invalid argument, permission denied, unimplemented, unauthenticated. */
const NO_OUTAGE: readonly number[] = [3, 7, 12, 16];
const ENDED: readonly string[] = ['sealed', 'halted', 'rested'];

/** The stage's outcome, or why it cannot be had. */
export async function driveStage(context: RunContext, stageId: string): Promise<StageOutcome | Failed> {
  const { session, hosting, watch, stop } = context;
  const { state } = await session.doc();
  if (!(stageId in state.stages)) {
    return failed(
      2,
      `Cannot run stage "${stageId}": the session has ${state.stageOrder.join(', ')}`,
      typed`a7-rt status ${context.shown}`,
    );
  }
  const ended = new AbortController();
  const watching = watchLedger(session, state.seq, watch, ended.signal);
  try {
    const workflowId = stageWorkflowId(await workflowNameOf(session.dir, session.id), stageId);
    const url = pageOf(hosting.place, workflowId);
    if (url !== null) watch({ kind: 'page', url });
    return await Promise.race([
      untilEnd(context, stageId, workflowId),
      hosting.failing,
      stopped(stop),
      untilPerson(context, ended.signal),
    ]);
  } catch (error) {
    return failed(1, `Stage "${stageId}" broke: ${messageOf(error)}`, typed`a7-rt doctor ${context.shown}`);
  } finally {
    ended.abort();
    await watching;
  }
}

/** Waits for the workflow of a run that has ended in the ledger and not yet at the server. */
export async function closeFormer(context: RunContext): Promise<void> {
  const { session, hosting, stop } = context;
  const { run } = (await session.doc()).state;
  if (run === null || !ENDED.includes(run.phase)) return;
  const closed = withClient(context, async (client) => {
    const name = await workflowNameOf(session.dir, session.id);
    const handle = client.workflow.getHandle(stageWorkflowId(name, run.stage));
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') await handle.result();
  });
  // Whatever it ended with, the ledger has it; an outage here is met again by what follows.
  await Promise.race([closed.catch(() => undefined), hosting.failing, stopped(stop)]);
}

async function withClient<T>({ hosting }: RunContext, work: (client: Client) => Promise<T>): Promise<T> {
  const { namespace } = hosting.place;
  const connection = await connectTo(hosting.place);
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

async function untilEnd(
  context: RunContext,
  stageId: string,
  workflowId: string,
): Promise<StageOutcome | Failed> {
  // Once started it is followed by its first run: starting it anew after an outage would undo an end that came meanwhile.
  let firstRunId: string | null = null;
  for (;;) {
    try {
      return await withClient(context, async (client) => {
        firstRunId ??= await start(context, client, stageId, workflowId);
        const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: firstRunId });
        return StageOutcome.parse(await handle.result());
      });
    } catch (error) {
      // The server lost its database: the stage is an orphan now, and starting it again takes it over.
      if (error instanceof WorkflowNotFoundError) {
        firstRunId = null;
        await delay(RETRY_MS);
        continue;
      }
      if (error instanceof WorkflowFailedError) return await brokenStage(stageId, error, context.shown);
      if (!isOutage(error)) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Starting is idempotent: a moving stage is joined, a resting or orphaned one begins anew from the ledger. Gives the run's id. */
async function start(
  context: RunContext,
  client: Client,
  stageId: string,
  workflowId: string,
): Promise<string> {
  const { session, config, hosting, around } = context;
  const input: BuildStageInput = {
    at: { sessionDir: session.dir, sessionId: session.id, stageId },
    options: optionsOf(context),
    sandboxQueue: sandboxQueue(session.id, hosting.capability),
    agentQueue: agentQueue(session.id, hosting.capability),
    searchable: hosting.place.searchable,
    humanWaitMs: config.humanWaitMs,
    joinsCommits: true,
    joinsOpenings: true,
    idPrefix: workflowId,
    tellsOutcome: true,
    ...(around.historyBounds === undefined ? {} : { historyBounds: around.historyBounds }),
    carry: null,
  };
  await leaveOlder(client, workflowId, controlQueue(session.id));
  await settleOptions(context, client, workflowId).catch(unlessGone);
  const handle = await client.workflow.start('buildStage', {
    workflowId,
    taskQueue: controlQueue(session.id),
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '10s',
    staticSummary: `Stage ${stageId} of ${basename(session.dir)}`,
    staticDetails: stageDetails(session.dir, stageId),
    ...(hosting.place.searchable && { typedSearchAttributes: stageAttributes(session.id, stageId) }),
  });
  return handle.firstExecutionRunId;
}

/** No workflow moves the stage, or it ended by itself: it is opened anew in either case. */
function unlessGone(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowFailedError)) throw error;
}

/** What stays on the page when nothing runs that could answer for the stage. */
function stageDetails(dir: string, stageId: string): string {
  return [
    `Stage **${stageId}** of the session \`${dir}\`.`,
    '',
    typed`How it ended stands in the memo \`outcome\` and in \`A7Outcome\`: sealed, halted or rested. \`a7-rt run ${dir}\` goes on, \`a7-rt status ${dir}\` and \`a7-rt board ${dir}\` show where it is.`,
    'Its agents are the child workflows: `A7Node`, `A7Role` and `A7Verdict` find them.',
  ].join('\n');
}

/**
 * A stage that an older version of the rules moves listens to a queue that nobody serves any more. It is ended here, with its
 * children, and taken over from the ledger: every paid answer is found.
 */
async function leaveOlder(client: Client, workflowId: string, queue: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const found = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (found?.status.name !== 'RUNNING' || found.taskQueue === queue) return;
  const reason = 'Taken over by another version of a7-rt';
  await handle.terminate(reason);
  for (const child of found.raw.pendingChildren ?? []) {
    const { workflowId: id } = child;
    if (typeof id === 'string')
      await client.workflow
        .getHandle(id)
        .terminate(reason)
        .catch(() => undefined);
  }
}

/** Terminated or cancelled from outside: the ledger still says open, so the next run takes it over. */
function brokenStage(stageId: string, error: WorkflowFailedError, shown: string): Promise<Failed> {
  const root = rootOf(error);
  const type = root instanceof ApplicationFailure ? root.type : undefined;
  const broke = `Stage "${stageId}" broke: ${root.message}`;
  if (type === DAMAGED) return Promise.resolve(failed(2, broke, typed`a7-rt restore ${shown}`));
  if (type === GONE)
    return Promise.resolve(
      failed(2, broke, typed`Move it back to ${shown}, or name where it lies now; then a7-rt run ${shown}`),
    );
  return Promise.resolve(
    failed(
      1,
      `Stage "${stageId}" ended from outside: ${messageOf(root)}`,
      'Run the same command again: it goes on from the ledger',
    ),
  );
}

/** The failure that caused the others. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The server is away, or slow: the workflow is not touched by it. */
function isOutage(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(cause)) return !NO_OUTAGE.includes(cause.code);
  const text = messageOf(error);
  return /UNAVAILABLE|DEADLINE_EXCEEDED|ECONNREFUSED|ECONNRESET|Failed to connect|Failed to start Workflow|Unexpected error/i.test(
    text,
  );
}

function stopped(stop: AbortSignal): Promise<Failed> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve(failed(3, 'Stopped by a person'));
    };
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  });
}
