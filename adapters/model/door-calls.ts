/**
 * Calls that an agent's program makes through its door, as rows below the key of its turn: the cap of the stage, reports of
 * usage and the worst case of what a crash made unknowable count them like every other call (design part 4, G6).
 */
import { realpathSync } from 'node:fs';
import { type CallState, callState, settledCharge, openCharge } from '../../core/model/call-state.ts';
import { decideCap } from '../../core/model/cap.ts';
import type { DoorCall, DoorCallEnd, DoorRecord, KeptAnswer } from '../../core/ports/door-record.ts';
import type { SessionCalls, SessionCallsRequest } from '../../core/ports/session-calls.ts';
import type { ReceivedRow, SentRow } from '../../schemas/model-call.ts';
import type { CapReached } from '../../schemas/model.ts';
import type { AgentUsage } from '../../schemas/order.ts';
import { loadBudget, saveOpened } from './budget-file.ts';
import { type WithLock, writeClaim } from './call-claim.ts';
import { addRow, callFolder, listCallFolders, readRows } from './call-files.ts';
import { currentOwner, ownerLife } from './process-owner.ts';

const ATTEMPT = 1;
/** A call of a program that has no end after this time has no owner that waits. */
const CALL_MS = 20 * 60_000;

interface KnownCall {
  readonly number: number;
  state: CallState;
}

/** Opens the record of a turn: calls of a former attempt that have no end are unknown now. */
export async function openDoorCalls(
  request: SessionCallsRequest,
  { withLock, checkFence }: { readonly withLock: WithLock; readonly checkFence: () => Promise<boolean> },
): Promise<SessionCalls> {
  const { sessionDir, key, choice, objects } = request;
  const calls = await earlierCalls(sessionDir, key);
  const unspent = calls.filter(({ state }) => state.kind === 'received');
  const lockName = `model budget ${realpathSync(sessionDir)} ${choice.cap.scope}`;
  let cap: CapReached | null = null;

  const sent = async (call: DoorCall): ReturnType<DoorRecord['sent']> => {
    if (calls.length >= request.callsMax)
      return {
        bound: `calls of the model in one turn, at most agent_max_turns, which is ${String(request.callsMax)}`,
      };
    const { index, spent, reserved } = await loadBudget(sessionDir, choice.cap.scope);
    const decision = decideCap({ cap: choice.cap, spent, reserved, worstCase: call.worst });
    if (decision.kind === 'refused') {
      const { unit, spent: used, reserved: open, cap: most, worstCase } = decision;
      cap = { kind: 'budget', unit, spent: used + open, cap: most, worstCase };
      return {
        bound: `the cap of the stage, ${String(most)} ${unit}; spent and under way are ${String(used + open)}`,
      };
    }
    if (!(await checkFence())) return { bound: 'a newer run owns the session' };
    const number = calls.length + 1;
    const row = await sentRow(request, call);
    const own = `${key}/${nameOf(number)}`;
    await claim(request, own, row, saveOpened(sessionDir, index, own, { kind: 'none' }));
    calls.push({ number, state: { kind: 'sent', sent: row, unknown: [] } });
    return { call: number };
  };

  return {
    usage: () => usageOf(calls),
    unknown: () =>
      calls.flatMap(({ number, state }) =>
        state.kind === 'unknown'
          ? [{ callKey: `${key}/${nameOf(number)}`, costMicroUsd: settledCharge(state).microUsd }]
          : [],
      ),
    cap: () => cap,
    // The room's log tells what it asked in vain; a session keeps no row of what was never sent.
    refused: () => undefined,
    sent: (call) => withLock(lockName, () => sent(call)),
    settled: async (end) => {
      const known = calls.find(({ number }) => number === end.call);
      if (known?.state.kind !== 'sent')
        throw new Error(`Cannot settle call ${String(end.call)}: it was not sent`);
      const folder = callFolder(sessionDir, `${key}/${nameOf(end.call)}`);
      await addRow(folder, await endRow(end, objects));
      known.state = callState(await readRows(folder));
    },
    takeKept: async (hash): Promise<KeptAnswer | null> => {
      const at = unspent.findIndex(
        ({ state }) => state.kind === 'received' && state.sent.requestHash === refOf(hash),
      );
      const [found] = at < 0 ? [] : unspent.splice(at, 1);
      if (found?.state.kind !== 'received') return null;
      const body = await objects.get(found.state.received.answerRef);
      return { call: found.number, contentType: contentTypeOf(body), body };
    },
    close: () => Promise.resolve(),
  };
}

