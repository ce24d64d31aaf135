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

const WireToolCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

/** One event of a stream. */
export const WireChunk = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        index: z.int().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z.array(WireToolCall.extend({ index: z.int().min(0).nullish() })).nullish(),
          })
          .nullish(),
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
        message: z.object({ content: z.string().nullish(), tool_calls: z.array(WireToolCall).nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: WireUsage.nullish().catch(null),
});
export type WireCompletion = z.infer<typeof WireCompletion>;
