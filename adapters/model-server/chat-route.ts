/** One request to the model, in any protocol: read, check, choose the answer, write it down, send it. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalRequest } from '../../core/model/canonical-request.ts';
import { type RenderedAnswer, renderAnswer } from '../../core/scripted-model/answer.ts';
import { type FlatRule, matchRule, placeOf } from '../../core/scripted-model/match.ts';
import { type ApiError, checkRequest } from '../../core/scripted-model/strict.ts';
import { type Protocol } from '../../core/scripted-model/protocols.ts';
import type { WireOptions } from '../../core/scripted-model/wire.ts';
import type { StrictChatRequest } from '../../schemas/model-request.ts';
import type { ModelScript, ScriptAnswer, ScriptFault } from '../../schemas/model-script.ts';
import { CallCoordinates } from '../../schemas/model.ts';
import type { RecordedRequest, ServedRecord } from './record.ts';
import { type Payload, sendError, sendFault, sendPayload } from './respond.ts';
import { strictJson } from '../../core/text/strict-json.ts';

export interface ChatContext {
  readonly script: ModelScript;
  readonly rules: readonly FlatRule[];
  readonly record: ServedRecord;
}

type Spoken = ChatContext & { readonly protocol: Protocol; readonly customTools: ReadonlySet<string> };

const BODY_BYTES_MAX = 32 * 1024 * 1024;

export async function serveChat(
  message: IncomingMessage,
  response: ServerResponse,
  server: ChatContext,
  protocol: Protocol,
): Promise<void> {
  const text = await readBody(message);
  if (text === null) {
    const error = { status: 413, message: 'Request body is too large.', code: null, param: null };
    sendError(response, error, {}, protocol.name);
    return;
  }
  const translated = protocol.translate(strictJson(text));
  const context: Spoken = {
    ...server,
    protocol,
    customTools: translated.kind === 'chat' ? translated.customTools : new Set(),
  };
  const wrong = (reason: string, param: string | null): void =>
    refuse(message, response, context, text, { status: 400, message: reason, code: null, param });
  if (translated.kind === 'refused') {
    wrong(translated.message, translated.param);
    return;
  }
  const checked = checkRequest(translated.body, context.script);
  if (checked.kind === 'refused') {
    refuse(message, response, context, text, checked.error);
    return;
  }
  const { request } = checked;
  if (request.tools !== undefined && !context.script.supports_tools) {
    wrong(`The model "${request.model}" does not support tools.`, 'tools');
    return;
  }
  const at = coordinatesOf(message, request);
  if (at === null) {
    wrong('The header "x-a7-call" is no coordinates of a call.', null);
    return;
  }
  await answerChat(request, at, response, context);
}

/** A request that the API would not take is written down too: a test that finds one has found a defect. */
function refuse(
  message: IncomingMessage,
  response: ServerResponse,
  { record, protocol }: Spoken,
  body: string,
  error: ApiError,
): void {
  const coordinates = coordinatesOf(message, null) ?? EXTERNAL;
  const note = { atMs: Date.now(), coordinates, rule: null, billable: false };
  record.add({ ...note, outcome: 'refused', detail: error.message }, { body, model: '', streamed: false });
  sendError(response, error, {}, protocol.name);
}

