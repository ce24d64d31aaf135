/** Requests of the Anthropic messages API, as strictly as it reads them. */
import { z } from 'zod';

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

export const MessagesRequest = z.strictObject({
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
export type MessagesRequest = z.infer<typeof MessagesRequest>;
