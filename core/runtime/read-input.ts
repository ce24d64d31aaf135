/**
 * Arguments of a tool call, read so that what a model merely writes in another way harms nobody.
 *
 *  I1. Unknown fields are passed over, and so are optional fields that are empty. Of `submit_pr`, fields that the role is not
 *      shown are passed over where they do not fit.
 *  I2. A needed field that is missing is looked for under its usual other names (`file_path`, `code`), and by its place
 *      (`write_file("a.py", "...")`). Any field may be written in camel case.
 *  I3. A text that says a value of the right type (`"3"`, `"[1, 2]"`) is that value; lines of a text are that text.
 *  I4. `/a/b.py`, `./a/b.py` and `a\\b.py` are `a/b.py`: a path is always one of the project.
 *  I5. A file's content that stands in one fence, or on one line with its line breaks written out, is what is meant by it.
 *  I6. Fields that stand one object or list deeper (`{"input": {...}}`, `[{...}]`) are the fields; `{"a.py": "..."}` is a file.
 *
 * Everything else is checked as it is.
 */
import type { z } from 'zod';
import { AGENT_TOOLS, type AgentToolName } from '../../schemas/agent-tools.ts';
import { isRecord } from '../text/is-record.ts';
import { looseObject } from '../text/loose-json.ts';
import { strictJson } from '../text/strict-json.ts';
import { readCovers } from './read-covers.ts';

/** Fields of `submit_pr` that the harness knows better (schemas/submit-pr.ts). */
const KNOWN_ANYWAY: ReadonlySet<string> = new Set(['status', 'interface', 'files', 'suspension']);
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    'file_path',
    'filepath',
    'filePath',
    'filename',
    'file_name',
    'file',
    'target_file',
    'target',
    'name',
  ],
  content: ['contents', 'text', 'code', 'file_content', 'file_contents', 'file_text', 'new_content', 'body'],
  pattern: ['regex', 'query', 'search'],
  old_path: ['source', 'src', 'from'],
  new_path: ['destination', 'dest', 'dst', 'to'],
  thought: ['text', 'content', 'message'],
  covers: ['coverage'],
  test_contract: ['contract'],
};
/** Optional fields without which work would be refused. */
const LOOKED_FOR: ReadonlySet<string> = new Set(['covers', 'test_contract']);
const WRAPS_MAX = 3;
const PATHS: ReadonlySet<string> = new Set(['path', 'old_path', 'new_path']);

type Shape = Readonly<Record<string, z.ZodType>>;
type Fields = Readonly<Record<string, unknown>>;

/** The fields of `json` that count. What is no object is given back as it is, for the schema to refuse. */
export function relevantInput(tool: AgentToolName, given: unknown): unknown {
  const shape: Shape = AGENT_TOOLS[tool].shape;
  const json = unwrapped(tool, shape, given);
  if (!isRecord(json)) return json;
  const said = Object.entries(named(shape, json));
  const read = Object.fromEntries(
    said
      .filter(([name]) => Object.hasOwn(shape, name))
      .map(([name, value]) => [name, meant(shape[name], name, value)]),
  );
  const kept = Object.entries(read).filter(([name, value]) => {
    const field = shape[name];
    if (field === undefined || isNeeded(field)) return true;
    if (isEmpty(value)) return false;
    return !(tool === 'submit_pr' && KNOWN_ANYWAY.has(name)) || field.safeParse(value).success;
  });
  const input = Object.fromEntries(kept);
  return tool === 'write_file' ? { ...input, ...fileContent(input) } : input;
}

function isNeeded(field: z.ZodType): boolean {
  return !field.safeParse(undefined).success;
}

/** I6: as long as nothing here is a field of the tool, and one thing alone could hold them. */
function unwrapped(tool: AgentToolName, shape: Shape, given: unknown): unknown {
  let json = given;
  for (let depth = 0; depth < WRAPS_MAX; depth += 1) {
    if (Array.isArray(json) && json.length === 1 && isRecord(json[0])) json = json[0];
    if (!isRecord(json) || Object.keys(named(shape, json)).some((name) => Object.hasOwn(shape, name))) break;
    const [only, ...more] = Object.entries(json);
    if (only === undefined || more.length > 0) break;
    const [key, value] = only;
    if (tool === 'write_file' && typeof value === 'string' && /^[\w./-]+\.\w+$/u.test(key))
      return { path: key, content: value };
    if (typeof value !== 'object' || value === null) break;
    json = value;
  }
  return json;
}

/** I2. */
function named(shape: Shape, json: Fields): Fields {
  const needed = Object.keys(shape).filter((name) => shape[name] !== undefined && isNeeded(shape[name]));
  const found = Object.keys(shape).flatMap((name) => {
    if (Object.hasOwn(json, name)) return [];
    const place = needed.indexOf(name);
    const others = place >= 0 || LOOKED_FOR.has(name) ? (OTHER_NAMES[name] ?? []) : [];
    const other = [camelCase(name), ...others, ...(place < 0 ? [] : [String(place)])].find(
      (each) => Object.hasOwn(json, each) && !Object.hasOwn(shape, each),
    );
    return other === undefined ? [] : [[name, json[other]] as const];
  });
  return { ...json, ...Object.fromEntries(found) };
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** I3 and I4: a value that was written in another way, where the field takes the value and not what was written. */
function meant(field: z.ZodType | undefined, name: string, value: unknown): unknown {
  if (field === undefined) return value;
  if (PATHS.has(name) && typeof value === 'string') return projectPath(value);
  if (field.safeParse(value).success) return value;
  if (name === 'covers') return readCovers(typeof value === 'string' ? (looseObject(value) ?? value) : value);
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) {
    const text = value.map((line) => line.replace(/\n$/u, '')).join('\n');
    return field.safeParse(text).success ? `${text}\n` : value;
  }
  if (typeof value !== 'string') return value;
  const said = strictJson(value) ?? looseObject(value);
  return said !== undefined && field.safeParse(said).success ? said : value;
}

function projectPath(path: string): string {
  return path
    .trim()
    .replace(/^(["'`])(.*)\1$/u, '$2')
    .replace(/^file:\/\//u, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/+)+/u, '');
}

/** I5. No language has a fence as its first line, and none ends a line outside of a text by a written-out line break. */
function fileContent({ path, content }: Fields): { content?: string } {
  if (typeof content !== 'string' || typeof path !== 'string' || /\.mdx?$/iu.test(path)) return {};
  const [, fenced] = /^\s*```[\w+-]*[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/u.exec(content) ?? [];
  if (fenced !== undefined && !fenced.includes('```')) return { content: `${fenced}\n` };
  const isOneLine = !content.trimEnd().includes('\n') && /\\n\s*$/u.test(content);
  const unescaped = isOneLine ? strictJson(`"${content.trimEnd()}"`) : undefined;
  if (typeof unescaped === 'string') return { content: unescaped };
  return isOneLine ? { content: content.replaceAll('\\n', '\n') } : {};
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
