/** Parts of messages that may leave an agent's room: words, and pictures or documents whose bytes are in the body. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import { isRecord } from '../text/is-record.ts';
import { writingProblem } from './door-names.ts';
import { toolsProblem } from './door-tools.ts';

type Part = Readonly<Record<string, unknown>>;
/** Null: nothing in it leads anywhere; else why not. */
type Check = (part: Part) => string | null;

export const DEPTH_MAX = 32;

const plain: Check = () => null;
const source: Check = ({ source: from }) =>
  isRecord(from) && ['base64', 'text', 'content'].includes(String(from['type']))
    ? null
    : 'a source that the endpoint would fetch';
const image: Check = (part) => {
  const held = part['image_url'];
  const url = isRecord(held) ? held['url'] : held;
  return part['file_id'] === undefined && typeof url === 'string' && url.startsWith('data:')
    ? null
    : 'an address that the endpoint would fetch';
};
const file: Check = (part) => {
  const held = isRecord(part['file']) ? part['file'] : part;
  return held['file_id'] === undefined &&
    held['file_url'] === undefined &&
    typeof held['file_data'] === 'string'
    ? null
    : 'a file that is not in the body';
};

const all = (names: string): Record<string, Check> =>
  Object.fromEntries(names.split(' ').map((name) => [name, plain]));

const PARTS: Readonly<Record<ModelProtocol, Readonly<Record<string, Check>>>> = {
  anthropic: {
    ...all('text tool_use tool_result thinking redacted_thinking'),
    image: source,
    document: source,
  },
  chat: { ...all('text refusal thinking input_audio'), image_url: image, file },
  responses: {
    ...all('message input_text output_text text refusal summary_text reasoning_text reasoning compaction'),
    ...all('function_call function_call_output custom_tool_call custom_tool_call_output'),
    ...all('local_shell_call local_shell_call_output shell_call shell_call_output'),
    ...all('apply_patch_call apply_patch_call_output'),
    ...all('tool_search_call'),
    tool_search_output: ({ tools }) =>
      toolsProblem(tools, 'responses') === null ? null : 'tools that the endpoint carries out',
    input_image: image,
    input_file: file,
  },
};

/** Fields of a part that hold further parts. */
export const HOLDERS = ['content', 'output', 'summary'];
/** What a shell said: a list of plain records. */
const SHELL_OUTPUT = 'shell_call_output';

/** Why a message may not leave; null where it may. */
export function partsProblem(value: unknown, protocol: ModelProtocol, depth = 0): string | null {
  if (depth > DEPTH_MAX) return 'The messages are nested too deeply';
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) {
      const problem = partsProblem(each, protocol, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }
  if (!isRecord(value)) return null;
  const { type, source: from } = value;
  for (const each of [value, from, value['image_url'], value['file']]) {
    const problem = writingProblem(each);
    if (problem !== null) return problem;
  }
  // Whatever has a type is a part of that type; only a message has none, but a role.
  if (type !== undefined || value['role'] === undefined) {
    const check =
      typeof type === 'string' && Object.hasOwn(PARTS[protocol], type) ? PARTS[protocol][type] : undefined;
    if (check === undefined) return `A part of type "${String(type).slice(0, 60)}" does not pass this door`;
    const problem = check(value);
    if (problem !== null)
      return `A part of type "${String(type)}" has ${problem}: put into the body what it needs`;
  }
  const { audio } = value;
  if (isRecord(audio) && audio['id'] !== undefined)
    return 'A message has a sound that the endpoint would look up: put into the body what it needs';
  const held = type === SHELL_OUTPUT ? [] : HOLDERS.map((name) => value[name]);
  for (const each of [...held, isRecord(from) ? from['content'] : undefined]) {
    const problem = partsProblem(each, protocol, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