async function answerChat(
  request: StrictChatRequest,
  at: CallCoordinates,
  response: ServerResponse,
  context: Spoken,
): Promise<void> {
  const note = { atMs: Date.now(), coordinates: at };
  const asked = recordedRequest(request);
  const told = toldIn(request);
  const match = matchRule(context.rules, context.record.bindings(), at, told);
  if (match.kind === 'none') {
    context.record.add(
      { ...note, outcome: 'script_error', detail: match.message, rule: null, billable: false },
      asked,
    );
    sendScriptError(response, match.message, context.protocol);
    return;
  }
  const { rule, index } = match;
  const fault = nextFault(rule.answer, context.record.faultsAt(placeOf(at)), request);
  const rendering = renderAnswer(rule.answer, request, at, rule.name);
  if (rendering.kind === 'script_error') {
    context.record.add(
      { ...note, outcome: 'script_error', detail: rendering.message, rule: index, billable: false },
      asked,
    );
    sendScriptError(response, rendering.message, context.protocol);
    return;
  }
  const detail = fault === null ? rule.name : `${rule.name}, fault ${fault.kind}`;
  const billable = fault === null || isBillable(fault);
  const outcome = fault === null ? 'answer' : 'fault';
  const served = context.record.add({ ...note, outcome, detail, rule: index, billable }, asked);
  const payload = payloadOf(rendering.answer, rule.answer, request, served.sequence, context);
  if (rule.answer.delay_ms > 0) await sleep(rule.answer.delay_ms, undefined, { ref: false });
  await (fault === null
    ? sendPayload(response, payload)
    : sendFault(response, fault, payload, context.protocol.name));
}

/** `refuse_stream` is passed over by a request that does not stream. */
function nextFault(answer: ScriptAnswer, played: number, request: StrictChatRequest): ScriptFault | null {
  const fault = answer.faults[played];
  if (fault?.kind !== 'refuse_stream' || request.stream === true) return fault ?? null;
  return answer.faults.slice(played).find((later) => later.kind !== 'refuse_stream') ?? null;
}

/** A status and a page come instead of an answer; all else comes after a model worked. */
function isBillable(fault: ScriptFault): boolean {
  return fault.kind !== 'status' && fault.kind !== 'html' && fault.kind !== 'refuse_stream';
}

function payloadOf(
  answer: RenderedAnswer,
  script: ScriptAnswer,
  request: StrictChatRequest,
  sequence: number,
  { protocol, customTools }: Spoken,
): Payload {
  const options: WireOptions = {
    id: `chatcmpl-${String(sequence)}`,
    model: request.model,
    createdSeconds: Math.floor(Date.now() / 1000),
  };
  if (request.stream !== true)
    return { kind: 'whole', body: JSON.stringify(protocol.body(answer, options, customTools)) };
  const includeUsage = request.stream_options?.include_usage === true;
  return {
    kind: 'stream',
    events: protocol.events(answer, options, { includeUsage, customTools }),
    chunkDelayMs: script.chunk_delay_ms,
  };
}

function recordedRequest(request: StrictChatRequest): RecordedRequest {
  const body = canonicalRequest({ messages: request.messages, tools: request.tools ?? [] });
  return { body, model: request.model, streamed: request.stream === true };
}

const EXTERNAL: CallCoordinates = {
  role: 'builder',
  stage: 'external',
  node: null,
  dispatch: 0,
  turn: 0,
};

/** From the header; a client that knows nothing of it is an external builder: a conversation is known by its first words. */
function coordinatesOf(message: IncomingMessage, request: StrictChatRequest | null): CallCoordinates | null {
  const header = message.headers['x-a7-call'];
  if (typeof header !== 'string')
    return request === null
      ? EXTERNAL
      : { ...EXTERNAL, dispatch: conversationOf(request), turn: answersIn(request) + 1 };
  const parsed = CallCoordinates.safeParse(strictJson(header));
  return parsed.success ? parsed.data : null;
}

function answersIn({ messages }: StrictChatRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

/** The same number for the same beginning, also after a restart: all that was said before the first answer. */
function conversationOf({ messages }: StrictChatRequest): number {
  const answer = messages.findIndex(({ role }) => role === 'assistant');
  const first = messages
    .slice(0, answer < 0 ? messages.length : answer)
    .filter(({ role }) => role === 'user');
  const text = first.map(({ content }) => content).join('\n');
  return createHash('sha256').update(text).digest().readUIntBE(0, 4);
}

function toldIn({ messages }: StrictChatRequest): string {
  return messages.flatMap(({ role, content }) => (role === 'assistant' ? [] : [content])).join('\n');
}

function sendScriptError(response: ServerResponse, message: string, { name }: Protocol): void {
  sendError(response, { status: 422, message, code: 'script_error', param: null }, {}, name);
}

async function readBody(message: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += (chunk as Buffer).byteLength;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
