/**
 * Whether the value of an example can be of the declared type: `returns: seven` for `-> int` cannot. Only types that JSON
 * tells apart are known here; of any other nothing is said.
 */
import type { Language } from '../../schemas/ids.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The declared result of a function, as written; null where it has none or is no plain function. */
export function resultType(language: Language, declaration: string): string | null {
  if (language === 'python')
    return (
      /^\s*(?:async\s+)?def\s[\s\S]*\)\s*->\s*([\s\S]+?)\s*:\s*(?:\.\.\.)?\s*$/u.exec(declaration)?.[1] ??
      null
    );
  const head = /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b[^(]*/u.exec(
    declaration,
  )?.[0];
  if (head === undefined) return null;
  const end = closingAt(declaration, head.length);
  const rest =
    end === -1
      ? ''
      : declaration
          .slice(end + 1)
          .trim()
          .replace(/;$/u, '');
  return rest.startsWith(':') ? rest.slice(1).trim() : null;
}

/** False only where the value is surely of another type. */
export function canBe(type: string, value: Json): boolean {
  const text = type.trim();
  const parts = split(text, '|');
  if (parts.length > 1) return parts.some((part) => canBe(part, value));
  const simple = SIMPLE[text.replace(/^(?:typing|collections\.abc|t)\./u, '')];
  if (simple !== undefined) return simple(value);
  if (text.endsWith('[]')) return isArrayOf(text.slice(0, -2).replace(/^\((.*)\)$/u, '$1'), value);
  const [, name = '', inside = ''] = /^([\w.]+)\s*[[<]([\s\S]*)[\]>]$/u.exec(text) ?? [];
  return generic(name.split('.').at(-1) ?? '', inside, value);
}

const isObject = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: Json): boolean => typeof value === 'number';
const isWhole = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value);
const isText = (value: Json): boolean => typeof value === 'string';
const isTruth = (value: Json): boolean => typeof value === 'boolean';
const isNothing = (value: Json): boolean => value === null;

const SIMPLE: Readonly<Record<string, (value: Json) => boolean>> = {
  int: isWhole,
  float: isNumber,
  str: isText,
  bool: isTruth,
  None: isNothing,
  bytes: (value) => typeof value === 'string' && /^b["']/u.test(value),
  complex: (value) => isNumber(value) || isText(value),
  list: Array.isArray,
  set: Array.isArray,
  frozenset: Array.isArray,
  tuple: Array.isArray,
  dict: isObject,
  number: isNumber,
  bigint: (value) => isWhole(value) || (typeof value === 'string' && /^-?\d+$/u.test(value)),
  string: isText,
  boolean: isTruth,
  void: isNothing,
  undefined: isNothing,
  null: isNothing,
};

const LISTS = new Set(
  'list List tuple Tuple set Set frozenset FrozenSet deque ReadonlySet Sequence Iterable Iterator Generator Array ReadonlyArray IterableIterator'.split(
    ' ',
  ),
);
const DICTS = new Set('dict Dict Mapping MutableMapping Record'.split(' '));
const WRAPPERS = new Set('Promise Awaitable Coroutine Readonly'.split(' '));

function generic(name: string, inside: string, value: Json): boolean {
  if (name === 'Optional') return value === null || canBe(inside, value);
  if (name === 'Union') return split(inside, ',').some((part) => canBe(part, value));
  if (name === 'Coroutine') return canBe(split(inside, ',').at(-1) ?? 'Any', value);
  if (WRAPPERS.has(name)) return canBe(inside, value);
  if (DICTS.has(name)) return isObject(value);
  if (!LISTS.has(name)) return true;
  const items = split(inside, ',');
  return items.length === 1 ? isArrayOf(items[0] ?? '', value) : Array.isArray(value);
}

function isArrayOf(type: string, value: Json): boolean {
  return Array.isArray(value) && (value as readonly Json[]).every((item) => canBe(type, item));
}

/** At the top level of brackets only. */
function split(text: string, mark: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if ('[(<{'.includes(char)) depth += 1;
    if (')]>}'.includes(char)) depth -= 1;
    if (char === mark && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part];
}

/** Place of the bracket that closes the one at `open`; -1: none does. Text in quotes is passed over. */
export function closingAt(text: string, open: number): number {
  let depth = 0;
  let quote = '';
  for (let at = open; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (`'"\``.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}
