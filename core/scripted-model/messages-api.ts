/** Anthropic messages: a request as strictly as the API reads it, turned into the strict chat form, and answers turned back. */
import { MessagesRequest } from '../../schemas/messages-api.ts';
import type { RenderedAnswer } from './answer.ts';
import { type Translated, textPieces, type WireOptions } from './wire.ts';

/** The request in the strict chat form. */
export function chatOfMessages(body: unknown): Translated {
  const parsed = MessagesRequest.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map(String).join('.') ?? '';
    return { kind: 'refused', message: `${at}: ${issue?.message ?? 'not valid'}`, param: at };
  }
  const { model, max_tokens, messages, system, tools, stream } = parsed.data;
  const told = textIn(system);
  return {
    kind: 'chat',
    body: {
      model,
      max_completion_tokens: max_tokens,
      messages: [
        ...(told === '' ? [] : [{ role: 'system', content: told }]),
        ...messages.flatMap((message) => chatMessages(message)),
      ],
      ...(tools === undefined || tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, input_schema: parameters }) => ({
              type: 'function',
              function: { name, ...(description === undefined ? {} : { description }), parameters },
            })),
          }),
      ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    },
    customTools: new Set(),
  };
}

/** Results of tools answer the message before; words beside them follow. */
function chatMessages(message: MessagesRequest['messages'][number]): unknown[] {
  const { role, content } = message;
  if (typeof content === 'string') return [{ role, content }];
  if (role === 'assistant') {
    const calls = content.flatMap((part) =>
      part.type === 'tool_use'
        ? [
            {
              id: part.id,
              type: 'function',
              function: { name: part.name, arguments: JSON.stringify(part.input) },
            },
          ]
        : [],
    );
    const text = textIn(content);
    return [
      {
        role,
        content: text === '' && calls.length > 0 ? null : text,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      },
    ];
  }
  const results = content.flatMap((part) =>
    part.type === 'tool_result'
      ? [{ role: 'tool', tool_call_id: part.tool_use_id, content: textIn(part.content) }]
      : [],
  );
  const text = textIn(content);
  return [...results, ...(text === '' ? [] : [{ role, content: text }])];
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { readonly type: string; readonly text?: string }[])
    .flatMap((part) =>
      part.type === 'text'
        ? [part.text ?? '']
        : part.type === 'image' || part.type === 'document'
          ? [`[${part.type}]`]
          : [],
    )
    .join('\n');
}

const STOPS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' };

/** The body of an answer without a stream. */
export function messageBody(answer: RenderedAnswer, options: WireOptions): Record<string, unknown> {
  return {
    ...head(answer, options),
    content: blocksOf(answer),
    stop_reason: STOPS[answer.finishReason],
    usage: usageOf(answer),
  };
}

/** The events of a streamed answer. */
export function messageEvents(answer: RenderedAnswer, options: WireOptions): readonly string[] {
  const event = (type: string, fields: Record<string, unknown> = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}`;
  const usage = usageOf(answer);
  const blocks = blocksOf(answer).flatMap((block, index) => {
    const json = block.type === 'tool_use' ? JSON.stringify(block.input) : '';
    const start = block.type === 'tool_use' ? { ...block, input: {} } : { ...block, text: '' };
    const deltas =
      block.type === 'tool_use'
        ? textPieces(json).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
        : textPieces(block.text).map((text) => ({ type: 'text_delta', text }));
    return [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
  });
  return [
    event('message_start', {
      message: {
        ...head(answer, options),
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    ...blocks,
    event('message_delta', {
      delta: { stop_reason: STOPS[answer.finishReason], stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop'),
  ];
}

function head(_answer: RenderedAnswer, { id, model }: WireOptions): Record<string, unknown> {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf({ text, toolCalls }: RenderedAnswer): Block[] {
  return [
    ...(text === null || text === '' ? [] : [{ type: 'text', text } as const]),
    ...toolCalls.map(({ id, function: { name, arguments: json } }) => {
      return { type: 'tool_use', id, name, input: JSON.parse(json) as unknown } as const;
    }),
  ];
}

function usageOf({ usage }: RenderedAnswer): Record<string, number> & { output_tokens: number } {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = usage ?? {};
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  };
}
