/** What a Python suite writes as an expected value, and the same with another value in it. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf, otherNumber, otherText, plainKey, someNumber, within } from './changed-literal.ts';
import type { SyntaxNode } from './syntax.ts';

/** Callables whose result is another one for another value of their arguments. */
const PLAIN_CALLS = new Set(['list', 'tuple', 'dict', 'deque', 'OrderedDict', 'call']);
/** Numbers and days: another first argument makes another one that exists, where all of them could make none (month 32) or the same (2/4). */
const FIRST_ONLY = new Set(['Decimal', 'Fraction', 'date', 'datetime', 'timedelta']);
/** The order of their items does not count: one is changed, so that no two of them can change places. */
const UNORDERED = new Set(['set', 'frozenset', 'Counter']);
/** Of an approximation whose value is seen to be another one. */
export const TOLERANCE_MAX = 1e-3;

/** Edits that make of an expected value another one; null for what is no plain value, as it is written. */
export function pythonChange(node: SyntaxNode, classes: ReadonlySet<string>, dice: Dice): Edit[] | null {
  const change = (each: SyntaxNode): Edit[] | null => pythonChange(each, classes, dice);
  switch (node.kind()) {
    case 'integer':
    case 'float':
      return one(node, otherNumber(node.text(), dice));
    case 'string':
      return ofString(node, dice);
    case 'true':
      return one(node, 'False');
    case 'false':
      return one(node, 'True');
    case 'none':
      return one(node, 'False');
    case 'unary_operator':
    case 'parenthesized_expression':
      return node.namedChildren().length === 1 ? all(node.namedChildren(), change) : null;
    case 'list':
    case 'tuple':
      return node.namedChildren().length === 0 ? filled(node, dice) : all(node.namedChildren(), change);
    case 'set':
      return last(node.namedChildren(), change);
    case 'dictionary':
      return ofDictionary(node, change, dice);
    case 'call':
      return ofCall(node, classes, change, dice);
    default:
      return null;
  }
}

/** The same for what is written out in part: an item of a row, one side of a sum, a text with holes. */
export function pythonPart(node: SyntaxNode, change: Change, dice: Dice): Edit[] | null {
  const found = partsOf(node).flatMap((part) => {
    const own = part.kind() === 'string_content' ? one(part, otherText(part.text(), dice)) : change(part);
    const edits = own ?? pythonPart(part, change, dice);
    return edits === null ? [] : [edits];
  });
  return found[dice(found.length)] ?? null;
}

function partsOf(node: SyntaxNode): SyntaxNode[] {
  switch (node.kind()) {
    case 'list':
    case 'tuple':
      return node.namedChildren();
    case 'dictionary':
      return node.namedChildren().every((pair) => pair.kind() === 'pair')
        ? node.namedChildren().flatMap((pair) => pair.field('value') ?? [])
        : [];
    case 'binary_operator':
      return /^[+-]$/u.test(node.field('operator')?.text() ?? '') ? node.namedChildren() : [];
    case 'string':
      return node
        .namedChildren()
        .filter((each) => each.kind() === 'string_content' && /^[^{}\\]*\w[^{}\\]*$/u.test(each.text()));
    default:
      return [];
  }
}

/** Whether a class of the code makes the value, or a part of it. */
export function isBuilt(node: SyntaxNode, classes: ReadonlySet<string>): boolean {
  if (node.kind() === 'call' && classes.has(calleeOf(node))) return true;
  return node.namedChildren().some((child) => isBuilt(child, classes));
}

/** `Money.of(3)`. */
export function isMadeByClass(node: SyntaxNode, classes: ReadonlySet<string>): boolean {
  const callee = node.kind() === 'call' ? node.field('function') : null;
  const owner = callee?.kind() === 'attribute' ? callee.field('object') : null;
  const hasArguments = (node.field('arguments')?.namedChildren() ?? []).length > 0;
  return owner?.kind() === 'identifier' && classes.has(owner.text()) && hasArguments;
}

/** The last name of what is called: `Point` of `shapes.Point(1)`. */
export function calleeOf(node: SyntaxNode): string {
  return node.field('function')?.text().split('.').at(-1) ?? '';
}

function ofString(node: SyntaxNode, dice: Dice): Edit[] | null {
  const [start, content] = node.namedChildren();
  if (start === undefined || /f/iu.test(start.text()) || node.namedChildren().length > 3) return null;
  const isEmpty = content?.kind() !== 'string_content';
  if (isEmpty) return [{ ...editOf(start, start.text() + (otherText('', dice) ?? '')) }];
  return content.namedChildren().some((part) => part.kind() === 'interpolation')
    ? null
    : one(content, otherText(content.text(), dice));
}

