/** What one call of a suite of node:test says of the code, and the same call about another value. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf, someLetters, within } from './changed-literal.ts';
import { computedChange, ECMA_OTHER } from './computed-values.ts';
import { ecmaCompared } from './ecma-compared.ts';
import { ecmaChange, ecmaPart, isBuiltByCode, isMadeByClass, isMadeByCode } from './ecma-literals.ts';
import type { Reached } from './ecma-reached.ts';
import { boundFirst, mentions, type Change, type Names } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

const EQUALS = /^(?:assert(?:\.strict)?\.)?(?:equal|strictEqual|deepEqual|deepStrictEqual)$/u;
const TRUTHS = /^(?:assert|assert\.ok|ok)$/u;
const ERRORS = /^assert\.(?:strict\.)?(?:throws|rejects)$/u;
const MATCH = /^assert\.(?:strict\.)?match$/u;
/** Says nothing before it is waited for. */
const LATER = /(?:rejects|doesNotReject)$/iu;
/** A method that says what `==` says of plain values. */
const SAME = /\.(?:equals?|eq|isEqual(?:To)?|sameAs|isSame(?:As)?)$/u;
const OPPOSITES = opposites([
  ['equal', 'notEqual'],
  ['strictEqual', 'notStrictEqual'],
  ['deepEqual', 'notDeepEqual'],
  ['deepStrictEqual', 'notDeepStrictEqual'],
  ['match', 'doesNotMatch'],
  ['throws', 'doesNotThrow'],
  ['rejects', 'doesNotReject'],
]);

export interface Given {
  readonly classes: ReadonlySet<string>;
  /** Functions of the code. */
  readonly makers: ReadonlySet<string>;
  readonly dice: Dice;
}

/** One change of each place: tests that a loop makes share their text. */
export interface Drawn extends Given {
  readonly drawn: Map<string, Edit[] | null>;
}

type Value = Pick<Change, 'edits' | 'doubt'>;

/** Of a call that a green test has passed, or of a condition that fails one. @param body of the test */
export function ecmaClaims({ call, isAwaited, names }: Reached, body: SyntaxNode, given: Drawn): Change[] {
  const callee = call.field('function');
  if (callee !== null && LATER.test(callee.text()) && !isAwaited) return [];
  const values = callee === null ? [] : valuesOf(call, callee.text(), names, given);
  if (values.length > 0) return values.map((value) => ({ ...value, ordinals: null, kind: 'value' }));
  const built = ecmaCompared(call, { names, body }, SAME, {
    isBuilt: (each) => isMadeBy(each, given),
    other: (each) => change(each, given) ?? computed(each, given),
    isKnown: (name) => given.classes.has(name) || given.makers.has(name),
  });
  if (built.length > 0) return built.map((each) => ({ ...each, ordinals: null, kind: 'value' }));
  if (callee === null) return [];
  const edits = denied(call, callee);
  return edits === null ? [] : [{ edits, ordinals: null, doubt: null, kind: 'truth' }];
}

function valuesOf(call: SyntaxNode, callee: string, names: Names, given: Drawn): Value[] {
  const [left, right] = call.field('arguments')?.namedChildren() ?? [];
  if (left === undefined) return [];
  if (TRUTHS.test(callee)) return conjuncts(left).flatMap((each) => ofTruth(each, names, given));
  if (right === undefined) return [];
  if (MATCH.test(callee)) return ofPattern(right, given);
  if (ERRORS.test(callee)) return ofError(right, given);
  if (!EQUALS.test(callee)) return [];
  const same = right.kind() === 'true' ? ofSame(left, given) : [];
  return same.length > 0 ? same : ofSides(left, right, names, given, ', ');
}

/** Each of them is true where all are. */
function conjuncts(node: SyntaxNode): SyntaxNode[] {
  const parts = node.namedChildren();
  if (node.kind() === 'parenthesized_expression' && parts.length === 1) return parts.flatMap(conjuncts);
  const isAnd = node.kind() === 'binary_expression' && node.field('operator')?.text() === '&&';
  return isAnd ? parts.flatMap(conjuncts) : [node];
}

function ofTruth(node: SyntaxNode, names: Names, given: Drawn): Value[] {
  if (node.kind() === 'call_expression') return ofSame(node, given);
  const [left, right] = [node.field('left'), node.field('right')];
  const isSame = /^===?$/u.test(node.field('operator')?.text() ?? '');
  const isCompared = node.kind() === 'binary_expression' && isSame && left !== null && right !== null;
  return isCompared ? ofSides(left, right, names, given, ' === ') : [];
}

/** The expected value is written out, or has a name that stands for it here only; the other side is what the code gave. */
function ofSides(left: SyntaxNode, right: SyntaxNode, names: Names, given: Drawn, between: string): Value[] {
  for (const [expected, actual] of [
    [right, left],
    [left, right],
  ] as const) {
    if (change(actual, given) !== null || actual.kind() === 'new_expression') continue;
    const bound = boundFirst(expected, names);
    const value = bound === null ? expected : bound.cells[0]?.node;
    if (value === undefined) continue;
    if (bound?.isSole === false && mentions(actual, expected)) continue;
    const isBuilt = isBuiltByCode(value, given.classes) || isAsked(value, given);
    if (isBuilt && bound?.isLocal === false) continue;
    // What is built before the question may be what it asks about.
    if (isBuilt && (value !== expected || expected === left) && asksNothing(actual)) continue;
    const edits = (isBuilt ? computed(value, given) : null) ?? change(value, given);
    if (edits === null) continue;
    const [from, to] = [left.range().start.index, right.range().end.index];
    const doubt = isBuilt ? { from, to, by: `${value.text()}${between}${within(value, edits)}` } : null;
    return [{ edits, doubt }];
  }
  return ofParts(left, right, given, between);
}

