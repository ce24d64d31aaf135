/** The question that shows how an endpoint can call tools, and what its answer proves. */
import type { ChatMessage, ChatTool, StoredAnswer } from '../../schemas/model.ts';
import type { ToolCalls } from '../../schemas/config.ts';
import { ProbeArguments } from '../../schemas/model-wire.ts';
import { strictJson } from '../text/strict-json.ts';

/** Best first: what an endpoint does by itself needs no words of ours. */
export const TOOL_FORMS: readonly ToolCalls[] = ['native', 'json_schema', 'text'];

const PATH = 'notes/first.txt';
/** A line break and quotes: what code is full of. */
const TEXT = 'say "hello"\nand go';

export const PROBE_MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'You are a careful assistant that works by calling tools.' },
  {
    role: 'user',
    content: `Call the tool write_file once. Its path is ${PATH} and its content is these two lines:\n${TEXT}`,
  },
];

export const PROBE_TOOLS: readonly ChatTool[] = [
  {
    type: 'function',
    function: {
      name: 'write_file',
      description: 'Write a file, whole.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'list_files',
      description: 'List the files.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
  },
];

/** Null: the call is as it was asked for. */
export function probeFault(answer: StoredAnswer): string | null {
  if (answer.garbage !== null) return 'the answer is no chat completion';
  const calls = answer.message.tool_calls ?? [];
  const [call] = calls;
  if (call === undefined)
    return answer.finishReason === 'length'
      ? 'the answer was cut before a call'
      : 'it answers with text and calls no tool';
  if (call.function.name !== 'write_file') return `it calls ${call.function.name} instead of write_file`;
  const read = ProbeArguments.safeParse(strictJson(call.function.arguments));
  if (!read.success) return 'the arguments of its call do not fit the tool';
  if (!read.data.path.endsWith('first.txt')) return `it writes to "${read.data.path.slice(0, 60)}"`;
  const lines = read.data.content.trim().split(/\r?\n/u);
  return lines.length === 2 && lines[0]?.includes('"hello"') === true
    ? null
    : 'it does not write the text that it was given';
}
