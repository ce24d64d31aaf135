/** What a name of a suite stands for, where a green test has certainly passed and the name stands for nothing else. */
import type { Edit, Expectation } from '../../core/ports/expectations.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/** A value as it is written; `ordinal` is the row of a table that makes a test of each row. */
export interface Cell {
  readonly node: SyntaxNode;
  readonly ordinal: number | null;
}

export interface Bound {
  readonly cells: readonly Cell[];
  /** Whether the name stands where it is bound, at one place where it is used, and nowhere else. */
  readonly isSole: boolean;
  /** Bound by a statement of the test itself, before what is asked. */
  readonly isLocal: boolean;
  /** Where a function first uses what it has bound: what is red there never comes to the other uses. */
  readonly firstUse?: number | null;
}

export type Names = ReadonlyMap<string, Bound>;

/** One way in which a test expects something else. */
export type Change = Pick<Expectation, 'edits' | 'rows' | 'doubt' | 'far' | 'kind' | 'ordinals'>;

/** How often a name stands in a part of the text. */
export type Uses = (name: SyntaxNode, scope: SyntaxNode) => number;

/** Where a walk over what a test passes is: what names stand for, and functions by the name they are called by. */
export interface Place {
  readonly names: Names;
  readonly functions: ReadonlyMap<string, SyntaxNode>;
  /** The body that names are bound in. */
  readonly scope: SyntaxNode;
  readonly depth: number;
  readonly uses: Uses;
}

const IDENTIFIER = /^(?:identifier|shorthand_property_identifier(?:_pattern)?)$/u;
const FUNCTION =
  /^(?:function_definition|arrow_function|function_expression|function_declaration|method_definition)$/u;
const USES_OF_SOLE = 2;

/** Counts each part once. */
export function countUses(): Uses {
  const known = new Map<number, ReadonlyMap<string, number>>();
  return (name, scope) => {
    const counts = known.get(scope.id()) ?? countsIn(scope);
    known.set(scope.id(), counts);
    return counts.get(name.text()) ?? 0;
  };
}

function countsIn(scope: SyntaxNode): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const isLabel = (each: SyntaxNode): boolean =>
    each.parent()?.kind() === 'keyword_argument' && each.next()?.text() === '=';
  for (const each of descendants(scope, (kind) => IDENTIFIER.test(kind)).filter((one) => !isLabel(one)))
    counts.set(each.text(), (counts.get(each.text()) ?? 0) + 1);
  return counts;
}

/** @param scope where the name has this meaning. */
export function bind(
  name: SyntaxNode,
  cells: readonly Cell[],
  scope: SyntaxNode,
  uses: Uses,
  isLocal = false,
): readonly [string, Bound] {
  const isSole = uses(name, scope) === USES_OF_SOLE;
  return [
    name.text(),
    { cells, isSole, isLocal, firstUse: isSole || !isLocal ? null : firstUse(name, scope) },
  ];
}

/** Null where the name is used twice, or for a value that nobody wrote out. */
export function boundTo(name: SyntaxNode, names: Names): Bound | null {
  const bound = isName(name) ? names.get(name.text()) : undefined;
  return bound?.isSole === true ? bound : null;
}

/** The same for a name that is used here first: whatever comes after it is not reached where it is red. */
export function boundFirst(name: SyntaxNode, names: Names): Bound | null {
  const bound = isName(name) ? names.get(name.text()) : undefined;
  const isFirst = bound?.firstUse === name.range().start.index;
  return bound !== undefined && (bound.isSole || isFirst) ? bound : null;
}

/** Whether the name stands in that part of the text. */
export function mentions(part: SyntaxNode, name: SyntaxNode): boolean {
  return [part, ...descendants(part, (kind) => IDENTIFIER.test(kind))].some(
    (each) => each.text() === name.text(),
  );
}

/** Null where another function uses it, as tests do with what stands outside of them, and where it was there before. */
function firstUse(name: SyntaxNode, scope: SyntaxNode): number | null {
  const functionOf = (node: SyntaxNode): number | undefined =>
    node
      .ancestors()
      .find((each) => FUNCTION.test(String(each.kind())))
      ?.id();
  const [first, next] = descendants(scope, (kind) => IDENTIFIER.test(kind))
    .filter((each) => each.text() === name.text())
    .toSorted((left, right) => left.range().start.index - right.range().start.index);
  const own = functionOf(name);
  const isBound = first?.range().start.index === name.range().start.index;
  return isBound && next !== undefined && own !== undefined && functionOf(next) === own
    ? next.range().start.index
    : null;
}

/** `expected`, `row.expected`, `row["expected"]`. */
export function isName(node: SyntaxNode): boolean {
  return /^(?:identifier|member_expression|subscript)$/u.test(String(node.kind()));
}

/** What `row.expected` and `row["expected"]` stand for, where nothing takes the row as a whole. */
export function bindParts(
  label: SyntaxNode,
  row: SyntaxNode,
  scope: SyntaxNode,
): (readonly [string, Bound])[] {
  const pairs = row.namedChildren().filter((each) => each.kind() === 'pair');
  if (pairs.length === 0) return [];
  const name = label.text().replaceAll('$', String.raw`\$`);
  const whole = [...scope.text().matchAll(new RegExp(String.raw`(?<![\w.$])${name}(?![\w$])`, 'gu'))];
  const parts = [
    ...scope.text().matchAll(new RegExp(String.raw`(?<![\w.$])${name}(?:\.|\[["'])(\w+)`, 'gu')),
  ];
  if (whole.length !== parts.length + 1) return [];
  return pairs.flatMap((pair) => {
    const [key, node] = [
      pair
        .field('key')
        ?.text()
        .replace(/^(["'])(.*)\1$/u, '$2'),
      pair.field('value'),
    ];
    if (key === undefined || node === null) return [];
    const isSole = parts.filter(([, part]) => part === key).length === 1;
    const bound = { cells: [{ node, ordinal: null }], isSole, isLocal: false };
    return ['.' + key, `["${key}"]`, `['${key}']`].map((by) => [label.text() + by, bound] as const);
  });
}

/** The text itself, or what its name stands for. */
export function cellsOf(node: SyntaxNode, names: Names): readonly Cell[] | null {
  return isName(node) ? (boundTo(node, names)?.cells ?? null) : [{ node, ordinal: null }];
}

/** The one value of a name or a text; null for the column of a table. */
export function soleValue(node: SyntaxNode, names: Names): SyntaxNode | null {
  const [cell, ...more] = cellsOf(node, names) ?? [];
  return cell === undefined || more.length > 0 || cell.ordinal !== null ? null : cell.node;
}

/** The text of a part of a suite that no other test shares: its own, or what stands outside of every function. */
export function isOwnText(
  edits: readonly Edit[],
  own: SyntaxNode,
  functions: readonly SyntaxNode[],
): boolean {
  const holds = (node: SyntaxNode, { from, to }: Edit): boolean => {
    const { start, end } = node.range();
    return start.index <= from && to <= end.index;
  };
  return edits.every((edit) => holds(own, edit) || !functions.some((each) => holds(each, edit)));
}
