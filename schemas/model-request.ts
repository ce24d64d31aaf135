/** A chat completions request as strictly as the real API reads it; used by the scripted model server. */
import { z } from 'zod';
import { ChatMessage, ChatTool } from './model.ts';

export const StrictChatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(ChatTool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).optional(),
  user: z.string().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
});
export type StrictChatRequest = z.infer<typeof StrictChatRequest>;
