/**
 * How a request asks for tool calls. Endpoints without tools of their own are asked in words, and answer in words:
 *
 *     {"name": "write_file", "arguments": {"path": "a.py", "content": "..."}}
 *
 * `native`: the request is as it is. `json_schema`: the endpoint holds the answer to a schema in which a call of an offered tool is
 * the only thing that can be written. `text`: the same call is asked for in a fence, and found in what comes.
 * Only the form on the wire differs: transcript, stored calls and their keys are the same in all three.
 */
import type { ChatMessage, ChatTool } from '../../schemas/model.ts';
import type { ToolCalls } from '../../schemas/config.ts';

export interface FormedRequest {
  readonly messages: readonly ChatMessage[];
  /** Empty: none is named. */
  readonly tools: readonly ChatTool[];
  /** JSON schema of the only answer that is allowed. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
}

/** Without tools nothing is changed: there is no call to ask for. */
export function formRequest(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  form: ToolCalls,
): FormedRequest {
  if (form === 'native' || tools.length === 0) return { messages, tools, answerSchema: null };
  return {
    messages: joined(withTools(messages.map(inWords), toolsText(tools, form))),
    tools: [],
    answerSchema: form === 'json_schema' ? callSchema(tools) : null,
  };
}

/** A call of one of the tools, and nothing else. */
function callSchema(tools: readonly ChatTool[]): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    anyOf: tools.map(({ function: { name, parameters } }) => ({
      type: 'object',
      properties: { name: { const: name }, arguments: withoutDialect(parameters) },
      required: ['name', 'arguments'],
      additionalProperties: false,
    })),
  };
}

/** `$schema` names the draft, which is of no use inside another schema. */
function withoutDialect({ $schema: _, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return rest;
}

function toolsText(tools: readonly ChatTool[], form: ToolCalls): string {
  const list = tools.map(({ function: { name, description, parameters } }) =>
    [`- ${name}: ${description ?? ''}`, `  arguments: ${JSON.stringify(withoutDialect(parameters))}`].join(
      '\n',
    ),
  );
  const example = '{"name": "TOOL", "arguments": {...}}';
  const how =
    form === 'json_schema'
      ? `Answer with one call of a tool, as one JSON object: ${example}`
      : `Answer with one call of a tool, as one JSON object in a fence, and nothing after it:\n\`\`\`json\n${example}\n\`\`\``;
  return ['You work by calling tools. These are the tools:', ...list, how].join('\n');
}

/** The first system message carries the tools; where there is none, one is put in front. */
function withTools(messages: readonly ChatMessage[], text: string): readonly ChatMessage[] {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${text}` }, ...rest]
    : [{ role: 'system', content: text }, ...messages];
}

/** Calls as the model is to write them, results as a person would tell them. */
function inWords(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { role: 'user', content: `Result of your call:\n${message.content}` };
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map(
    ({ function: { name, arguments: input } }) =>
      `{"name": ${JSON.stringify(name)}, "arguments": ${input || '{}'}}`,
  );
  return {
    role: 'assistant',
    content: [message.content ?? '', ...calls].filter((text) => text !== '').join('\n'),
  };
}

/** Templates of many models refuse two messages of one side in a row. */
function joined(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const found: ChatMessage[] = [];
  for (const message of messages) {
    const last = found.at(-1);
    if (last !== undefined && last.role === message.role && last.role !== 'tool')
      found.splice(-1, 1, { ...last, content: `${last.content ?? ''}\n\n${message.content ?? ''}` });
    else found.push(message);
  }
  return found;
}
