/**
 * Patterns in the texts of an answer, filled from the request (docs/model-script.md):
 * `${find:REGEX}` last match, `${find_first:REGEX}` first match, `${hash:PATH}` content hash last shown for a file.
 * Other uses of `${` are left as they are: they are code.
 */
import type { RequestText } from './request-text.ts';

export type Filled =
  | { readonly kind: 'filled'; readonly value: unknown }
  | { readonly kind: 'missing'; readonly message: string };

const START = /\$\{(find|find_first|hash):/;
/** How far from its file's path a hash may stand. */
const HASH_REACH_CHARS = 300;
const HASH = /hash\W{0,6}((?:sha256:)?[0-9a-f]{6,64})\b/i;

/** Fills the patterns of every text inside `value`. A text that is nothing but one pattern stays a text. */
export function fillPatterns(value: unknown, request: RequestText): Filled {
  if (typeof value === 'string') return fillText(value, request);
  if (typeof value !== 'object' || value === null) return { kind: 'filled', value };
  const entries: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const filled = fillPatterns(member, request);
    if (filled.kind === 'missing') return filled;
    entries.push([name, filled.value]);
  }
  const isList = Array.isArray(value);
  return {
    kind: 'filled',
    value: isList ? entries.map(([, member]) => member) : Object.fromEntries(entries),
  };
}

function fillText(text: string, request: RequestText): Filled {
  let filled = '';
  let rest = text;
  for (let match = START.exec(rest); match !== null; match = START.exec(rest)) {
    const end = closingBrace(rest, match.index + match[0].length);
    if (end < 0)
      return { kind: 'missing', message: `pattern "${rest.slice(match.index)}" has no closing brace` };
    const body = rest.slice(match.index + match[0].length, end);
    const found = lookUp(match[1] ?? '', body, request);
    if (found === null)
      return {
        kind: 'missing',
        message: `the request holds nothing for "${rest.slice(match.index, end + 1)}"`,
      };
    filled += rest.slice(0, match.index) + found;
    rest = rest.slice(end + 1);
  }
  return { kind: 'filled', value: filled + rest };
}

/** Braces inside a regular expression are counted, escaped ones are skipped. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let index = from; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\') index += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function lookUp(kind: string, body: string, request: RequestText): string | null {
  if (kind === 'hash') return shownHash(body, request.told);
  const regex = readRegex(body);
  if (regex === null) return null;
  const matches = request.told.flatMap((text) => [...text.matchAll(regex)]);
  const match = kind === 'find' ? matches.at(-1) : matches[0];
  return match === undefined ? null : (match[1] ?? match[0]);
}

/** Null when it is no regular expression: then it finds nothing. */
function readRegex(body: string): RegExp | null {
  try {
    return new RegExp(body, 'gm');
  } catch {
    return null;
  }
}

/** The hash nearest after the last mention of the path that has one; else before it on the same line. */
function shownHash(path: string, told: readonly string[]): string | null {
  for (const text of [...told].reverse()) {
    for (let at = text.lastIndexOf(path); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(path, at - 1)) {
      const after = HASH.exec(text.slice(at + path.length, at + path.length + HASH_REACH_CHARS));
      if (after?.[1] !== undefined) return after[1];
      const lineStart = text.lastIndexOf('\n', at) + 1;
      const before = HASH.exec(text.slice(lineStart, at));
      if (before?.[1] !== undefined) return before[1];
    }
  }
  return null;
}
