/** What one statement of a pytest suite says of the code, and the same statement about another value. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf, within } from './changed-literal.ts';
import { computedChange, PYTHON_OTHER } from './computed-values.ts';
import { pythonCompared } from './python-compared.ts';
import { denied } from './python-denials.ts';
import { equalFar, equalHere } from './python-doubts.ts';
import {
  calleeOf,
  changedItems,
  isBuilt,
  isMadeByClass,
  pythonChange,
  pythonPart,
  TOLERANCE_MAX,
} from './python-literals.ts';
import type { Reached } from './python-reached.ts';
import { ofContext, ofEnd, otherText, TEXT } from './python-texts.ts';
import { boundFirst, isName, mentions, type Change, type Names } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

/** Equal to everything. */
const WILD = /\bANY\b/u;
const EQUALS =
  /^self\.assert(?:Equals?|ListEqual|DictEqual|TupleEqual|SetEqual|MultiLineEqual|SequenceEqual|AlmostEqual|Is)$/u;
/** A method that says what `==` says of plain values. */
const SAME = /\.(?:equals?|eq|is_equal(?:_to)?|same(?:_as)?|is_same(?:_as)?)$/u;
const SINGLE = /^(?:True|False|None)$/u;
/** A stand-in of the suite was called with these. */
const CALLED = /\.assert_(?:called|awaited)(?:_once)?_with$/u;
/** A change of its first digit is seen at seven places. */
const COARSE = /^-?(?:[1-9]|0?\.\d{0,3}[1-9])/u;

interface Given {
  readonly classes: ReadonlySet<string>;
  /** Functions of the code. */
  readonly makers: ReadonlySet<string>;
  readonly dice: Dice;
  /** The first statement of the test. */
  readonly first: SyntaxNode | null;
}

interface Sides {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
}

type Value = Pick<Change, 'edits' | 'rows' | 'doubt' | 'far' | 'ordinals'>;

/** Of a statement that a green test has passed. */
export function pythonClaims({ statement, names }: Reached, given: Given): Change[] {
  const values = valuesOf(statement, names, given).map((value): Change => ({ ...value, kind: 'value' }));
  if (values.length > 0) return values;
  const built = pythonCompared(statement, given.first, names, {
    isBuilt: (call) => isMadeBy(call, given),
    other: (call) => change(call, given) ?? computed(call, given),
    isKnown: (name) => given.classes.has(name) || given.makers.has(name),
  });
  if (built.length > 0) return built.map((each): Change => ({ ...each, kind: 'value' }));
  const edits = denied(statement, given.dice);
  return edits === null ? [] : [{ edits, ordinals: null, doubt: null, kind: 'truth' }];
}

function valuesOf(statement: SyntaxNode, names: Names, given: Given): Value[] {
  const [first] = statement.namedChildren();
  if (first === undefined) return [];
  switch (statement.kind()) {
    case 'assert_statement':
      return conjuncts(first).flatMap((each) => ofTruth(each, names, given));
    case 'expression_statement':
      return first.kind() === 'call' ? ofCall(first, names, given) : [];
    case 'with_statement':
      return ofContext(statement, given.dice);
    default:
      return [];
  }
}

/** Each of them is true where all are. */
function conjuncts(node: SyntaxNode): SyntaxNode[] {
  const parts = node.namedChildren();
  if (node.kind() === 'parenthesized_expression' && parts.length === 1) return parts.flatMap(conjuncts);
  const isAnd = node.kind() === 'boolean_operator' && node.field('operator')?.text() === 'and';
  return isAnd ? parts.flatMap(conjuncts) : [node];
}

