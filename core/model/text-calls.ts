/**
 * Tool calls that a model wrote as text, because its endpoint or its training knows no others (issue of small local models).
 *
 *     <tool_call>{"name": "write_file", "arguments": {"path": "a.py", "content": "..."}}</tool_call>
 *     ```json {"tool": "write_file", "path": "a.py", "content": "..."} ```
 *     write_file {"path": "a.py", "content": "..."}
 *     <function=write_file><parameter=path>a.py</parameter>...</function>
 *     write_file(path="a.py", content="...")
 *     <write_file><path>a.py</path>...</write_file>
 *
 *  T1. A call names a tool that was offered. Everything else is text.
 *  T2. Thoughts in `<think>` are not read.
 *  T3. Of an answer that was cut, a call whose brackets are open is none.
 */
import { looseObject, readLooseJson, readNamedArguments } from '../text/loose-json.ts';
import { isRecord } from '../text/is-record.ts';
import { plainToolName } from '../text/tool-name.ts';
import { taggedCalls } from './tagged-calls.ts';

export interface TextCall {
  readonly name: string;
  readonly arguments: string;
}

export interface TextCalls {
  readonly calls: readonly TextCall[];
  /** What is left of the text. */
  readonly text: string;
}

/** A call and the part of the text that it stands in. */
interface Placed {
  readonly from: number;
  readonly to: number;
  readonly calls: readonly TextCall[];
}

const TEXT_CHARS_MAX = 400_000;
/** Brackets that are tried at most: code in an answer has many. */
const STARTS_MAX = 300;
const DEPTH_MAX = 4;
const NAME_FIELDS = [
  'name',
  'tool',
  'tool_name',
  'function',
  'function_name',
  'action',
  'recipient_name',
  'command',
];
const ARGUMENT_FIELDS = [
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'action_input',
  'tool_input',
  'kwargs',
];
const LIST_FIELDS = ['tool_calls', 'function_calls', 'calls', 'actions', 'tools'];
const NESTED_FIELDS = ['function', 'function_call', 'tool_call', 'call', 'tool', 'params'];

/** The calls of a text, in their order. `isCut`: the answer ended at its limit. */
export function textCalls(content: string, tools: readonly string[], isCut: boolean): TextCalls {
  const none = { calls: [], text: content };
  if (tools.length === 0 || content.length > TEXT_CHARS_MAX) return none;
  // Same length, so that places stay: what was thought is not read.
  const text = content.replace(/<(think|thinking|reasoning)>[\s\S]*?(?:<\/\1>|$)/gu, (all) =>
    ' '.repeat(all.length),
  );
  const reader: Reader = { text, tools: new Map(tools.map((name) => [plainToolName(name), name])), isCut };
  let placed: readonly Placed[] = [];
  for (const read of [tagged, objects, pythonCalls, bare]) if (placed.length === 0) placed = read(reader);
  if (placed.length === 0) return none;
  return { calls: placed.flatMap(({ calls }) => calls), text: restOf(content, placed) };
}

interface Reader {
  readonly text: string;
  readonly tools: ReadonlyMap<string, string>;
  readonly isCut: boolean;
}

/** The offered tool that a word names: `functions.write_file`, `Write-File`. */
function toolNamed({ tools }: Reader, word: unknown): string | undefined {
  return typeof word === 'string' ? tools.get(plainToolName(word)) : undefined;
}

function callOf(name: string, input: unknown): TextCall {
  return { name, arguments: JSON.stringify(input) };
}

function tagged(reader: Reader): readonly Placed[] {
  return taggedCalls(reader.text).flatMap(({ from, to, word, input }) => {
    const name = toolNamed(reader, word);
    return name === undefined ? [] : [{ from, to, calls: [callOf(name, input)] }];
  });
}

