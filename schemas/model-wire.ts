/** What an OpenAI-compatible endpoint sends, as far as it is read. Unknown fields are let through: endpoints add their own. */
import { z } from 'zod';

const Count = z.int().min(0).nullish();

export const WireUsage = z.object({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  prompt_tokens_details: z.object({ cached_tokens: Count }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: Count }).nullish(),
});
export type WireUsage = z.infer<typeof WireUsage>;

/** Arguments are a JSON text; some endpoints send the object itself. */
const WireFunction = z.object({
  name: z.string().nullish(),
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
    .nullish(),
});

const WireToolCall = z.object({
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  function: WireFunction.nullish(),
});

/** A text, or its parts: those that are text count. */
const WireContent = z.union([
  z.string(),
  z
    .array(z.union([z.string(), z.object({ text: z.string().nullish() })]))
    .transform((parts) =>
      parts.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join(''),
    ),
]);

/** What a message or a piece of it holds. `function_call` is the form before tools. */
const WireMessage = z.object({
  content: WireContent.nullish(),
  function_call: WireFunction.nullish(),
});

/** One event of a stream. */
export const WireChunk = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        index: z.int().nullish(),
        delta: WireMessage.extend({
          tool_calls: z.array(WireToolCall.extend({ index: z.int().min(0).nullish() })).nullish(),
        }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: WireUsage.nullish().catch(null),
});
export type WireChunk = z.infer<typeof WireChunk>;

/** A whole answer. */
export const WireCompletion = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        message: WireMessage.extend({ tool_calls: z.array(WireToolCall).nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: WireUsage.nullish().catch(null),
});
export type WireCompletion = z.infer<typeof WireCompletion>;

/** What the question of `models --check` asks a tool to be called with. */
export const ProbeArguments = z.object({ path: z.string(), content: z.string() });
