/** `input` and `halt`: a person's message becomes a ledger event; the command says so only when it is there. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { workflowNameOf } from '../../adapters/store/session.ts';
import type { InputReport, Result } from '../../core/ports/services.ts';
import { eventOf } from '../../core/ledger/lines.ts';
import type { LedgerRead, Session } from '../../core/ports/session.ts';
import { HumanInput } from '../../schemas/ledger.ts';
import { projectionsOf } from '../ports.ts';
import { stageWorkflowId } from '../queues.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, findSession, messageOf } from './common.ts';
import { inputProblem } from './input-problem.ts';
import { damageFailed } from './open-session.ts';
import { connectTo, openServer } from './server.ts';
import { typed } from '../../core/text/typed.ts';

/** Longest wait for a moving stage to write the message down. */
const RECORD_WAIT_MS = 8_000;
/** Longest wait for what becomes of it. */
const ANSWER_WAIT_MS = 2_000;
const POLL_MS = 100;

/** Sends to the moving stage, or writes into the ledger of a resting one. The same id is taken once. */
export async function sendInput(
  around: Surroundings,
  dir: string,
  message: Omit<HumanInput, 'id' | 'by'>,
  id: string | null,
): Promise<Result<InputReport>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const input = HumanInput.safeParse({ ...message, id: id ?? randomUUID(), by: userInfo().username });
  if (!input.success)
    return failed(2, `Cannot record the input: ${input.error.issues[0]?.message ?? 'it is not valid'}`);
  const sessions = createSessions(around.env);
  try {
    const session = await sessions.open(found.value.dir);
    const { state } = await session.doc();
    const problem = inputProblem(state, input.data);
    if (problem !== null) return failed(2, problem, typed`a7-rt status ${dir}`);
    const { run } = state;
    if (run === null || !isOpen(run)) return await recordAtRest(session, input.data, dir);
    const name = await workflowNameOf(session.dir, session.id);
    const sent = await signal(around, stageWorkflowId(name, run.stage), input.data).catch(messageOf);
    if (typeof sent === 'string') return failed(4, `Cannot send the input: ${sent}`, 'a7-rt doctor');
    if (!sent)
      return failed(
        3,
        'Cannot send the input: the stage is open in the ledger, and no workflow moves it',
        typed`a7-rt run ${dir}`,
      );
    const recorded = await waitForId(session, input.data.id);
    // The stage ended the moment before: nobody took it, and nobody will.
    if (!recorded && !isOpen((await session.doc()).state.run))
      return await recordAtRest(session, input.data, dir);
    const answer = recorded ? await waitForAnswer(session, input.data.id) : null;
    return {
      ok: true,
      value: { id: input.data.id, state: recorded ? 'recorded' : 'sent', answer, atRest: false },
    };
  } catch (error) {
    const damaged = damageFailed(error, 'record the input', dir);
    if (damaged !== null) return damaged;
    throw error;
  } finally {
    await sessions.close();
  }
}

function isOpen(run: { readonly phase: string } | null): boolean {
  return run !== null && !['sealed', 'halted', 'rested'].includes(run.phase);
}

async function recordAtRest(session: Session, input: HumanInput, dir: string): Promise<Result<InputReport>> {
  if (input.kind === 'halt') return failed(2, 'Cannot halt: no stage is moving', typed`a7-rt status ${dir}`);
  const { state, contractsRef } = await session.doc();
  if (contractsRef === null)
    return failed(2, 'Cannot record the input: nothing is seeded', typed`a7-rt seed ${dir}`);
  if (!state.inputIds.includes(input.id)) {
    const event = { type: 'input_received' as const, data: { input } };
    const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
    if (appended.kind !== 'appended')
      return failed(3, 'Cannot record the input: the ledger changed meanwhile', 'Run the same command again');
    await projectionsOf(session).update([event]);
  }
  const answer = answerTo(await session.ledger.read(), input.id);
  return { ok: true, value: { id: input.id, state: 'recorded', answer, atRest: true } };
}

async function signal(around: Surroundings, workflowId: string, input: HumanInput): Promise<boolean> {
  const place = await openServer(around);
  const connection = await connectTo(place);
  try {
    const handle = new Client({ connection, namespace: place.namespace }).workflow.getHandle(workflowId);
    await handle.signal('input', input);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  } finally {
    await connection.close();
  }
}

async function waitForId(session: Session, id: string): Promise<boolean> {
  const deadline = performance.now() + RECORD_WAIT_MS;
  while (performance.now() < deadline) {
    const { state } = await session.doc();
    if (state.inputIds.includes(id)) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** What became of a recorded message, if a moving stage says so soon. */
async function waitForAnswer(session: Session, id: string): Promise<InputReport['answer']> {
  const deadline = performance.now() + ANSWER_WAIT_MS;
  for (;;) {
    const answer = answerTo(await session.ledger.read(), id);
    if (answer !== null || performance.now() >= deadline) return answer;
    await delay(POLL_MS);
  }
}

function answerTo(read: LedgerRead, id: string): InputReport['answer'] {
  for (const line of read.kind === 'read' ? read.lines : []) {
    const event = line.type === 'input_consumed' ? eventOf(line) : null;
    if (event?.type !== 'input_consumed' || event.data.id !== id) continue;
    return { outcome: event.data.outcome, message: event.data.message };
  }
  return null;
}