/** Objects that name a tool, or that stand behind the name of one. */
function objects(reader: Reader): readonly Placed[] {
  const found: Placed[] = [];
  const nameless: Placed[] = [];
  const starts = /\{|\[(?=\s*\{)/gu;
  for (let tries = 0; tries < STARTS_MAX; tries += 1) {
    const match = starts.exec(reader.text);
    if (match === null) break;
    const read = readLooseJson(reader.text, match.index);
    if (read === null || (read.isOpen && reader.isCut)) continue;
    starts.lastIndex = read.end;
    const before = nameBefore(reader, match.index);
    const calls = callsIn(reader, read.value, 0);
    if (calls.length > 0) found.push({ from: match.index, to: read.end, calls });
    else if (isRecord(read.value)) {
      const place = { from: before?.at ?? match.index, to: read.end };
      if (before !== null) found.push({ ...place, calls: [callOf(before.name, read.value)] });
      else
        nameless.push({
          ...place,
          calls: [...reader.tools.values()].map((name) => callOf(name, read.value)),
        });
    }
  }
  // Where one tool alone was offered, one object alone is its input.
  const isSole = found.length === 0 && nameless.length === 1 && reader.tools.size === 1;
  return isSole ? nameless : found;
}

function callsIn(reader: Reader, value: unknown, depth: number): readonly TextCall[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((each) => callsIn(reader, each, depth + 1));
  if (!isRecord(value)) return [];
  const field = NAME_FIELDS.find((each) => toolNamed(reader, value[each]) !== undefined);
  const name = field === undefined ? undefined : toolNamed(reader, value[field]);
  if (field !== undefined && name !== undefined) return [callOf(name, inputOf(value, field))];
  const [key, input] = Object.entries(value)[0] ?? [];
  const only = Object.keys(value).length === 1 ? toolNamed(reader, key) : undefined;
  if (only !== undefined && isRecord(input)) return [callOf(only, input)];
  return [...LIST_FIELDS, ...NESTED_FIELDS].flatMap((each) =>
    typeof value[each] === 'object' ? callsIn(reader, value[each], depth + 1) : [],
  );
}

/** The arguments beside a name: a field of their own, or all that is left. */
function inputOf(value: Readonly<Record<string, unknown>>, nameField: string): unknown {
  for (const field of ARGUMENT_FIELDS) {
    if (field === nameField) continue;
    const given = value[field];
    if (isRecord(given)) return given;
    const read = typeof given === 'string' ? looseObject(given) : undefined;
    if (read !== undefined) return read;
  }
  const { [nameField]: _, id: _id, type: _type, thought: _thought, ...rest } = value;
  // `{"name": "run_test", "arguments": null}` has no input.
  return Object.fromEntries(
    Object.entries(rest).filter(([name, each]) => !(ARGUMENT_FIELDS.includes(name) && isEmpty(each))),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** `write_file {`, `write_file({`, a name above a fence, `**write_file**: {`, `Action: write_file, Action Input: {`, `write_file[ARGS]{`. */
function nameBefore(reader: Reader, at: number): { readonly name: string; readonly at: number } | null {
  const before = reader.text.slice(Math.max(0, at - 120), at);
  const match =
    /([\w.-]+)[`*"']*(?:\s*(?:\(|:|->|=|with|arguments|action input|input|\[ARGS\]|<\|\w+\|>(?:json)?|```\w*)\s*)*\s*$/iu.exec(
      before,
    );
  const name = toolNamed(reader, match?.[1]);
  return match === null || name === undefined ? null : { name, at: at - (before.length - match.index) };
}

/** `write_file(path="a.py", content="...")`; on lines of their own also `write_file("a.py", "...")` and `run_test()`. */
function pythonCalls(reader: Reader): readonly Placed[] {
  return [...reader.text.matchAll(/\b([\w.]+)\(\s*(?=\w+\s*=|\)|["'])/gu)].flatMap((match) => {
    const name = toolNamed(reader, match[1]);
    if (name === undefined) return [];
    const begin = match.index + match[0].length;
    const read = readNamedArguments(reader.text, begin);
    if (read === null || (read.isOpen && reader.isCut)) return [];
    const isNamed = /\w/u.test(reader.text[begin] ?? '');
    if (!isNamed && !isAloneOnLine(reader.text, match.index, read.end)) return [];
    return [{ from: match.index, to: read.end, calls: [callOf(name, read.value)] }];
  });
}

function isAloneOnLine(text: string, from: number, to: number): boolean {
  const begin = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to);
  const line = text.slice(begin, from) + text.slice(to, end === -1 ? text.length : end);
  return line.replace(/[`*\s;.]/gu, '') === '';
}

/** The name of a tool, and nothing else. */
function bare(reader: Reader): readonly Placed[] {
  const name = toolNamed(reader, reader.text.replace(/[`*"'\s]|\.\s*$/gu, ''));
  return name === undefined || reader.isCut
    ? []
    : [{ from: 0, to: reader.text.length, calls: [callOf(name, {})] }];
}

/** Tags and fences around a call go with it. */
function restOf(content: string, placed: readonly Placed[]): string {
  let rest = '';
  let at = 0;
  for (const { from, to } of placed) {
    rest += content.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return (rest + content.slice(at))
    .replace(
      /<\/?(?:tool_call|tool_calls|function_call|function_calls)>|\[\/?TOOL_CALLS?\]|<\|python_tag\|>/gu,
      '',
    )
    .replace(/```\w*\s*```/gu, '')
    .trim();
}
