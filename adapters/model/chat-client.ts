/**
 * One request to an OpenAI-compatible endpoint, streamed where the endpoint can (design part 10).
 * No retries here: a refused parameter is left out at once, everything else is told to the caller.
 */
import { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import type { CallFailure } from '../../core/model/failure.ts';
import {
  EMPTY_ANSWER,
  addChunk,
  completionAnswer,
  garbageAnswer,
  streamedAnswer,
} from '../../core/model/answer.ts';
import type { ModelRequest } from '../../core/ports/model.ts';
import { formRequest } from '../../core/model/tool-form.ts';
import { WireChunk, WireCompletion } from '../../schemas/model-wire.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import { readFailure } from './chat-failure.ts';
import { DEFAULT_WATCH_LIMITS, type Watch, type WatchLimits, startWatch } from './watched-fetch.ts';
import { strictJson } from '../../core/text/strict-json.ts';

export type ChatReply =
  | { readonly kind: 'answer'; readonly answer: StoredAnswer }
  | { readonly kind: 'failure'; readonly failure: CallFailure };

export interface ChatSendOptions {
  readonly apiKey: string;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

export interface ChatClient {
  /** Never throws for what endpoint or network did. */
  send(request: ModelRequest, options: ChatSendOptions): Promise<ChatReply>;
}

/** What an endpoint was found to understand; learnt from refusals, which cost nothing. */
interface Dialect {
  readonly streams: boolean;
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** A raised limit of output was refused. */
  readonly isUsualLimit?: true;
}

const FIRST_DIALECT: Dialect = { streams: true, limitField: 'max_tokens' };
const DIALECT_TRIES_MAX = 4;

export function createChatClient(limits: WatchLimits = DEFAULT_WATCH_LIMITS): ChatClient {
  const dialects = new Map<string, Dialect>();
  return {
    async send(request, options) {
      const name = `${request.model.baseUrl} ${request.model.modelId}`;
      for (let tries = 1; ; tries += 1) {
        const dialect = dialects.get(name) ?? FIRST_DIALECT;
        const reply = await sendOnce(request, dialect, limits, options);
        const next = reply.kind === 'failure' ? nextDialect(dialect, reply.failure, request) : null;
        if (next === null || tries === DIALECT_TRIES_MAX) return reply;
        dialects.set(name, next);
      }
    },
  };
}

async function sendOnce(
  request: ModelRequest,
  dialect: Dialect,
  limits: WatchLimits,
  options: ChatSendOptions,
): Promise<ChatReply> {
  const watch = startWatch(limits, options.signal, options.onBytes);
  try {
    const client = openClient(request, watch, limits, options.apiKey);
    const response = await requestCompletion(client, request, dialect, watch);
    const tools = request.tools.map((tool) => tool.function.name);
    return await readReply(response, watch, client, tools);
  } catch (error) {
    return { kind: 'failure', failure: readFailure(error, watch, options.apiKey) };
  } finally {
    watch.stop();
  }
}

function openClient(request: ModelRequest, watch: Watch, limits: WatchLimits, apiKey: string): OpenAI {
  return new OpenAI({
    apiKey,
    adminAPIKey: null,
    baseURL: request.model.baseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: limits.totalTimeoutMs,
    logLevel: 'off',
    fetch: watch.fetch,
  });
}

function requestCompletion(
  client: OpenAI,
  request: ModelRequest,
  dialect: Dialect,
  watch: Watch,
): Promise<Response> {
  return client.chat.completions
    .create(requestBody(request, dialect), {
      signal: watch.signal,
      // A kept connection that the endpoint closed meanwhile would look like a lost answer.
      headers: { 'x-a7-call': asciiJson(request.coordinates), connection: 'close' },
    })
    .asResponse();
}

function requestBody(request: ModelRequest, dialect: Dialect): OpenAI.ChatCompletionCreateParams {
  const { messages, tools, answerSchema } = formRequest(
    request.messages,
    request.tools,
    request.model.toolCalls ?? 'native',
  );
  return {
    model: request.model.modelId,
    messages: [...messages],
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(answerSchema !== null && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'tool_call', schema: { ...answerSchema } },
      },
    }),
    [dialect.limitField]: outputLimit(request, dialect),
    ...(dialect.streams ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
  };
}

function outputLimit({ model }: ModelRequest, dialect: Dialect): number {
  return dialect.isUsualLimit === true
    ? (model.usualOutputTokens ?? model.maxOutputTokens)
    : model.maxOutputTokens;
}

async function readReply(
  response: Response,
  watch: Watch,
  client: OpenAI,
  tools: readonly string[],
): Promise<ChatReply> {
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType.includes('text/html')) {
    const message = `it answered ${String(response.status)} with a web page`;
    return { kind: 'failure', failure: { kind: 'foreign', message } };
  }
  return contentType.includes('text/event-stream')
    ? readStream(response, watch, client, tools)
    : readWhole(response, tools);
}

async function readWhole(response: Response, tools: readonly string[]): Promise<ChatReply> {
  const text = await response.text();
  const parsed = WireCompletion.safeParse(strictJson(text));
  const answer = parsed.success ? completionAnswer(parsed.data, tools) : garbageAnswer(text);
  return { kind: 'answer', answer };
}

async function readStream(
  response: Response,
  watch: Watch,
  client: OpenAI,
  tools: readonly string[],
): Promise<ChatReply> {
  let answer = EMPTY_ANSWER;
  try {
    for await (const event of Stream.fromSSEResponse<unknown>(response, new AbortController(), client)) {
      const chunk = WireChunk.safeParse(event);
      if (!chunk.success) return { kind: 'answer', answer: garbageAnswer(watch.raw()) };
      answer = addChunk(answer, chunk.data);
    }
  } catch (error) {
    // A line that is no JSON: the endpoint sent it whole, so nothing better can come.
    if (isSyntaxError(error)) return { kind: 'answer', answer: garbageAnswer(watch.raw()) };
    // Usage comes after the end of the answer: losing it does not lose the answer.
    if (answer.finishReason === null) throw error;
  }
  // Some endpoints tell no reason, and say by the mark of the protocol alone that the answer is whole.
  if (answer.finishReason === null && !isMarkedAsEnded(watch.last()))
    throw new Error('the stream ended before its answer did');
  return { kind: 'answer', answer: streamedAnswer(answer, tools) };
}

function isMarkedAsEnded(last: string): boolean {
  return /(?:^|\n)data: ?\[DONE\]\s*$/u.test(last);
}

function nextDialect(dialect: Dialect, failure: CallFailure, { model }: ModelRequest): Dialect | null {
  if (failure.kind !== 'status' || (failure.status !== 400 && failure.status !== 422)) return null;
  if (dialect.limitField === 'max_tokens' && failure.message.includes('max_completion_tokens')) {
    return { ...dialect, limitField: 'max_completion_tokens' };
  }
  const isRaised = model.usualOutputTokens !== undefined && dialect.isUsualLimit !== true;
  if (isRaised && /max_(completion_)?tokens|maximum|context/i.test(failure.message))
    return { ...dialect, isUsualLimit: true };
  return dialect.streams && /\bstream(ing|_options)?\b/i.test(failure.message)
    ? { ...dialect, streams: false }
    : null;
}

/** Header values are ASCII: everything else is escaped as JSON allows. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isSyntaxError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'SyntaxError';
}
