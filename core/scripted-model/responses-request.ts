/** OpenAI responses: a request as strictly as the API reads it, turned into the strict chat form. */
import { z } from 'zod';
import type { Translated } from './wire.ts';

const Part = z.looseObject({
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
const Item = z.union([Call, CustomCall, Output, Reasoning, Said]);

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
const Plain = z.union([FunctionTool, CustomTool]);
const Namespace = z.strictObject({
  type: z.literal('namespace'),
  name: z.string(),
  description: z.string().optional(),
  tools: z.array(Plain),
});

const ResponsesRequest = z.strictObject({
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

/** The request in the strict chat form. */
export function chatOfResponses(body: unknown): Translated {
  const parsed = ResponsesRequest.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map(String).join('.') ?? '';
    return { kind: 'refused', message: `Invalid '${at}': ${issue?.message ?? 'not valid'}`, param: at };
  }
  const { model, input, instructions, tools = [], stream, max_output_tokens: most } = parsed.data;
  const plain = tools.flatMap((tool): readonly z.infer<typeof Plain>[] =>
    tool.type === 'tool_search' ? [] : tool.type === 'namespace' ? tool.tools : [tool],
  );
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;
  return {
    kind: 'chat',
    body: {
      model,
      ...(typeof most === 'number' ? { max_completion_tokens: most } : {}),
      messages: [
        ...(instructions === undefined || instructions === null || instructions === ''
          ? []
          : [{ role: 'system', content: instructions }]),
        ...chatMessages(items),
      ],
      ...(plain.length === 0 ? {} : { tools: plain.map(chatTool) }),
      ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    },
    customTools: new Set(plain.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : []))),
  };
}

const FREE_TEXT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

function chatTool(tool: z.infer<typeof Plain>): unknown {
  const { name, description } = tool;
  const parameters = tool.type === 'custom' ? FREE_TEXT : (tool.parameters ?? { type: 'object' });
  return {
    type: 'function',
    function: { name, ...(typeof description === 'string' ? { description } : {}), parameters },
  };
}

interface Turn {
  role: 'assistant';
  content: string | null;
  tool_calls?: unknown[];
}

/** What the model said in a row is one message. */
function chatMessages(items: readonly z.infer<typeof Item>[]): unknown[] {
  const messages: unknown[] = [];
  let open: Turn | null = null;
  const turn = (): Turn => {
    if (open === null) messages.push((open = { role: 'assistant', content: null }));
    return open;
  };
  const call = (id: string, name: string, args: string): void => {
    const own = turn();
    own.tool_calls = [
      ...(own.tool_calls ?? []),
      { id, type: 'function', function: { name, arguments: args } },
    ];
  };
  for (const item of items) {
    if (item.type === 'function_call') call(item.call_id, item.name, item.arguments);
    else if (item.type === 'custom_tool_call')
      call(item.call_id, item.name, JSON.stringify({ input: item.input }));
    else if (item.type === 'reasoning' || item.type === 'compaction') continue;
    else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      open = null;
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: textIn(item.output) });
    } else if (item.role === 'assistant') {
      const own = turn();
      own.content = [own.content, textIn(item.content)].filter((text) => text !== null).join('\n');
    } else {
      open = null;
      messages.push({
        role: item.role === 'developer' ? 'system' : item.role,
        content: textIn(item.content),
      });
    }
  }
  return messages;
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return (content as z.infer<typeof Part>[]).map((part) => part.text ?? `[${part.type}]`).join('\n');
}
