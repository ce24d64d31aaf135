/** Anthropic messages: a request as strictly as the API reads it, turned into the strict chat form, and answers turned back. */
import { z } from 'zod';
import type { RenderedAnswer } from './answer.ts';
import { type Translated, textPieces, type WireOptions } from './wire.ts';

const Cache = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  cache_control: Cache.nullish(),
  citations: z.array(z.unknown()).nullish(),
});
const Source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
]);
const Media = z.looseObject({ type: z.enum(['image', 'document']), source: Source });
const Result = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.union([z.string(), z.array(z.union([Text, Media]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: Cache.nullish(),
});
const Use = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: z.looseObject({ type: z.literal('direct') }).optional(),
  cache_control: Cache.nullish(),
});
const Thinking = z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) });
const Message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.enum(['user', 'system']),
    content: z.union([z.string().min(1), z.array(z.union([Text, Media, Result])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(z.union([Text, Use, Thinking])).min(1)]),
  }),
]);
const Tool = z.strictObject({
  type: z.literal('custom').optional(),
  name: z.string(),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
  cache_control: Cache.nullish(),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
});

const MessagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  thinking: z.looseObject({ type: z.enum(['enabled', 'disabled', 'adaptive']) }).optional(),
  output_config: z.record(z.string(), z.unknown()).optional(),
  context_management: z.record(z.string(), z.unknown()).optional(),
  cache_control: Cache.optional(),
});
type MessagesRequest = z.infer<typeof MessagesRequest>;

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
