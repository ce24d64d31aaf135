/**
 * The calls of a suite of node:test that a green test has certainly passed: its own, those of loops over tables that are written out,
 * and of functions of the same file that it calls there.
 */
import {
  bind,
  bindParts,
  cellsOf,
  soleValue,
  type Bound,
  type Names,
  type Place,
  type Uses,
} from './suite-names.ts';
import { descendants, hasKeyword, type SyntaxNode } from './syntax.ts';

const ENDS = /^(?:return_statement|yield_expression)$/u;
const LEAVES = /^(?:break_statement|continue_statement)$/u;
const NESTED =
  /^(?:arrow_function|function_expression|(?:generator_)?function(?:_declaration)?|method_definition|class_declaration|class)$/u;
const SKIPS = /\.(?:skip|todo|plan)\b/u;
const DEPTH_MAX = 3;

export interface Reached {
  /** A call; or an `if` that stands for itself, whose condition may say that the test fails. */
  readonly call: SyntaxNode;
  readonly isAwaited: boolean;
  readonly names: Names;
}

/** Whether nothing ends a body early. */
export function isStraight(body: SyntaxNode): boolean {
  const isNested = (kind: string): boolean => NESTED.test(kind);
  return !SKIPS.test(body.text()) && descendants(body, (kind) => ENDS.test(kind), isNested).length === 0;
}

/** @param body a block, or the expression that an arrow function gives. */
export function reachedIn(body: SyntaxNode, place: Place): Reached[] {
  if (body.kind() === 'expression_statement')
    return body.namedChildren().flatMap((only) => ofExpression(only, place, false));
  if (body.kind() !== 'statement_block') return ofExpression(body, place, true);
  const here = { ...place, names: new Map(place.names), functions: new Map(place.functions) };
  return body.namedChildren().flatMap((statement): Reached[] => {
    const [only] = statement.namedChildren();
    switch (statement.kind()) {
      case 'function_declaration':
        here.functions.set(statement.field('name')?.text() ?? '', statement);
        return [];
      case 'lexical_declaration':
        for (const [name, bound] of namesOf(statement, place.scope, place.uses)) here.names.set(name, bound);
        for (const [name, made] of functionsOf(statement)) here.functions.set(name, made);
        return [];
      case 'for_in_statement':
        return rowsOf(statement, here).flatMap((row) => reachedIn(row.body, row.place));
      case 'for_statement':
        return ofCount(statement, here);
      case 'try_statement':
        return ofTry(statement, here);
      case 'if_statement':
        return [{ call: statement, isAwaited: true, names: here.names }];
      case 'expression_statement':
        return only === undefined ? [] : ofExpression(only, here, false);
      default:
        return [];
    }
  });
}

/** Values that constants of a block or a module stand for. */
export function namesOf(declaration: SyntaxNode, scope: SyntaxNode, uses: Uses): [string, Bound][] {
  return declaration.namedChildren().flatMap((each): [string, Bound][] => {
    const [name, node] = [each.field('name'), each.field('value')];
    if (name?.kind() !== 'identifier' || node === null) return [];
    return [[...bind(name, [{ node, ordinal: null }], scope, uses, true)]];
  });
}

/** Arrow functions with a name. */
export function functionsOf(declaration: SyntaxNode): [string, SyntaxNode][] {
  return declaration.namedChildren().flatMap((each): [string, SyntaxNode][] => {
    const [name, value] = [each.field('name'), each.field('value')];
    const isFunction = value?.kind() === 'arrow_function' || value?.kind() === 'function_expression';
    return name?.kind() === 'identifier' && value !== null && isFunction ? [[name.text(), value]] : [];
  });
}

