/**
 * The statements of a pytest suite that a green test has certainly passed: its own, those of loops over tables that are written out,
 * of blocks that let failures through, and of functions of the same file that it calls there.
 */
import { bind, bindParts, cellsOf, soleValue, type Names, type Place, type Uses } from './suite-names.ts';
import { descendants, hasKeyword, type SyntaxNode } from './syntax.ts';

/** A body with one of these may end before its last line; what is nested in it is no part of it. */
const ENDS = /^(?:return_statement|yield)$/u;
const LEAVES = /^(?:break_statement|continue_statement)$/u;
const NESTED = /^(?:function_definition|lambda|class_definition)$/u;
const SKIPS = /\b(?:skip|skipTest|skipif|importorskip|xfail)\b/u;
/** Blocks that a failed assertion leaves. */
const KEEPS =
  /^(?:[\w.]+\.)?(?:open|patch(?:\.(?:object|dict|multiple))?|subTest|catch_warnings|warns|deprecated_call|assertWarns|assertLogs|assertNoLogs|at_level|redirect_std(?:out|err)|TemporaryDirectory|NamedTemporaryFile|TemporaryFile|ThreadPoolExecutor|nullcontext)$/u;
const RUNS = /^(?:asyncio\.run|\w+\.run_until_complete)$/u;
const DEPTH_MAX = 3;

export interface Reached {
  readonly statement: SyntaxNode;
  readonly names: Names;
}

/** Whether nothing ends a body early. */
export function isStraight(body: SyntaxNode): boolean {
  const isNested = (kind: string): boolean => NESTED.test(kind);
  return !SKIPS.test(body.text()) && descendants(body, (kind) => ENDS.test(kind), isNested).length === 0;
}

export function hasSkip(text: string): boolean {
  return SKIPS.test(text);
}

export function reachedIn(body: SyntaxNode, place: Place): Reached[] {
  const names = new Map(place.names);
  const functions = new Map(place.functions);
  const here = { ...place, names, functions };
  return body.namedChildren().flatMap((statement): Reached[] => {
    const own = { statement, names };
    switch (statement.kind()) {
      case 'function_definition':
        functions.set(statement.field('name')?.text() ?? '', statement);
        return [];
      case 'for_statement':
        return ofLoop(statement, here);
      case 'with_statement': {
        const inner = statement.field('body');
        return [own, ...(inner !== null && isKept(statement) ? reachedIn(inner, here) : [])];
      }
      case 'expression_statement': {
        const [only] = statement.namedChildren();
        const [left, right] = [only?.field('left') ?? null, only?.field('right') ?? null];
        if (only?.kind() === 'assignment')
          for (const [label, node] of assigned(left, right))
            names.set(...bind(label, [{ node, ordinal: null }], place.scope, place.uses, true));
        return [own, ...ofCall(only, here)];
      }
      case 'try_statement':
        return ofTry(statement, here);
      default:
        return [own];
    }
  });
}

/** `want = 3`, `found, want = f(1), 3`. */
function assigned(left: SyntaxNode | null, right: SyntaxNode | null): (readonly [SyntaxNode, SyntaxNode])[] {
  if (left === null || right === null) return [];
  if (left.kind() === 'identifier') return [[left, right]];
  const [labels, values] = [left.namedChildren(), right.namedChildren()];
  const isRow = left.kind() === 'pattern_list' && right.kind() === 'expression_list';
  const isPlain = labels.every((each) => each.kind() === 'identifier') && labels.length === values.length;
  if (!isRow || !isPlain || values.some((each) => each.kind() === 'list_splat')) return [];
  return labels.flatMap((label, at) => {
    const value = values[at];
    return value === undefined ? [] : [[label, value] as const];
  });
}

/** Where nothing is caught, both blocks are passed. */
function ofTry(statement: SyntaxNode, place: Place): Reached[] {
  const parts = statement.namedChildren();
  if (parts.some((part) => !/^(?:block|finally_clause|comment)$/u.test(String(part.kind())))) return [];
  const blocks = parts.flatMap((part) => (part.kind() === 'finally_clause' ? part.namedChildren() : [part]));
  return blocks.flatMap((block) => (block.kind() === 'block' ? reachedIn(block, place) : []));
}

function isKept(statement: SyntaxNode): boolean {
  const items = descendants(
    statement,
    (kind) => kind === 'with_item',
    (kind) => kind === 'block',
  );
  return (
    items.length > 0 &&
    items.every((item) => {
      const [first] = item.namedChildren();
      const call = first?.kind() === 'as_pattern' ? first.namedChildren()[0] : first;
      return call?.kind() === 'call' && KEEPS.test(call.field('function')?.text() ?? '');
    })
  );
}

