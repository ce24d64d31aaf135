/** From a rule and a request to the message that the server sends, or to the reason why the script is wrong. */
import type { CallCoordinates, ChatToolCall } from '../../schemas/model.ts';
import type { ScriptAnswer, ScriptToolCall } from '../../schemas/model-script.ts';
import type { StrictChatRequest } from '../../schemas/model-request.ts';
import { type RenderedCall, unseenUses } from './evidence.ts';
import { fillPatterns } from './pattern.ts';
import { type RequestText, readRequestText } from './request-text.ts';

export interface RenderedAnswer {
  readonly text: string | null;
  readonly toolCalls: readonly ChatToolCall[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly cachedTokens: number;
  } | null;
}

export type Rendering =
  | { readonly kind: 'answer'; readonly answer: RenderedAnswer }
  | { readonly kind: 'script_error'; readonly message: string };

/** Mean of English and code, for usage that a script does not state. */
const CHARS_PER_TOKEN = 4;

export function renderAnswer(
  script: ScriptAnswer,
  request: StrictChatRequest,
  at: CallCoordinates,
  ruleName: string,
): Rendering {
  const requestText = readRequestText(request.messages);
  const text = fillPatterns(script.text ?? null, requestText);
  if (text.kind === 'missing') return scriptError(ruleName, [text.message]);
  const calls = script.tool_calls.map((call, index) => renderCall(call, index, at, requestText));
  const missing = calls.flatMap((call) => (call.kind === 'missing' ? [call.message] : []));
  if (missing.length > 0) return scriptError(ruleName, missing);
  const rendered = calls.flatMap((call) => (call.kind === 'call' ? [call] : []));
  const offeredTools = (request.tools ?? []).map((tool) => tool.function.name);
  const unseen = script.hostile
    ? []
    : unseenUses(
        rendered.map((call) => call.parsed),
        { request: requestText, offeredTools, role: at.role },
      );
  if (unseen.length > 0) return scriptError(ruleName, unseen);
  return {
    kind: 'answer',
    answer: finished(
      script,
      request,
      text.value,
      rendered.map((call) => call.wire),
    ),
  };
}

type CallRendering =
  | { readonly kind: 'call'; readonly wire: ChatToolCall; readonly parsed: RenderedCall }
  | { readonly kind: 'missing'; readonly message: string };

function renderCall(
  call: ScriptToolCall,
  index: number,
  at: CallCoordinates,
  request: RequestText,
): CallRendering {
  const filled = fillPatterns(call.arguments ?? {}, request);
  if (filled.kind === 'missing') return filled;
  const parsed =
    call.arguments_raw === undefined ? (filled.value as Readonly<Record<string, unknown>>) : null;
  const id = `call_${String(at.dispatch)}_${String(at.turn)}_${String(index + 1)}`;
  const json = call.arguments_raw ?? JSON.stringify(parsed);
  const wire: ChatToolCall = { id, type: 'function', function: { name: call.name, arguments: json } };
  return { kind: 'call', wire, parsed: { name: call.name, arguments: parsed } };
}

function finished(
  script: ScriptAnswer,
  request: StrictChatRequest,
  text: unknown,
  toolCalls: readonly ChatToolCall[],
): RenderedAnswer {
  const content = typeof text === 'string' ? text : null;
  const usage = script.usage ?? {
    prompt_tokens: tokensIn(JSON.stringify([request.messages, request.tools ?? []])),
    completion_tokens: tokensIn((content ?? '') + toolCalls.map((call) => call.function.arguments).join('')),
    cached_tokens: 0,
  };
  return {
    text: content ?? (toolCalls.length === 0 ? '' : null),
    toolCalls,
    finishReason: script.finish_reason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: script.omit_usage
      ? null
      : {
          promptTokens: usage.prompt_tokens,
          completionTokens: usage.completion_tokens,
          cachedTokens: usage.cached_tokens,
        },
  };
}

function tokensIn(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}

function scriptError(ruleName: string, reasons: readonly string[]): Rendering {
  return { kind: 'script_error', message: `Script ${ruleName} cannot be honest here: ${reasons.join('; ')}` };
}