/** @throws where another worker wrote the call: one row for two calls would leave one uncounted */
async function claim(
  { sessionDir, coordinates, choice }: SessionCallsRequest,
  key: string,
  row: SentRow,
  save: Promise<void>,
): Promise<void> {
  const place = { folder: callFolder(sessionDir, key), request: { key, coordinates, cap: choice.cap } };
  if (!(await writeClaim(place, save, row)))
    throw new Error(`Cannot write call "${key}" down: another worker writes the same turn`);
}

async function earlierCalls(sessionDir: string, key: string): Promise<KnownCall[]> {
  const root = callFolder(sessionDir, key);
  const calls: KnownCall[] = [];
  for (const folder of await listCallFolders(root)) {
    const number = numberOf(folder);
    if (number === null) continue;
    const state = callState(await readRows(folder));
    if (state.kind === 'sent' && (await ownerLife(state.sent.owner)) !== 'alive')
      await addRow(folder, {
        kind: 'unknown',
        attempt: ATTEMPT,
        reason: 'the worker died while the call was under way',
        atMs: Date.now(),
      });
    calls.push({ number, state: callState(await readRows(folder)) });
  }
  return calls;
}

function nameOf(number: number): string {
  return `door-${String(number).padStart(4, '0')}`;
}

function numberOf(folder: string): number | null {
  const [, digits] = /\/door-(\d+)$/.exec(folder) ?? [];
  return digits === undefined ? null : Number(digits);
}

function refOf(hash: string): string {
  return `sha256:${hash}`;
}

async function sentRow({ choice, fence }: SessionCallsRequest, { hash, worst }: DoorCall): Promise<SentRow> {
  const { alias, modelId, price } = choice.target;
  const atMs = Date.now();
  return {
    kind: 'sent',
    attempt: ATTEMPT,
    requestHash: refOf(hash),
    fence,
    owner: await currentOwner(),
    modelAlias: alias,
    modelId,
    price,
    worstCase: worst,
    atMs,
    deadlineMs: atMs + CALL_MS,
  };
}

/** Whole and paid, refused and free, or nobody knows. */
async function endRow(
  { status, used, answer }: DoorCallEnd,
  objects: SessionCallsRequest['objects'],
): Promise<Parameters<typeof addRow>[1]> {
  const at = { attempt: ATTEMPT, atMs: Date.now() } as const;
  if (status === 200 && answer !== null) return receivedRow(used, await objects.put(answer.body), at);
  if (status === 200 || used === null)
    return { kind: 'unknown', ...at, reason: status === 200 ? 'the answer was cut' : 'no answer came' };
  if (status === 0) return { kind: 'returned', ...at, reason: 'it never left this machine' };
  return { kind: 'failed', ...at, code: String(status), message: `the endpoint answered ${String(status)}` };
}

function receivedRow(
  used: DoorCallEnd['used'],
  answerRef: string,
  at: { readonly attempt: number; readonly atMs: number },
): ReceivedRow {
  return {
    kind: 'received',
    ...at,
    answerRef,
    summary: { textChars: 0, toolCalls: [] },
    finishReason: 'other',
    usage:
      used === null
        ? null
        : {
            inputTokens: used.inputTokens,
            cachedInputTokens: 0,
            outputTokens: used.outputTokens,
            reasoningTokens: 0,
          },
    costMicroUsd: used?.costMicroUsd ?? null,
  };
}

/** The first bytes tell: a stream of events, or one JSON document. */
function contentTypeOf(body: Uint8Array): string {
  const isJson = new TextDecoder().decode(body.subarray(0, 64)).trimStart().startsWith('{');
  return isJson ? 'application/json' : 'text/event-stream';
}

function usageOf(calls: readonly KnownCall[]): AgentUsage {
  let usage: AgentUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  for (const { state } of calls) {
    if (state.kind === 'none') continue;
    const worst = state.kind === 'unknown' ? state.unknown[0]?.worstCase : undefined;
    const received = state.kind === 'received' ? state.received.usage : null;
    const sent = 'sent' in state ? state.sent : 'unknown' in state ? state.unknown[0] : undefined;
    const isUnpriced = sent?.price === null;
    const charge = settledCharge(state).microUsd + openCharge(state).microUsd;
    usage = {
      calls: usage.calls + 1,
      inputTokens: usage.inputTokens + (received?.inputTokens ?? worst?.tokens ?? 0),
      outputTokens: usage.outputTokens + (received?.outputTokens ?? 0),
      costMicroUsd: usage.costMicroUsd === null || isUnpriced ? null : usage.costMicroUsd + charge,
    };
  }
  return usage;
}
