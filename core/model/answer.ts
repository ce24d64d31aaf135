/** From the endpoint's words to one stored answer: whole completions, and streams put together chunk by chunk. */
import type { FinishReason, ModelUsage, StoredAnswer } from '../../schemas/model.ts';
import type { WireChunk, WireCompletion, WireUsage } from '../../schemas/model-wire.ts';
import { textCalls } from './text-calls.ts';

const GARBAGE_CHARS_MAX = 4000;
/** Tool calls that one answer may carry; more are cut and the answer reads as garbage. */
const TOOL_CALLS_MAX = 128;

interface PartialCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A stream so far. `isEnded` once a finish reason came: only then is the answer whole. */
export interface PartialAnswer {
  readonly responseId: string | null;
  readonly model: string | null;
  /** Null until text came. */
  readonly text: string | null;
  readonly calls: ReadonlyMap<number, PartialCall>;
  readonly finishReason: string | null;
  readonly usage: ModelUsage | null;
}

export const EMPTY_ANSWER: PartialAnswer = {
  responseId: null,
  model: null,
  text: null,
  calls: new Map(),
  finishReason: null,
  usage: null,
};

/** Adds one event of the stream. Only the first choice is read. */
export function addChunk(answer: PartialAnswer, chunk: WireChunk): PartialAnswer {
  const choice = chunk.choices.find((entry) => (entry.index ?? 0) === 0);
  const text = choice?.delta?.content ?? '';
  return {
    responseId: answer.responseId ?? chunk.id ?? null,
    model: answer.model ?? chunk.model ?? null,
    text: text === '' ? answer.text : (answer.text ?? '') + text,
    calls: addCalls(answer.calls, callsOf(choice?.delta ?? null)),
    finishReason: choice?.finish_reason ?? answer.finishReason,
    usage: chunk.usage ? readUsage(chunk.usage) : answer.usage,
  };
}

/** The answer of an ended stream. `tools`: those that were offered, whose calls are found in a text, too. */
export function streamedAnswer(answer: PartialAnswer, tools: readonly string[] = []): StoredAnswer {
  const calls = [...answer.calls.entries()].sort(([left], [right]) => left - right).map(([, call]) => call);
  return storedAnswer(
    {
      content: answer.text,
      calls,
      finishReason: answer.finishReason,
      usage: answer.usage,
      responseId: answer.responseId,
      model: answer.model,
    },
    tools,
  );
}

/** The answer of a whole completion. */
export function completionAnswer(completion: WireCompletion, tools: readonly string[] = []): StoredAnswer {
  const choice = completion.choices[0];
  return storedAnswer(
    {
      content: choice?.message.content ?? null,
      calls: callsOf(choice?.message ?? null).map((call) => ({
        id: call.id ?? '',
        name: call.function?.name ?? '',
        arguments: call.function?.arguments ?? '',
      })),
      finishReason: choice?.finish_reason ?? null,
      usage: completion.usage ? readUsage(completion.usage) : null,
      responseId: completion.id ?? null,
      model: completion.model ?? null,
    },
    tools,
  );
}

/** A paid answer that is no completion: kept as it came, for whoever reads it. */
export function garbageAnswer(raw: string): StoredAnswer {
  return {
    version: 1,
    message: { role: 'assistant', content: null },
    finishReason: 'garbage',
    usage: null,
    provider: { responseId: null, model: null },
    garbage: raw.slice(0, GARBAGE_CHARS_MAX),
  };
}

interface AnswerParts {
  readonly content: string | null;
  readonly calls: readonly PartialCall[];
  readonly finishReason: string | null;
  readonly usage: ModelUsage | null;
  readonly responseId: string | null;
  readonly model: string | null;
}

function storedAnswer(received: AnswerParts, tools: readonly string[]): StoredAnswer {
  const parts = withTextCalls(received, tools);
  const toolCalls = parts.calls.slice(0, TOOL_CALLS_MAX).map((call, index) => ({
    id: uniqueId(call.id, index, parts.calls),
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  const tooMany = parts.calls.length > TOOL_CALLS_MAX;
  return {
    version: 1,
    message: {
      role: 'assistant',
      content: parts.content,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    finishReason: tooMany ? 'garbage' : readFinishReason(parts.finishReason),
    usage: parts.usage,
    provider: { responseId: parts.responseId, model: parts.model },
    garbage: tooMany
      ? `${String(parts.calls.length)} tool calls, at most ${String(TOOL_CALLS_MAX)} are read`
      : null,
  };
}

/** An answer without calls may hold them as text. */
function withTextCalls(parts: AnswerParts, tools: readonly string[]): AnswerParts {
  if (parts.calls.length > 0 || parts.content === null) return parts;
  const { calls, text } = textCalls(parts.content, tools, parts.finishReason === 'length');
  if (calls.length === 0) return parts;
  return { ...parts, content: text === '' ? null : text, calls: calls.map((call) => ({ id: '', ...call })) };
}

type WireCalls = NonNullable<NonNullable<WireChunk['choices'][number]['delta']>['tool_calls']>;

function callsOf(
  message: Pick<NonNullable<WireChunk['choices'][number]['delta']>, 'tool_calls' | 'function_call'> | null,
): WireCalls {
  const calls = message?.tool_calls ?? [];
  const former = message?.function_call ?? null;
  return former === null || calls.length > 0 ? calls : [{ function: former }];
}

/** Some endpoints leave ids out or repeat them; the conversation needs one for each call. */
function uniqueId(id: string, index: number, calls: readonly PartialCall[]): string {
  const isUsable = id !== '' && id.length <= 200 && calls.findIndex((call) => call.id === id) === index;
  return isUsable ? id : `call_${String(index)}`;
}

function addCalls(
  calls: ReadonlyMap<number, PartialCall>,
  deltas: WireCalls,
): ReadonlyMap<number, PartialCall> {
  if (deltas.length === 0) return calls;
  const next = new Map(calls);
  for (const [position, delta] of deltas.entries()) {
    const index = delta.index ?? position;
    const before = next.get(index) ?? { id: '', name: '', arguments: '' };
    next.set(index, {
      id: before.id === '' ? (delta.id ?? '') : before.id,
      name: before.name === '' ? (delta.function?.name ?? '') : before.name,
      arguments: before.arguments + (delta.function?.arguments ?? ''),
    });
  }
  return next;
}

function readUsage(usage: WireUsage): ModelUsage {
  return {
    inputTokens: usage.prompt_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

function readFinishReason(reason: string | null): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason;
    default:
      return 'other';
  }
}