function ofTruth(node: SyntaxNode, names: Names, given: Given): Value[] {
  if (WILD.test(node.text())) return [];
  if (node.kind() === 'call') return [...ofSame(node, given), ...ofEnd(node, given.dice)];
  if (node.kind() !== 'comparison_operator') return [];
  const parts = node.children();
  const found: Value[] = [];
  for (let at = 1; at < parts.length; at += 2) {
    const [left, operator, right] = parts.slice(at - 1, at + 2);
    if (left === undefined || right === undefined) continue;
    const isSame = operator?.kind() === '==' || (operator?.kind() === 'is' && SINGLE.test(right.text()));
    const isOnly = parts.length === 3;
    if (isOnly && right.kind() === 'true' && left.kind() === 'call') found.push(...ofSame(left, given));
    if (isSame && found.length === 0) found.push(...ofSides({ left, right }, equalHere, names, given));
    if (operator?.kind() === 'in' && isOnly) found.push(...ofMember(left, right, given));
    if (/^<=?$/u.test(String(operator?.kind())) && isOnly) found.push(...ofNearness(left, right, given));
  }
  return found;
}

function ofCall(call: SyntaxNode, names: Names, given: Given): Value[] {
  const callee = call.field('function')?.text() ?? '';
  const args = call.field('arguments')?.namedChildren() ?? [];
  const [left, right, ...more] = args;
  if (CALLED.test(callee)) {
    const [edits] = args.flatMap((arg) => {
      const value = arg.kind() === 'keyword_argument' ? arg.field('value') : arg;
      const found = value === null || isBuilt(value, given.classes) ? null : change(value, given);
      return found === null ? [] : [found];
    });
    return edits === undefined ? [] : [{ edits, ordinals: null, doubt: null }];
  }
  if (left === undefined || right === undefined || more.length > 0 || WILD.test(call.text())) return [];
  if (callee === 'self.assertIn') return ofMember(left, right, given);
  if (!EQUALS.test(callee) || (callee.endsWith('Is') && !SINGLE.test(right.text()))) return [];
  if (callee.endsWith('AlmostEqual') && ![left, right].some((side) => COARSE.test(side.text()))) return [];
  return ofSides({ left, right }, (was, is) => `True, ${equalHere(was, is)}`, names, given);
}

const change = (node: SyntaxNode, { classes, dice }: Given): Edit[] | null =>
  pythonChange(node, classes, dice);

const computed = (node: SyntaxNode, given: Given): Edit[] | null =>
  computedChange(node, {
    change: (each) => change(each, given),
    part: (each) => pythonPart(each, (one) => change(one, given), given.dice),
    isOwn: (each) => isMadeBy(each, given),
    other: PYTHON_OTHER,
  });

/** The expected value is written out, or has a name that stands for it here only; the other side is what the code gave. */
function ofSides(
  { left, right }: Sides,
  equal: (was: string, is: string) => string,
  names: Names,
  given: Given,
): Value[] {
  for (const [expected, actual] of [
    [right, left],
    [left, right],
  ] as const) {
    if (change(actual, given) !== null || isMade(actual, given)) continue;
    const bound = boundFirst(expected, names);
    const isWritten = bound === null && !isName(expected);
    if (bound !== null && !bound.isLocal) {
      const rows = ofCells(bound.cells, given);
      if (rows !== null) return [rows];
      continue;
    }
    const node = isWritten ? expected : bound?.cells[0]?.node;
    if (node === undefined) continue;
    if (bound?.isSole === false && mentions(actual, expected)) continue;
    const isOwn = isBuilt(node, given.classes) || isAsked(node, given);
    // What is built before the question may be what it asks about.
    if (isOwn && (!isWritten || expected === left) && asksNothing(actual)) continue;
    const edits = (isOwn ? computed(node, given) : null) ?? change(node, given);
    if (edits === null) continue;
    const [from, to] = [left.range().start.index, right.range().end.index];
    const doubt = isOwn ? { from, to, by: equal(node.text(), within(node, edits)) } : null;
    const far = isOwn ? { from, to, by: equalFar(node, edits, equal) } : null;
    return [{ edits, ordinals: null, doubt, far }];
  }
  return ofParts({ left, right }, equal, given);
}

/** Something of one side is written out; whether the whole is another value then is asked where it matters. */
function ofParts({ left, right }: Sides, equal: (was: string, is: string) => string, given: Given): Value[] {
  const [from, to] = [left.range().start.index, right.range().end.index];
  for (const side of [right, left]) {
    const isValue = change(side, given) !== null || isBuilt(side, given.classes);
    const edits = isValue ? null : pythonPart(side, (each) => change(each, given), given.dice);
    if (edits === null) continue;
    return [{ edits, ordinals: null, doubt: { from, to, by: equal(side.text(), within(side, edits)) } }];
  }
  return [];
}

