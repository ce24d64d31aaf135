/**
 * What the tests of a pytest suite expect (core/ports/expectations.ts): assertions that a green test has certainly reached, on the
 * first level of its body, whose other side is no longer right when the value is another one.
 */
import type { Dice, Edit, Expectation } from '../../core/ports/expectations.ts';
import { editOf, within } from './changed-literal.ts';
import { calleeOf, isBuilt, pythonChange } from './python-literals.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/** A body with one of these may end before its last line; what is nested in it is no part of it. */
const ENDS = /^(?:return_statement|yield)$/u;
const NESTED = /^(?:function_definition|lambda|class_definition)$/u;
const SKIPS = /\b(?:skip|skipTest|skipif|importorskip|xfail|exit|fail)\b/u;
/** Equal to everything. */
const WILD = /\bANY\b/u;
const DECORATOR = /^@(?:pytest\.mark\.\w+|(?:mock\.)?patch(?:\.\w+)*|staticmethod)\b/u;
const EQUALS =
  /^self\.assert(?:Equals?|ListEqual|DictEqual|TupleEqual|SetEqual|MultiLineEqual|SequenceEqual)$/u;
/** A method that says what `==` says of plain values. */
const SAME = /\.(?:equals?|eq|is_equal(?:_to)?|same_as|is_same(?:_as)?)$/u;
const TRUTHS: Readonly<Record<string, string>> = {
  'self.assertTrue': 'self.assertFalse',
  'self.assertFalse': 'self.assertTrue',
};

interface Given {
  readonly classes: ReadonlySet<string>;
  readonly dice: Dice;
}

interface Test {
  readonly nesting: readonly string[];
  readonly name: string;
  readonly node: SyntaxNode;
  readonly decorators: readonly SyntaxNode[];
}

export function pythonExpectations(root: SyntaxNode, given: Given): Expectation[] {
  const tests = testsIn(root, []);
  const keyOf = ({ nesting, name }: Test): string => [...nesting, name].join('\n');
  const isSole = (test: Test): boolean => tests.filter((other) => keyOf(other) === keyOf(test)).length === 1;
  return tests.filter((test) => isSole(test) && isStraight(test)).flatMap((test) => ofTest(test, given));
}

function testsIn(node: SyntaxNode, nesting: readonly string[]): Test[] {
  return node.namedChildren().flatMap((child) => {
    const isDecorated = child.kind() === 'decorated_definition';
    const item = isDecorated ? child.field('definition') : child;
    const decorators = isDecorated ? child.namedChildren().filter((each) => each.kind() === 'decorator') : [];
    const body = item === null ? null : item.field('body');
    if (item === null || body === null) return [];
    const name = item.field('name')?.text() ?? '';
    if (item.kind() === 'class_definition') return testsIn(body, [...nesting, name]);
    return item.kind() === 'function_definition' && name.startsWith('test')
      ? [{ nesting, name, node: item, decorators }]
      : [];
  });
}

function isStraight({ node, decorators }: Test): boolean {
  const body = node.field('body');
  if (body === null || SKIPS.test(body.text()) || WILD.test(body.text())) return false;
  if (decorators.some((each) => !DECORATOR.test(each.text()) || SKIPS.test(each.text()))) return false;
  return (
    descendants(
      body,
      (kind) => ENDS.test(kind),
      (kind) => NESTED.test(kind),
    ).length === 0
  );
}

function ofTest(test: Test, given: Given): Expectation[] {
  const statements = test.node.field('body')?.namedChildren() ?? [];
  return statements.flatMap((statement): Expectation[] => {
    const sides = sidesOf(statement);
    const found = sides === null ? null : ofSides(test, statement, sides, given);
    if (found !== null) return [found];
    const same = ofSame(test, statement, given);
    if (same !== null) return [same];
    const edits = denied(statement);
    return edits === null ? [] : [{ ...idOf(test), ordinals: null, edits, doubt: null, kind: 'truth' }];
  });
}

const idOf = ({ nesting, name }: Test): Pick<Expectation, 'nesting' | 'name'> => ({ nesting, name });

interface Sides {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
}

/** Both sides of what says that two values are equal. */
function sidesOf(statement: SyntaxNode): Sides | null {
  const [first] = statement.namedChildren();
  if (statement.kind() === 'assert_statement' && first?.kind() === 'comparison_operator') {
    const [left, operator, right, ...more] = first.children();
    const isOnly = left !== undefined && right !== undefined && more.length === 0;
    const isSame =
      operator?.kind() === '==' ||
      (operator?.kind() === 'is' && /^(?:True|False|None)$/u.test(right?.text() ?? ''));
    return isOnly && isSame ? { left, right } : null;
  }
  if (statement.kind() !== 'expression_statement' || first?.kind() !== 'call') return null;
  const [left, right, ...more] = first.field('arguments')?.namedChildren() ?? [];
  const isEqual = EQUALS.test(first.field('function')?.text() ?? '');
  return isEqual && left !== undefined && right !== undefined && more.length === 0 ? { left, right } : null;
}

/** The expected value is written out, or has a name that stands for it here only; the other side is what the code gave. */
function ofSides(
  test: Test,
  statement: SyntaxNode,
  { left, right }: Sides,
  given: Given,
): Expectation | null {
  for (const [expected, actual] of [
    [right, left],
    [left, right],
  ] as const) {
    const isValue = pythonChange(actual, given.classes, given.dice) !== null;
    if (isValue || isMade(actual, given)) continue;
    const found =
      expected.kind() === 'identifier'
        ? named(test, expected, actual, given)
        : written(expected, actual, expected === left, given);
    if (found === null) continue;
    const { edits, ordinals = null } = found;
    const node = found.node;
    const doubt =
      node !== null && isBuilt(node, given.classes) ? doubted(statement, left, right, node, edits) : null;
    return { ...idOf(test), ordinals, edits, doubt, kind: 'value' };
  }
  return null;
}

