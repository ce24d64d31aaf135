/** Carries a call that may pass to the endpoint and its answer back, and settles what it used. */
import type { IncomingMessage } from 'node:http';
import { costOf } from '../../core/model/cost.ts';
import type { DoorUsage } from '../../core/model/door-usage.ts';
import type { DoorCallEnd, DoorRecord } from '../../core/ports/door-record.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { AnswerReader } from './answer-reader.ts';
import type { UnderWay } from './under-way.ts';
import { askEndpoint, type Forwarded, send } from './upstream.ts';

const STALL_MS = 600_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** The call never left this machine. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Gives the status of the endpoint; 0: none. */
export async function carry(call: Forwarded, record: DoorRecord, under: UnderWay): Promise<number> {
  const { target, response } = call;
  if (under.isClosed) {
    await settle(call, record, null, { status: 0, contentType: null, isUnknown: false });
    return 0;
  }
  const answer = await askEndpoint(call, under).catch((error: unknown) => error);
  if (!isAnswer(answer)) {
    const isUnknown = !NEVER_SENT.has(errorCode(answer) ?? '');
    await settle(call, record, null, { status: 0, contentType: null, isUnknown });
    const words = answer instanceof Error ? answer.message : String(answer);
    const message = `a7-rt: the model endpoint failed: ${words.replaceAll(target.key, '***')}`;
    // The one status that no agent tries again for minutes.
    send(response, 400, { type: 'error', error: { type: 'api_error', message } });
    return 0;
  }
  const reader = new AnswerReader(call.protocol, target.key);
  const status = answer.statusCode ?? 502;
  const contentType = answer.headers['content-type'] ?? 'application/json';
  try {
    begin(answer, status, contentType, response);
    await pass(answer, reader, response, under);
    const rest = reader.end();
    await settle(call, record, reader, { status, contentType, isUnknown: false });
    response.end(rest);
  } catch {
    // Its last word may have come all the same: an agent that has read it leaves, and its door closes.
    await settle(call, record, reader, { status, contentType, isUnknown: isPaid(status) });
    answer.destroy();
    response.destroy();
  } finally {
    under.delete(answer);
  }
  return status;
}

/** @throws where the answer is packed: what cannot be read can neither be counted nor searched for the key */
function begin(
  answer: IncomingMessage,
  status: number,
  contentType: string,
  response: Forwarded['response'],
): void {
  const packed = answer.headers['content-encoding'] ?? 'identity';
  if (packed !== 'identity') throw new Error(`the answer is packed in "${packed}"`);
  const retryAfter = answer.headers['retry-after'];
  response.writeHead(status, {
    'content-type': contentType,
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  });
}

/** Also to its end when nobody listens any more: it is paid for. */
async function pass(
  answer: IncomingMessage,
  reader: AnswerReader,
  response: Forwarded['response'],
  under: UnderWay,
): Promise<void> {
  let bytes = 0;
  answer.setTimeout(STALL_MS, () => answer.destroy(new Error('the answer stalled')));
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      under.hold(chunk.byteLength);
      if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too large');
      const shown = reader.push(chunk);
      if (shown.byteLength > 0 && !response.destroyed) response.write(shown);
    }
  } finally {
    under.release(bytes);
  }
}

/** An endpoint bills what it answers; what it refuses, or sends elsewhere, it does not. */
function isPaid(status: number): boolean {
  return status >= 200 && status < 300;
}

interface CallEnd {
  readonly status: number;
  readonly contentType: string | null;
  /** It may have been billed, and nobody can say for how much. */
  readonly isUnknown: boolean;
}

/** What nobody knows is charged at its worst case (G6). */
async function settle(
  { target, call }: Forwarded,
  record: DoorRecord,
  reader: AnswerReader | null,
  { status, contentType, isUnknown }: CallEnd,
): Promise<void> {
  const { usage, isComplete } = reader?.read() ?? { usage: null, isComplete: false };
  const isBilled = isPaid(status) || isUnknown;
  const free = { inputTokens: 0, outputTokens: 0, costMicroUsd: target.price === null ? null : 0 };
  const used = !isBilled ? free : usage === null || !isComplete ? null : usedOf(usage, target);
  const isKept = status === 200 && isComplete && contentType !== null;
  const answer = isKept && reader !== null ? { contentType, body: reader.body() } : null;
  await record.settled({ call, status, used, answer });
}

function usedOf(usage: DoorUsage, { price }: Forwarded['target']): NonNullable<DoorCallEnd['used']> {
  const { inputTokens, outputTokens, cacheWriteSurcharge } = usage;
  const billed = { ...usage, inputTokens: inputTokens + cacheWriteSurcharge, reasoningTokens: 0 };
  return { inputTokens, outputTokens, costMicroUsd: price === null ? null : costOf(billed, price) };
}

function isAnswer(value: unknown): value is IncomingMessage {
  return typeof value === 'object' && value !== null && 'statusCode' in value;
}
