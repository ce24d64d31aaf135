/** What an answer that passes a door says of its tokens, and whether it came to its end. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';

/** Tokens as they are billed. */
export interface DoorUsage {
  /** Of the prompt, read from a cache or not. */
  readonly inputTokens: number;
  /** Part of `inputTokens`. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** What writing a cache costs beyond the price of the input, in input tokens. */
  readonly cacheWriteSurcharge: number;
}

/** Parts of an answer: one whole body, or the events of a stream. */
export interface AnswerParts {
  readonly isStream: boolean;
  readonly parts: readonly unknown[];
}

export function answerParts(text: string): AnswerParts {
  if (text.trimStart().startsWith('{')) return { isStream: false, parts: [parsed(text)] };
  const parts = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => (line.slice(5).trim() === '[DONE]' ? '[DONE]' : parsed(line.slice(5))));
  return { isStream: true, parts };
}

/** True when its last word has come: a cut stream is no answer that may be given again. */
export function isComplete({ isStream, parts }: AnswerParts, protocol: ModelProtocol): boolean {
  const last = parts.at(-1);
  if (!isStream) return isRecord(last);
  if (protocol === 'chat') return last === '[DONE]';
  const type = isRecord(last) ? last['type'] : null;
  return protocol === 'anthropic'
    ? type === 'message_stop'
    : type === 'response.completed' || type === 'response.incomplete';
}

/** Null where it told none. Later words stand above earlier ones. */
export function usageOf({ parts }: AnswerParts, protocol: ModelProtocol): DoorUsage | null {
  const told = parts.flatMap((part) => usageRecord(part, protocol) ?? []);
  if (told.length === 0) return null;
  const number = (...path: string[]): number => {
    for (const usage of told.toReversed()) {
      let value: unknown = usage;
      for (const name of path) value = isRecord(value) ? value[name] : undefined;
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.round(value);
    }
    return 0;
  };
  if (protocol === 'chat')
    return {
      inputTokens: number('prompt_tokens'),
      cachedInputTokens: number('prompt_tokens_details', 'cached_tokens'),
      outputTokens: number('completion_tokens'),
      cacheWriteSurcharge: 0,
    };
  if (protocol === 'responses')
    return {
      inputTokens: number('input_tokens'),
      cachedInputTokens: number('input_tokens_details', 'cached_tokens'),
      outputTokens: number('output_tokens'),
      cacheWriteSurcharge: 0,
    };
  const written = number('cache_creation_input_tokens');
  const read = number('cache_read_input_tokens');
  const forAnHour = Math.min(written, number('cache_creation', 'ephemeral_1h_input_tokens'));
  return {
    inputTokens: number('input_tokens') + written + read,
    cachedInputTokens: read,
    outputTokens: number('output_tokens'),
    // A write costs a quarter more than input, one that is kept for an hour twice as much.
    cacheWriteSurcharge: Math.ceil((written - forAnHour) / 4) + forAnHour,
  };
}

function usageRecord(part: unknown, protocol: ModelProtocol): Record<string, unknown> | null {
  if (!isRecord(part)) return null;
  const holder =
    protocol === 'anthropic'
      ? (part['message'] ?? part)
      : protocol === 'responses'
        ? (part['response'] ?? part)
        : part;
  const usage = isRecord(holder) ? holder['usage'] : null;
  return isRecord(usage) ? usage : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
