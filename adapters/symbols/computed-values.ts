/**
 * What the code's own class is made of where a suite computes it: `Point(p.x + 3, 6)`. Such a value is built by the code, which may tell
 * itself what is expected (docs/decisions/0095); so what it is built of has to be another one, however it is written.
 */
import type { Edit } from '../../core/ports/expectations.ts';
import { editOf } from './changed-literal.ts';
import type { SyntaxNode } from './syntax.ts';

/** How a language writes what is built. */
export interface Computing {
  /** Edits of a plain value; null for what is none. */
  readonly change: (node: SyntaxNode) => Edit[] | null;
  /** The same of a value that is written out in part. */
  readonly part: (node: SyntaxNode) => Edit[] | null;
  readonly isOwn: (node: SyntaxNode) => boolean;
  /** A function that gives another value of the same type, where it knows one. */
  readonly other: string;
}

export const PYTHON_OTHER =
  "(lambda v: v + 1 if type(v) in (int, float) else not v if type(v) is bool else v + 'q' if type(v) is str else v[1:] if type(v) in (list, tuple) else v)";
export const ECMA_OTHER =
  "((v) => (typeof v === 'number' ? v + 1 : typeof v === 'bigint' ? v + 1n : typeof v === 'string' ? v + 'q' : typeof v === 'boolean' ? !v : Array.isArray(v) ? v.slice(1) : v))";

const LISTS = /^(?:list|tuple|array|parenthesized_expression|dictionary|object)$/u;
const ARGUMENTS = /^(?:argument_list|arguments)$/u;
/** Several values, or none. */
const OPEN =
  /^(?:list_splat|dictionary_splat|spread_element|comment|lambda|arrow_function|function_expression)$/u;

/** Null where nothing of it is built by the code. Where both values may be equal, that has to be asked. */
export function computedChange(node: SyntaxNode, how: Computing): Edit[] | null {
  if (LISTS.test(String(node.kind()))) {
    const items = node
      .namedChildren()
      .map((item) => (item.kind() === 'pair' ? (item.field('value') ?? item) : item));
    const edits = items.flatMap((item) => computedChange(item, how) ?? []);
    return edits.length === 0 ? null : edits;
  }
  if (!how.isOwn(node)) return null;
  const list = node.field('arguments');
  if (list === null || !ARGUMENTS.test(String(list.kind()))) return null;
  const edits = list.namedChildren().flatMap((arg) => {
    const value = arg.kind() === 'keyword_argument' ? arg.field('value') : arg;
    return value === null || OPEN.test(String(value.kind())) ? [] : ofArgument(value, how);
  });
  return edits.length === 0 ? null : edits;
}

function ofArgument(value: SyntaxNode, how: Computing): Edit[] {
  const known = how.change(value) ?? how.part(value) ?? computedChange(value, how);
  return known ?? [editOf(value, `${how.other}(${value.text()})`)];
}
