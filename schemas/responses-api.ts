/** Requests of the OpenAI responses API, as strictly as it reads them. */
import { z } from 'zod';

export const Part = z.looseObject({
  type: z.enum(['input_text', 'output_text', 'text', 'refusal', 'input_image', 'input_file']),
  text: z.string().optional(),
});
const Said = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(Part)]),
});
const Call = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: z.string(),
  arguments: z.string(),
});
const CustomCall = z.looseObject({
  type: z.literal('custom_tool_call'),
  call_id: z.string().min(1),
  name: z.string(),
  input: z.string(),
});
const Output = z.looseObject({
  type: z.enum(['function_call_output', 'custom_tool_call_output']),
  call_id: z.string().min(1),
  output: z.union([z.string(), z.array(Part)]),
});
const Reasoning = z.looseObject({ type: z.enum(['reasoning', 'compaction']) });
export const Item = z.union([Call, CustomCall, Output, Reasoning, Said]);

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  output_schema: z.unknown().optional(),
});
const CustomTool = z.strictObject({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string().optional(),
  format: z.record(z.string(), z.unknown()).optional(),
});
/** Finds tools among those that the agent has not sent yet; the agent carries it out. */
const SearchTool = z.looseObject({ type: z.literal('tool_search'), execution: z.literal('client') });
export const Plain = z.union([FunctionTool, CustomTool]);
const Namespace = z.strictObject({
  type: z.literal('namespace'),
  name: z.string(),
  description: z.string().optional(),
  tools: z.array(Plain),
});

export const ResponsesRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(Item).min(1)]),
  instructions: z.string().nullish(),
  tools: z.array(z.union([Plain, Namespace, SearchTool])).optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_output_tokens: z.int().min(16).nullish(),
  reasoning: z.record(z.string(), z.unknown()).nullish(),
  text: z.record(z.string(), z.unknown()).optional(),
  store: z.boolean().optional(),
  stream: z.boolean().optional(),
  include: z.array(z.string()).optional(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  truncation: z.string().nullish(),
  prompt_cache_key: z.string().optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().optional(),
});
export type Part = z.infer<typeof Part>;
export type Item = z.infer<typeof Item>;
export type Plain = z.infer<typeof Plain>;
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
