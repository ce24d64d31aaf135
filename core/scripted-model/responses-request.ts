/** OpenAI responses: a request as strictly as the API reads it, turned into the strict chat form. */
import { type Item, type Part, type Plain, ResponsesRequest } from '../../schemas/responses-api.ts';
import type { Translated } from './wire.ts';

/** The request in the strict chat form. */
export function chatOfResponses(body: unknown): Translated {
  const parsed = ResponsesRequest.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = issue?.path.map(String).join('.') ?? '';
    return { kind: 'refused', message: `Invalid '${at}': ${issue?.message ?? 'not valid'}`, param: at };
  }
  const { model, input, instructions, tools = [], stream, max_output_tokens: most } = parsed.data;
  const plain = tools.flatMap((tool): readonly Plain[] =>
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

function chatTool(tool: Plain): unknown {
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
function chatMessages(items: readonly Item[]): unknown[] {
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
  return (content as Part[]).map((part) => part.text ?? `[${part.type}]`).join('\n');
}