/** Something of one side is written out; whether the whole is another value then is asked where it matters. */
function ofParts(left: SyntaxNode, right: SyntaxNode, given: Drawn, between: string): Value[] {
  const [from, to] = [left.range().start.index, right.range().end.index];
  for (const side of [right, left]) {
    const isValue = change(side, given) !== null || isBuiltByCode(side, given.classes);
    const part = (): Edit[] | null => ecmaPart(side, (each) => change(each, given), given.dice);
    const edits = isValue ? null : once(side, given, part, 'part');
    if (edits === null) continue;
    return [{ edits, doubt: { from, to, by: `${side.text()}${between}${within(side, edits)}` } }];
  }
  return [];
}

/** `a.equals(new P(3))`: what is built is expected. */
function ofSame(node: SyntaxNode, given: Drawn): Value[] {
  const callee = node.kind() === 'call_expression' ? (node.field('function')?.text() ?? '') : '';
  const [value, ...more] = node.field('arguments')?.namedChildren() ?? [];
  if (value?.kind() !== 'new_expression' || more.length > 0 || !SAME.test(callee)) return [];
  const edits = isBuiltByCode(value, given.classes) ? (change(value, given) ?? computed(value, given)) : null;
  const method = SAME.exec(callee)?.[0] ?? '';
  if (edits === null) return [];
  return [{ edits, doubt: editOf(node, `(${value.text()})${method}(${within(value, edits)})`) }];
}

/** `assert.throws(f, /told/)`, `{ message: 'told', code: 3 }`, `(error) => error.code === 3`. */
function ofError(expected: SyntaxNode, given: Drawn): Value[] {
  if (expected.kind() === 'regex') return ofPattern(expected, given);
  if (expected.kind() === 'object')
    return expected.namedChildren().flatMap((pair) => {
      const value = pair.kind() === 'pair' ? pair.field('value') : null;
      if (value === null) return [];
      if (value.kind() === 'regex') return ofPattern(value, given);
      const edits = change(value, given);
      return edits === null ? [] : [{ edits, doubt: null }];
    });
  const body = expected.kind() === 'arrow_function' ? expected.field('body') : null;
  if (body === null || body.kind() === 'statement_block') return [];
  return conjuncts(body).flatMap((each) => ofTruth(each, new Map(), given));
}

/** A pattern of letters that no text holds by chance. */
function ofPattern(node: SyntaxNode, given: Drawn): Value[] {
  const pattern = node.kind() === 'regex' ? node.field('pattern') : null;
  if (pattern === null) return [];
  const edits = once(pattern, given, () => [editOf(pattern, someLetters(pattern.text(), given.dice))]) ?? [];
  return [{ edits, doubt: null }];
}

function change(node: SyntaxNode, given: Drawn): Edit[] | null {
  return once(node, given, () => ecmaChange(node, given.classes, given.dice));
}

function computed(node: SyntaxNode, given: Drawn): Edit[] | null {
  const how = {
    change: (each: SyntaxNode) => change(each, given),
    part: (each: SyntaxNode) => ecmaPart(each, (one) => change(one, given), given.dice),
    isOwn: (each: SyntaxNode) => isMadeBy(each, given),
    other: ECMA_OTHER,
  };
  return once(node, given, () => computedChange(node, how), 'computed');
}

function once(node: SyntaxNode, { drawn }: Drawn, make: () => Edit[] | null, what = 'whole'): Edit[] | null {
  const { start, end } = node.range();
  const key = `${what} ${String(start.index)} ${String(end.index)}`;
  const known = drawn.get(key);
  const made = known === undefined ? make() : known;
  drawn.set(key, made);
  return made;
}

/** The code makes it of what stands between its brackets: a class, one of its own makers, or a function. */
const isMadeBy = (node: SyntaxNode, given: Drawn): boolean =>
  isMadeByCode(node, given.classes) || isAsked(node, given) || isMadeByClass(node, given.classes);

/** A function of the code makes it of what is written out: of something else it makes another value, or has to be asked. */
const isAsked = (node: SyntaxNode, given: Drawn): boolean => {
  const args = node.kind() === 'call_expression' ? (node.field('arguments')?.namedChildren() ?? []) : [];
  const name = node.field('function')?.text().split('.').at(-1) ?? '';
  return given.makers.has(name) && args.length > 0 && args.every((arg) => change(arg, given) !== null);
};

/** What is asked without any argument may be about what was built last. */
const asksNothing = (actual: SyntaxNode): boolean =>
  /[\w$]\(\)/u.test(actual.text()) || !actual.text().includes('(');

/** The call that says the opposite: red wherever the call as it was is green. */
function denied(call: SyntaxNode, callee: SyntaxNode): Edit[] | null {
  const [left] = call.field('arguments')?.namedChildren() ?? [];
  if (left !== undefined && TRUTHS.test(callee.text())) return [editOf(left, `!(${left.text()})`)];
  const name = /^assert(?:\.strict)?\./u.test(callee.text()) ? callee.field('property') : null;
  const other = OPPOSITES.get(name?.text() ?? '');
  return name === null || other === undefined ? null : [editOf(name, other)];
}

function opposites(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map([...pairs, ...pairs.map(([yes, no]) => [no, yes] as const)]);
}