/** What the code's class builds is shared by nobody; a column is changed in all of its rows. */
function ofCells(cells: readonly { node: SyntaxNode; ordinal: number | null }[], given: Given): Value | null {
  const found = cells.flatMap(({ node, ordinal }) => {
    const edits = isBuilt(node, given.classes) ? null : change(node, given);
    return edits === null ? [] : [{ edits, ordinal }];
  });
  if (found.length === 0) return null;
  const rows = found.flatMap(({ ordinal, edits }) => (ordinal === null ? [] : [{ ordinal, edits }]));
  const edits = found.flatMap((each) => each.edits);
  if (rows.length === 0) return { edits, ordinals: null, doubt: null };
  return { edits, rows, ordinals: rows.map(({ ordinal }) => ordinal), doubt: null };
}

/** `assert a.equals(Money(3))`: what is built is expected. */
function ofSame(call: SyntaxNode, given: Given): Value[] {
  const callee = call.field('function')?.text() ?? '';
  const [value, ...more] = call.field('arguments')?.namedChildren() ?? [];
  if (value === undefined || more.length > 0 || !SAME.test(callee)) return [];
  const edits = isMade(value, given) ? (change(value, given) ?? computed(value, given)) : null;
  if (edits === null) return [];
  const by = `(${value.text()})${SAME.exec(callee)?.[0] ?? ''}(${within(value, edits)})`;
  return [{ edits, ordinals: null, doubt: editOf(call, by) }];
}

/** `abs(x - 102.5) < 1e-9`. */
function ofNearness(left: SyntaxNode, right: SyntaxNode, given: Given): Value[] {
  const isDistance = left.kind() === 'call' && /^abs\([^,]* - [^,]*\)$/u.test(left.text());
  const [sum] = isDistance ? (left.field('arguments')?.namedChildren() ?? []) : [];
  const sides = sum?.kind() === 'binary_operator' ? sum.namedChildren() : [];
  const [value, ...others] = sides.filter((side) => COARSE.test(side.text()));
  const isNarrow = Number(right.text()) <= TOLERANCE_MAX / 10;
  const edits = value === undefined || others.length > 0 || !isNarrow ? null : change(value, given);
  return edits === null ? [] : [{ edits, ordinals: null, doubt: null }];
}

/** `x in (1, 2)`, or `'told' in str(error)`. */
function ofMember(left: SyntaxNode, right: SyntaxNode, given: Given): Value[] {
  if (TEXT.test(right.text())) return otherText(left, given.dice);
  if (!/^(?:list|tuple|set)$/u.test(String(right.kind())) || change(left, given) !== null) return [];
  const edits = changedItems(right, (each) => change(each, given));
  return edits === null || isBuilt(right, given.classes) ? [] : [{ edits, ordinals: null, doubt: null }];
}

/** A class of the code is asked what it is equal to, no function what it gives. */
const isMade = (node: SyntaxNode, { classes }: Given): boolean =>
  node.kind() === 'call' && classes.has(calleeOf(node));

/** The code makes it of what stands between its brackets: a class, one of its own makers, or a function. */
const isMadeBy = (node: SyntaxNode, given: Given): boolean =>
  isMade(node, given) || isAsked(node, given) || isMadeByClass(node, given.classes);

/** A function of the code makes it of what is written out: of something else it makes another value, or has to be asked. */
const isAsked = (node: SyntaxNode, given: Given): boolean => {
  const args = node.kind() === 'call' ? (node.field('arguments')?.namedChildren() ?? []) : [];
  const isPlain = (arg: SyntaxNode): boolean =>
    change(arg.kind() === 'keyword_argument' ? (arg.field('value') ?? arg) : arg, given) !== null;
  return given.makers.has(calleeOf(node)) && args.length > 0 && args.every(isPlain);
};

/** What is asked without any argument may be about what was built last. */
const asksNothing = (actual: SyntaxNode): boolean =>
  /\w\(\)/u.test(actual.text()) || !actual.text().includes('(');