/** `for (let n = 0; n < 20; n += 1)`: passed once at least. */
function ofCount(statement: SyntaxNode, place: Place): Reached[] {
  const body = statement.field('body');
  const isPassed = /^for \((?:let|var) (\w+) = 0; \1 <=? [1-9]\d*;/u.test(statement.text());
  const isLeft = body !== null && descendants(body, (kind) => LEAVES.test(kind)).length > 0;
  return body === null || !isPassed || isLeft ? [] : reachedIn(body, place);
}

/** Where nothing is caught, both blocks are passed. */
function ofTry(statement: SyntaxNode, place: Place): Reached[] {
  if (statement.field('handler') !== null) return [];
  const blocks = [statement.field('body'), statement.field('finalizer')?.namedChildren()[0] ?? null];
  return blocks.flatMap((block) => (block === null ? [] : reachedIn(block, place)));
}

interface Row {
  readonly body: SyntaxNode;
  readonly place: Place;
}

/** `for (const [a, b] of TABLE) …` and `TABLE.forEach(([a, b]) => …)`, row by row; empty for what is no such loop. */
export function rowsOf(node: SyntaxNode, place: Place): Row[] {
  const [left, right, body, scope] = node.kind() === 'for_in_statement' ? ofFor(node) : ofEach(node);
  if (left === null || right === null || body === null) return [];
  if (descendants(body, (kind) => LEAVES.test(kind)).length > 0) return [];
  const table = soleValue(right, place.names);
  const rows =
    table?.kind() === 'array' ? table.namedChildren().filter((row) => row.kind() !== 'comment') : [];
  return rows.map((row) => ({ body, place: { ...place, names: withRow(place, left, row, scope) } }));
}

type Loop = readonly [
  left: SyntaxNode | null,
  right: SyntaxNode | null,
  body: SyntaxNode | null,
  scope: SyntaxNode,
];

function ofFor(node: SyntaxNode): Loop {
  const isOf = hasKeyword(node, 'of') && hasKeyword(node, 'const') && !hasKeyword(node, 'await');
  return [isOf ? node.field('left') : null, node.field('right'), node.field('body'), node];
}

function ofEach(node: SyntaxNode): Loop {
  const callee: SyntaxNode | null = node.kind() === 'call_expression' ? node.field('function') : null;
  if (callee?.text().endsWith('.forEach') !== true) return [null, null, null, node];
  const [arrow, ...more] = node.field('arguments')?.namedChildren() ?? [];
  const isSync = arrow?.kind() === 'arrow_function' && !hasKeyword(arrow, 'async');
  if (more.length > 0 || !isSync || !isStraight(arrow)) return [null, null, null, node];
  const [only, ...others] = arrow.field('parameters')?.namedChildren() ?? [];
  const left = arrow.field('parameter') ?? (others.length === 0 ? only : undefined) ?? null;
  return [patternOf(left), callee.field('object'), arrow.field('body'), arrow];
}

/** TypeScript wraps a parameter. */
function patternOf(node: SyntaxNode | null): SyntaxNode | null {
  return node?.field('pattern') ?? node;
}

function withRow({ names, uses }: Place, left: SyntaxNode, row: SyntaxNode, scope: SyntaxNode): Names {
  const found = new Map(names);
  const put = (label: SyntaxNode, node: SyntaxNode | undefined): void => {
    const cells = node === undefined ? [] : [{ node, ordinal: null }];
    found.set(...bind(label, cells, scope, uses));
    for (const part of node === undefined ? [] : bindParts(label, node, scope)) found.set(...part);
  };
  if (left.kind() === 'identifier') put(left, row);
  const isArray = left.kind() === 'array_pattern' && row.kind() === 'array';
  const cells = row.namedChildren();
  for (const [at, label] of (left.kind() === 'identifier' ? [] : left.namedChildren()).entries()) {
    const isSplat = cells.slice(0, at + 1).some((cell) => cell.kind() === 'spread_element');
    const pair =
      row.kind() === 'object' ? cells.find((each) => each.field('key')?.text() === label.text()) : undefined;
    if (/^(?:identifier|shorthand_property_identifier_pattern)$/u.test(String(label.kind())))
      put(label, isArray && !isSplat ? cells[at] : (pair?.field('value') ?? undefined));
  }
  return found;
}

function ofExpression(node: SyntaxNode, place: Place, isGiven: boolean): Reached[] {
  const isAwaited = node.kind() === 'await_expression';
  const call = isAwaited ? node.namedChildren()[0] : node;
  if (call?.kind() !== 'call_expression') return [];
  const own = { call, isAwaited: isAwaited || isGiven, names: place.names };
  const rows = rowsOf(call, place).flatMap((row) => reachedIn(row.body, row.place));
  return [own, ...rows, ...ofHelper(call, place, isAwaited || isGiven)];
}

/** `check(f(1), 2)`, and `await check(…)` of an async function. */
function ofHelper(call: SyntaxNode, place: Place, isAwaited: boolean): Reached[] {
  const helper = place.functions.get(call.field('function')?.text() ?? '');
  const body = helper?.field('body') ?? null;
  if (helper === undefined || body === null || place.depth >= DEPTH_MAX || !isStraight(body)) return [];
  if ((hasKeyword(helper, 'async') && !isAwaited) || hasKeyword(helper, '*')) return [];
  const names = new Map(place.names);
  const args = call.field('arguments')?.namedChildren() ?? [];
  const single = helper.field('parameter');
  const parameters = single === null ? (helper.field('parameters')?.namedChildren() ?? []) : [single];
  for (const [at, parameter] of parameters.entries()) {
    const label = patternOf(parameter);
    const given = args[at];
    if (label?.kind() !== 'identifier') return [];
    names.delete(label.text());
    const cells =
      given === undefined || args.slice(0, at + 1).some((each) => each.kind() === 'spread_element')
        ? null
        : cellsOf(given, place.names);
    if (cells !== null) names.set(...bind(label, cells, helper, place.uses));
  }
  return reachedIn(body, { ...place, names, scope: body, depth: place.depth + 1 });
}