function ofDictionary(node: SyntaxNode, change: Change, dice: Dice): Edit[] | null {
  const pairs = node.namedChildren();
  if (pairs.length === 0) return one(node, `{${someNumber(dice)}: ${someNumber(dice)}}`);
  if (pairs.some((pair) => pair.kind() !== 'pair' || pair.field('key') === null)) return null;
  return all(
    pairs.flatMap((pair) => pair.field('value') ?? []),
    change,
  );
}

function ofCall(node: SyntaxNode, classes: ReadonlySet<string>, change: Change, dice: Dice): Edit[] | null {
  const args = node.field('arguments')?.namedChildren() ?? [];
  const values = args.map((arg) => (arg.kind() === 'keyword_argument' ? arg.field('value') : arg));
  if (values.length === 0 || values.some((value) => value === null)) return null;
  const found = values.flatMap((value) => value ?? []);
  const callee = calleeOf(node);
  if (UNORDERED.has(callee))
    return last(found, (each) =>
      each.kind() === 'list' ? last(each.namedChildren(), change) : change(each),
    );
  if (callee === 'approx') return ofApprox(args, change);
  if (FIRST_ONLY.has(callee) && !classes.has(callee)) {
    // February 29, 2000 is on no other day of most round years.
    const isRound = callee.startsWith('date') && /00$/u.test(found[0]?.text() ?? '');
    return isRound ? null : ofNumber(found[0], change, dice);
  }
  return classes.has(callee) || PLAIN_CALLS.has(callee) ? all(found, change) : null;
}

/** A text in it has to stay one that stands for a number: its first digit changes. */
function ofNumber(value: SyntaxNode | undefined, change: Change, dice: Dice): Edit[] | null {
  if (value === undefined) return null;
  const text = textIn(value);
  if (text === null) return value.kind() === 'string' ? null : change(value);
  const [, sign = '', digits = '', rest = ''] = /^([-+]?)(\d+\.?\d*)((?:\/\d+)?)$/u.exec(text.text()) ?? [];
  const other = otherNumber(digits, dice);
  return other === null ? null : one(text, sign + other + rest);
}

/** A change of the first digit is a ninth at least. */
function ofApprox([value, ...rest]: readonly SyntaxNode[], change: Change): Edit[] | null {
  const isNarrow = rest.every((arg) => {
    const [label, tolerance] = [arg.field('name')?.text(), Number(arg.field('value')?.text() ?? 'none')];
    return label === 'rel' && tolerance <= TOLERANCE_MAX;
  });
  return isNarrow && value !== undefined ? change(value) : null;
}

type Change = (node: SyntaxNode) => Edit[] | null;

function one(node: SyntaxNode, by: string | null): Edit[] | null {
  return by === null ? null : [editOf(node, by)];
}

function filled(node: SyntaxNode, dice: Dice): Edit[] {
  return [editOf(node, node.kind() === 'tuple' ? `(${someNumber(dice)},)` : `[${someNumber(dice)}]`)];
}

function all(nodes: readonly SyntaxNode[], change: Change): Edit[] | null {
  const found = nodes.map(change);
  return found.length === 0 || found.includes(null) ? null : found.flatMap((edits) => edits ?? []);
}

/** The text between the quotes; null for what is no plain text, or has nothing in it. */
export function textIn(node: SyntaxNode): SyntaxNode | null {
  const parts = node.kind() === 'string' ? node.namedChildren() : [];
  const [start, content] = parts;
  if (start === undefined || content === undefined || parts.length !== 3) return null;
  return content.kind() === 'string_content' && !/f/iu.test(start.text()) ? content : null;
}

/** Every item becomes what none of them was. */
export function changedItems(list: SyntaxNode, change: Change): Edit[] | null {
  const items = list.namedChildren();
  const were = new Set(items.map((item) => plainKey(item.text())));
  const found = items.map(change);
  const isNew = items.every((item, at) => !were.has(plainKey(within(item, found[at] ?? []))));
  return items.length > 0 && isNew && !found.includes(null) ? found.flatMap((edits) => edits ?? []) : null;
}

/** One item becomes what no other one is. */
function last(nodes: readonly SyntaxNode[], change: Change): Edit[] | null {
  const item = nodes.at(-1);
  if (item === undefined || all(nodes, change) === null) return null;
  const edits = change(item);
  const isThere = nodes.some((node) => edits?.some(({ by }) => node.text().includes(by)) ?? true);
  return isThere ? null : edits;
}
