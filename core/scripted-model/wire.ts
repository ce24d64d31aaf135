/** The answer as the API writes it: a whole completion, or the events of a stream. */
import type { RenderedAnswer } from './answer.ts';

const TEXT_CHARS_PER_EVENT = 40;

/** A request of another protocol, turned into the chat form that is checked and matched. */
export type Translated =
  | {
      readonly kind: 'chat';
      readonly body: unknown;
      /** Tools whose argument is free text. */
      readonly customTools: ReadonlySet<string>;
    }
  | { readonly kind: 'refused'; readonly message: string; readonly param: string };

export interface WireOptions {
  /** For example `chatcmpl-7`. */
  readonly id: string;
  readonly model: string;
  readonly createdSeconds: number;
}

/** The body of an answer without a stream. */
export function completionBody(answer: RenderedAnswer, options: WireOptions): Record<string, unknown> {
  return {
    id: options.id,
    object: 'chat.completion',
    created: options.createdSeconds,
    model: options.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text,
          refusal: null,
          ...(answer.toolCalls.length > 0 && { tool_calls: answer.toolCalls }),
        },
        logprobs: null,
        finish_reason: answer.finishReason,
      },
    ],
    ...(answer.usage !== null && { usage: usageBody(answer.usage) }),
  };
}

/** The `data:` payloads of a streamed answer, `[DONE]` last. */
export function streamEvents(
  answer: RenderedAnswer,
  options: WireOptions,
  includeUsage: boolean,
): readonly string[] {
  const event = (choices: unknown[], rest: Record<string, unknown> = {}): string =>
    JSON.stringify({
      id: options.id,
      object: 'chat.completion.chunk',
      created: options.createdSeconds,
      model: options.model,
      choices,
      ...rest,
    });
  const delta = (value: Record<string, unknown>, finishReason: string | null = null): string =>
    event([{ index: 0, delta: value, logprobs: null, finish_reason: finishReason }]);
  const calls = answer.toolCalls.flatMap((call, index) => [
    delta({
      tool_calls: [
        { index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } },
      ],
    }),
    ...textPieces(call.function.arguments).map((text) =>
      delta({ tool_calls: [{ index, function: { arguments: text } }] }),
    ),
  ]);
  return [
    delta({ role: 'assistant', content: answer.text === null ? null : '' }),
    ...textPieces(answer.text ?? '').map((text) => delta({ content: text })),
    ...calls,
    delta({}, answer.finishReason),
    ...(includeUsage && answer.usage !== null ? [event([], { usage: usageBody(answer.usage) })] : []),
    '[DONE]',
  ];
}

/** Cut between characters, never inside one. */
export function textPieces(text: string): readonly string[] {
  const chars = [...text];
  const count = Math.ceil(chars.length / TEXT_CHARS_PER_EVENT);
  return Array.from({ length: count }, (_, index) =>
    chars.slice(index * TEXT_CHARS_PER_EVENT, (index + 1) * TEXT_CHARS_PER_EVENT).join(''),
  );
}

function usageBody(usage: NonNullable<RenderedAnswer['usage']>): Record<string, unknown> {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  };
}