/** `assert a.equals(Money(3))`: what is built is expected. */
function ofSame(test: Test, statement: SyntaxNode, { classes, dice }: Given): Expectation | null {
  const [call] = statement.kind() === 'assert_statement' ? statement.namedChildren() : [];
  if (call?.kind() !== 'call') return null;
  const callee = call.field('function')?.text() ?? '';
  const [value, ...more] = call.field('arguments')?.namedChildren() ?? [];
  if (value === undefined || more.length > 0 || !SAME.test(callee)) return null;
  const edits = isMade(value, { classes, dice }) ? pythonChange(value, classes, dice) : null;
  if (edits === null) return null;
  const doubt = editOf(call, `(${value.text()})${SAME.exec(callee)?.[0] ?? ''}(${within(value, edits)})`);
  return { ...idOf(test), ordinals: null, edits, doubt, kind: 'value' };
}

/** A class of the code is asked what it is equal to, no function what it gives. */
const isMade = (node: SyntaxNode, { classes }: Given): boolean =>
  node.kind() === 'call' && classes.has(calleeOf(node));

interface Found {
  readonly node: SyntaxNode | null;
  readonly edits: readonly Edit[];
  readonly ordinals?: readonly number[];
}

function written(
  node: SyntaxNode,
  actual: SyntaxNode,
  isBefore: boolean,
  { classes, dice }: Given,
): Found | null {
  if (isBefore && isBuilt(node, classes) && asksNothing(actual)) return null;
  const edits = pythonChange(node, classes, dice);
  return edits === null ? null : { node, edits };
}

/** What is asked without any argument may be about what was built last. */
const asksNothing = (actual: SyntaxNode): boolean =>
  /\w\(\)/u.test(actual.text()) || !actual.text().includes('(');

/** A name bound once, to a value that is written out, and used once; or a parameter of the test. */
function named(test: Test, name: SyntaxNode, actual: SyntaxNode, given: Given): Found | null {
  const uses = descendants(test.node, (kind) => kind === 'identifier').filter(
    (each) => each.text() === name.text(),
  );
  if (uses.length !== 2) return null;
  const parameters = test.node.field('parameters')?.namedChildren() ?? [];
  if (parameters.some((each) => each.text() === name.text())) return ofRows(test, name.text(), given);
  const bound = (test.node.field('body')?.namedChildren() ?? []).flatMap((statement) => {
    const [only] = statement.namedChildren();
    return only?.kind() === 'assignment' && only.field('left')?.text() === name.text()
      ? (only.field('right') ?? [])
      : [];
  });
  const [value] = bound;
  return value === undefined ? null : written(value, actual, true, given);
}

/** The rows of the only `parametrize`. */
function ofRows({ decorators }: Test, name: string, { classes, dice }: Given): Found | null {
  const marks = decorators.filter((each) => each.text().startsWith('@pytest.mark.parametrize('));
  const calls = marks.length === 1 ? marks.flatMap((mark) => mark.namedChildren()) : [];
  const [names, rows, ...more] = calls.flatMap((call) => call.field('arguments')?.namedChildren() ?? []);
  if (names?.kind() !== 'string' || rows?.kind() !== 'list' || more.length > 0) return null;
  const labels: readonly string[] = names.text().match(/\w+/gu) ?? [];
  const at = labels.indexOf(name);
  const found = rows
    .namedChildren()
    .filter((row) => row.kind() !== 'comment')
    .map((row) => {
      const cell = labels.length === 1 ? row : row.kind() === 'tuple' ? row.namedChildren()[at] : undefined;
      return cell === undefined || isBuilt(cell, classes) ? null : pythonChange(cell, classes, dice);
    });
  const ordinals = found.flatMap((edits, ordinal) => (edits === null ? [] : [ordinal]));
  return ordinals.length === 0
    ? null
    : { node: null, edits: found.flatMap((edits) => edits ?? []), ordinals };
}

/** Says of the value and the changed one that they are equal, both ways. */
function doubted(
  statement: SyntaxNode,
  left: SyntaxNode,
  right: SyntaxNode,
  node: SyntaxNode,
  edits: readonly Edit[],
): Edit {
  const [was, is] = [node.text(), within(node, edits)];
  if (statement.kind() === 'assert_statement')
    return {
      from: left.range().start.index,
      to: right.range().end.index,
      by: `(${was}) == (${is}) and not (${was}) != (${is})`,
    };
  return {
    from: left.range().start.index,
    to: right.range().end.index,
    by: `True, (${was}) == (${is}) and not (${was}) != (${is})`,
  };
}

/** The same assertion, denied. */
function denied(statement: SyntaxNode): Edit[] | null {
  const [first] = statement.namedChildren();
  if (first === undefined) return null;
  if (statement.kind() === 'assert_statement') {
    const inner = first.kind() === 'not_operator' ? first.field('argument') : null;
    return [editOf(first, inner === null ? `not (${first.text()})` : inner.text())];
  }
  const callee = first.kind() === 'call' ? first.field('function') : null;
  const other = TRUTHS[callee?.text() ?? ''];
  return callee === null || other === undefined ? null : [editOf(callee, other)];
}
