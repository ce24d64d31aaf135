/** What a suite of node:test writes as an expected value, and the same with another value in it. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf, otherNumber, otherText, someNumber } from './changed-literal.ts';
import type { SyntaxNode } from './syntax.ts';

/** The order of their items does not count, or their last item decides: one is changed. */
const UNORDERED = new Set(['Set', 'Map']);

type Change = (node: SyntaxNode) => Edit[] | null;

/** Edits that make of an expected value another one; null for what is no plain value, as it is written. */
export function ecmaChange(node: SyntaxNode, classes: ReadonlySet<string>, dice: Dice): Edit[] | null {
  const change = (each: SyntaxNode): Edit[] | null => ecmaChange(each, classes, dice);
  switch (node.kind()) {
    case 'number':
      return one(node, otherNumber(node.text(), dice));
    case 'string':
    case 'template_string':
      return ofString(node, dice);
    case 'true':
      return one(node, 'false');
    case 'false':
      return one(node, 'true');
    case 'null':
    case 'undefined':
      return one(node, someNumber(dice));
    case 'identifier':
      return /^(?:Infinity|NaN)$/u.test(node.text()) ? one(node, someNumber(dice)) : null;
    case 'unary_expression':
      return node.text().startsWith('-') ? all(node.namedChildren(), change) : null;
    case 'parenthesized_expression':
      return all(node.namedChildren(), change);
    case 'array':
      return node.namedChildren().length === 0
        ? one(node, `[${someNumber(dice)}]`)
        : all(node.namedChildren(), change);
    case 'object':
      return ofObject(node, change, dice);
    case 'new_expression':
      return ofNew(node, classes, change);
    default:
      return null;
  }
}

/** The same for what is written out in part: an item of a row, one side of a sum, a text with holes. */
export function ecmaPart(node: SyntaxNode, change: Change, dice: Dice): Edit[] | null {
  const found = partsOf(node).flatMap((part) => {
    const isText = part.kind() === 'string_fragment' || part.kind() === 'template_chars';
    const edits =
      (isText ? one(part, otherText(part.text(), dice)) : change(part)) ?? ecmaPart(part, change, dice);
    return edits === null ? [] : [edits];
  });
  return found[dice(found.length)] ?? null;
}

function partsOf(node: SyntaxNode): SyntaxNode[] {
  switch (node.kind()) {
    case 'array':
      return node.namedChildren();
    case 'object':
      return node.namedChildren().every((pair) => pair.kind() !== 'spread_element')
        ? node.namedChildren().flatMap((pair) => (pair.kind() === 'pair' ? (pair.field('value') ?? []) : []))
        : [];
    case 'binary_expression':
      return /^[+-]$/u.test(node.field('operator')?.text() ?? '') ? node.namedChildren() : [];
    case 'template_string':
      return node
        .namedChildren()
        .filter((each) => /^[^\\]*\w[^\\]*$/u.test(each.text()) && each.kind() !== 'template_substitution');
    default:
      return [];
  }
}

/** Whether a class of the code makes the value, or a part of it. */
export function isBuiltByCode(node: SyntaxNode, classes: ReadonlySet<string>): boolean {
  if (isMadeByCode(node, classes)) return true;
  return node.namedChildren().some((child) => isBuiltByCode(child, classes));
}

export function isMadeByCode(node: SyntaxNode, classes: ReadonlySet<string>): boolean {
  return node.kind() === 'new_expression' && classes.has(className(node));
}

/** `Money.of(3)`. */
export function isMadeByClass(node: SyntaxNode, classes: ReadonlySet<string>): boolean {
  const callee = node.kind() === 'call_expression' ? node.field('function') : null;
  const owner = callee?.kind() === 'member_expression' ? callee.field('object') : null;
  const hasArguments = (node.field('arguments')?.namedChildren() ?? []).length > 0;
  return owner?.kind() === 'identifier' && classes.has(owner.text()) && hasArguments;
}

function className(node: SyntaxNode): string {
  return node.field('constructor')?.text().split('.').at(-1) ?? '';
}

function ofString(node: SyntaxNode, dice: Dice): Edit[] | null {
  const parts = node.namedChildren();
  const quote = node.text()[0] ?? "'";
  if (parts.length === 0) return one(node, `${quote}${otherText('', dice) ?? ''}${quote}`);
  const [only] = parts;
  const isPlain = parts.length === 1 && /^(?:string_fragment|template_chars)$/u.test(String(only?.kind()));
  return isPlain && only !== undefined ? one(only, otherText(only.text(), dice)) : null;
}

function ofObject(node: SyntaxNode, change: Change, dice: Dice): Edit[] | null {
  const pairs = node.namedChildren();
  if (pairs.length === 0) return one(node, `{ q: ${someNumber(dice)} }`);
  const values = pairs.flatMap((pair) => (pair.kind() === 'pair' ? (pair.field('value') ?? []) : []));
  return values.length === pairs.length ? all(values, change) : null;
}

function ofNew(node: SyntaxNode, classes: ReadonlySet<string>, change: Change): Edit[] | null {
  const args = node.field('arguments')?.namedChildren() ?? [];
  const name = className(node);
  if (UNORDERED.has(name)) return lastItem(args, change);
  return classes.has(name) ? all(args, change) : null;
}

/** One item of the only list becomes what no other one is. */
function lastItem(args: readonly SyntaxNode[], change: Change): Edit[] | null {
  const [list, ...more] = args;
  const items = list?.kind() === 'array' && more.length === 0 ? list.namedChildren() : [];
  const last = items.at(-1);
  if (last === undefined || all(items, change) === null) return null;
  const edits = change(last);
  return items.some((item) => edits?.some(({ by }) => item.text().includes(by)) ?? true) ? null : edits;
}

function one(node: SyntaxNode, by: string | null): Edit[] | null {
  return by === null ? null : [editOf(node, by)];
}

function all(nodes: readonly SyntaxNode[], change: Change): Edit[] | null {
  const found = nodes.map(change);
  return found.length === 0 || found.includes(null) ? null : found.flatMap((edits) => edits ?? []);
}
