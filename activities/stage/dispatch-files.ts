/**
 * Artifacts of a dispatch as a whole (design part 8): `dispatch.json` when it is ordered; log, patch, snapshot, notes and
 * `outcome.json` when it returns, however it ended. Repeated, they are written again with the same content.
 */
import { toolUsageOf } from '../../core/artifacts/work-files.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { Session } from '../../core/ports/session.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import { JudgeResult, OpenAgentResult, RunToolsResult } from '../../schemas/agent-io.ts';
import type { LedgerEvent, LedgerEventOf } from '../../schemas/ledger.ts';
import type { AppendLedgerInput } from '../../schemas/stage-io.ts';
import type { AgentResult, DispatchRecord } from '../../schemas/stage.ts';
import { dispatchKey, shadowRef, turnKey } from '../shared/coordinates.ts';
import { orderOf } from '../shared/dispatches.ts';
import { contractOf } from '../shared/trees.ts';
import { readTranscript } from '../shared/transcript.ts';
import { workFiles } from '../shared/work-files.ts';
import type { StagePorts } from './ports.ts';

/** Writes what these events ask for. An event without artifacts costs nothing. */
export async function saveDispatchFiles(
  ports: StagePorts,
  session: Session,
  input: AppendLedgerInput,
): Promise<void> {
  for (const event of input.events) await saveFor(ports, session, input, event);
}

async function saveFor(
  ports: StagePorts,
  session: Session,
  input: AppendLedgerInput,
  event: LedgerEvent,
): Promise<void> {
  if (event.type === 'dispatched') {
    const { dispatchId } = event.data.record;
    const file = await orderFile(ports, session, input, event.data.record);
    await ports.artifactsOf(session).saveStepFiles(input.run, dispatchId, [file]);
  }
  if (event.type !== 'returned') return;
  const { dispatchId } = event.data;
  const order = await orderOf(session, dispatchId);
  const run = order?.run ?? input.run;
  const files = await returnFiles(session, { ...input, run }, event.data, order?.record ?? null);
  const store = ports.artifactsOf(session);
  // The outcome comes last: where it is, the rest is.
  await store.saveStepFiles(run, dispatchId, files.slice(0, -1));
  await store.saveStepFiles(run, dispatchId, files.slice(-1));
}

async function orderFile(
  ports: StagePorts,
  session: Session,
  { at, run }: AppendLedgerInput,
  record: DispatchRecord,
): Promise<GateArtifact> {
  const { state } = await session.doc();
  return jsonFile('dispatch.json', {
    version: 1,
    session: at.sessionId,
    stage: at.stageId,
    run,
    record,
    contract: await contractOf(session, record.nodeId),
    limits: { agent: ports.agentLimits, stage: state.run?.options.limits ?? null },
  });
}

async function returnFiles(
  session: Session,
  { at, run }: AppendLedgerInput,
  { nodeId, dispatchId, result }: LedgerEventOf<'returned'>['data'],
  record: DispatchRecord | null,
): Promise<readonly GateArtifact[]> {
  const role = record?.role ?? 'builder';
  const coordinates = { ...at, run, nodeId, role, dispatchId };
  const last = await lastMoment(session, coordinates);
  const outcome = jsonFile('outcome.json', {
    version: 1,
    session: at.sessionId,
    stage: at.stageId,
    run,
    dispatch: dispatchId,
    node: nodeId,
    role,
    turns: last?.turn ?? 0,
    toolUsage: last === null ? {} : await usageOf(session, last.head),
    result,
  });
  if (last === null) return [outcome];
  const start = (await session.trees.readRef(shadowRef(coordinates, 'base'))) ?? session.trees.emptyTree;
  const submission = result.status === 'submitted' ? result.submission : null;
  const files = await workFiles(session, {
    head: last.head,
    snapshot: {
      work: last.tree,
      start,
      candidate: submission?.tree ?? null,
      projection: submission?.gate?.projection ?? null,
      baseCommit: record?.baseCommit ?? null,
    },
    notes: { nodeId, role, dispatchId, when: `end: ${result.status}`, note: noteOf(result) },
  });
  return [...files, outcome];
}

/** Null where the conversation is gone: no dispatch is held up by a record of it. */
async function usageOf(session: Session, head: string): Promise<Readonly<Record<string, number>> | null> {
  return readTranscript(session.objects, head).then(toolUsageOf, () => null);
}

function noteOf(result: AgentResult): string | null {
  switch (result.status) {
    case 'submitted':
      return result.submission.prNote;
    case 'parked':
      return result.detail;
    default:
      return null;
  }
}

interface LastMoment {
  readonly turn: number;
  readonly tree: string;
  readonly head: string;
}

/** Where the agent stood when it ended, from the stored results of its turns; null when it never began. */
async function lastMoment(session: Session, at: AgentCoordinates): Promise<LastMoment | null> {
  const opened = await session.results.get(dispatchKey(at), 'opened', OpenAgentResult);
  if (opened === null) return null;
  let last: LastMoment = { turn: 0, tree: opened.tree, head: opened.head };
  for (let turn = opened.turn ?? 1; ; turn += 1) {
    const tools = await session.results.get(turnKey(at, turn), 'tools', RunToolsResult);
    if (tools === null) return last;
    const judged = await session.results.get(turnKey(at, turn), 'judged', JudgeResult);
    last = { turn, tree: tools.tree, head: judged?.head ?? tools.head };
  }
}

function jsonFile(name: string, value: unknown): GateArtifact {
  return { name, bytes: new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`) };
}