/** Each row of a table is passed, in the order of the text. */
function ofLoop(statement: SyntaxNode, place: Place): Reached[] {
  const [left, right, body] = [statement.field('left'), statement.field('right'), statement.field('body')];
  if (left === null || right === null || body === null || hasKeyword(statement, 'async')) return [];
  if (descendants(body, (kind) => LEAVES.test(kind)).length > 0 || statement.field('alternative') !== null)
    return [];
  if (/^range\([1-9]\d*\)$/u.test(right.text())) return reachedIn(body, without(place, left));
  const table = soleValue(right, place.names);
  const rows = table === null || !/^(?:list|tuple)$/u.test(String(table.kind())) ? [] : itemsOf(table);
  return rows.flatMap((row) => reachedIn(body, withRow(place, left, row)));
}

/** Parts of a list or a tuple as it is written. */
export function itemsOf(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren().filter((each) => each.kind() !== 'comment');
}

function without(place: Place, left: SyntaxNode): Place {
  const gone = new Set([left, ...left.namedChildren()].map((each) => each.text()));
  return { ...place, names: new Map([...place.names].filter(([name]) => !gone.has(name))) };
}

function withRow(place: Place, left: SyntaxNode, row: SyntaxNode): Place {
  const names = new Map(without(place, left).names);
  const labels = left.kind() === 'identifier' ? [left] : left.namedChildren();
  const cells = left.kind() === 'identifier' ? [row] : itemsOf(row);
  const isRow = left.kind() === 'identifier' || /^(?:list|tuple)$/u.test(String(row.kind()));
  if (!isRow || labels.length !== cells.length) return { ...place, names };
  for (const [at, label] of labels.entries()) {
    const node = cells[at];
    if (label.kind() !== 'identifier' || node === undefined || node.kind() === 'list_splat') continue;
    names.set(...bind(label, [{ node, ordinal: null }], place.scope, place.uses));
    for (const part of bindParts(label, node, place.scope)) names.set(...part);
  }
  return { ...place, names };
}

/** `check(f(1), 2)`, `await check(…)`, `asyncio.run(check(…))` of a function of this file. */
function ofCall(node: SyntaxNode | undefined, place: Place): Reached[] {
  if (node === undefined) return [];
  const isAwaited = node.kind() === 'await';
  const outer = isAwaited ? node.namedChildren()[0] : node;
  if (outer?.kind() !== 'call' || place.depth >= DEPTH_MAX) return [];
  const isRun = RUNS.test(outer.field('function')?.text() ?? '');
  const call = isRun ? outer.field('arguments')?.namedChildren()[0] : outer;
  const helper =
    call?.kind() === 'call' ? place.functions.get(call.field('function')?.text() ?? '') : undefined;
  const body = helper?.field('body') ?? null;
  if (call === undefined || helper === undefined || body === null || !isStraight(body)) return [];
  if (hasKeyword(helper, 'async') !== (isAwaited || isRun)) return [];
  const isMethod = call.field('function')?.kind() === 'attribute';
  const names = new Map(place.names);
  const args = call.field('arguments')?.namedChildren() ?? [];
  const parameters = (helper.field('parameters')?.namedChildren() ?? []).slice(isMethod ? 1 : 0);
  for (const [at, parameter] of parameters.entries()) {
    const isPlain = parameter.kind() === 'identifier';
    const label = isPlain ? parameter : (parameter.field('name') ?? parameter.namedChildren()[0]);
    if (label === undefined) return [];
    const named = args.find((each) => each.field('name')?.text() === label.text())?.field('value');
    const given = named ?? args[at];
    names.delete(label.text());
    if (given === undefined || /splat|keyword/u.test(String(given.kind()))) continue;
    const cells = cellsOf(given, place.names);
    if (cells !== null) names.set(...bind(label, cells, helper, place.uses));
  }
  return reachedIn(body, { ...place, names, scope: helper, depth: place.depth + 1 });
}

/** Values of a module that are written out, by name. */
export function moduleNames(root: SyntaxNode, uses: Uses): Names {
  return new Map(
    root.namedChildren().flatMap((statement) => {
      const [only] = statement.kind() === 'expression_statement' ? statement.namedChildren() : [];
      const [left, node] = [only?.field('left') ?? null, only?.field('right') ?? null];
      if (only?.kind() !== 'assignment' || left?.kind() !== 'identifier' || node === null) return [];
      return [bind(left, [{ node, ordinal: null }], root, uses)];
    }),
  );
}
