/** What an answer that passes a door says of its tokens, and whether it came to its end. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import { isRecord } from '../text/is-record.ts';

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

/** In what a model says the same letters stand behind backslashes. */
const USAGE = /"usage"\s*:\s*\{/;

/** Parts of an answer: one whole body, or of a stream the events that tell of usage, and the last one. */
export interface AnswerParts {
  readonly isStream: boolean;
  readonly parts: readonly unknown[];
}

export function answerParts(text: string): AnswerParts {
  if (text.trimStart().startsWith('{')) return { isStream: false, parts: [parsed(text)] };
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  const parts = lines
    .filter((line, at) => at === lines.length - 1 || USAGE.test(line))
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

/**
 * Null where it told none, or no whole one: a count that is missing, or zero for a question and an answer that were, is nobody's
 * word, and the worst case stands. Later words stand above earlier ones.
 */
export function usageOf({ isStream, parts }: AnswerParts, protocol: ModelProtocol): DoorUsage | null {
  const usages = (list: readonly unknown[]): Told =>
    list.map((part) => usageRecord(part, protocol)).filter((usage) => usage !== null);
  const told = usages(parts);
  // A stream of Anthropic begins with a guess of its output; only its end knows.
  const isGuessed = protocol === 'anthropic' && isStream;
  const ended = isGuessed
    ? usages(parts.filter((part) => isRecord(part) && part['type'] === 'message_delta'))
    : told;
  const usage = countsOf(told, ended, protocol);
  return usage.inputTokens > 0 && usage.outputTokens > 0 ? usage : null;
}

/** No model reads or writes more in one call: a larger count is nobody's word, and no record could hold it. */
const COUNT_MAX = 1_000_000_000;

type Told = readonly Readonly<Record<string, unknown>>[];

/** Zero for what none of them tells. */
function numberIn(told: Told, ...path: readonly string[]): number {
  for (const usage of told.toReversed()) {
    let value: unknown = usage;
    for (const name of path) value = isRecord(value) ? value[name] : undefined;
    if (typeof value === 'number' && value >= 0 && value <= COUNT_MAX) return Math.round(value);
  }
  return 0;
}

function countsOf(told: Told, ended: Told, protocol: ModelProtocol): DoorUsage {
  if (protocol !== 'anthropic') {
    const [into, out] =
      protocol === 'chat'
        ? (['prompt_tokens', 'completion_tokens'] as const)
        : (['input_tokens', 'output_tokens'] as const);
    return {
      inputTokens: numberIn(told, into),
      cachedInputTokens: numberIn(told, `${into}_details`, 'cached_tokens'),
      outputTokens: numberIn(told, out),
      cacheWriteSurcharge: 0,
    };
  }
  const written = numberIn(told, 'cache_creation_input_tokens');
  const read = numberIn(told, 'cache_read_input_tokens');
  const forAnHour = Math.min(written, numberIn(told, 'cache_creation', 'ephemeral_1h_input_tokens'));
  return {
    inputTokens: numberIn(told, 'input_tokens') + written + read,
    cachedInputTokens: read,
    outputTokens: numberIn(ended, 'output_tokens'),
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
