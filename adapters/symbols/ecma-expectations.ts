/**
 * What the tests of a suite of node:test expect (core/ports/expectations.ts): assertions that a green test has certainly reached, on
 * the first level of its body, whose other side is no longer right when the value is another one.
 */
import type { Dice, Edit, Expectation } from '../../core/ports/expectations.ts';
import { editOf, within } from './changed-literal.ts';
import { ecmaChange, isBuiltByCode } from './ecma-literals.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

const ENDS = /^(?:return_statement|yield_expression)$/u;
const NESTED =
  /^(?:arrow_function|function_expression|function_declaration|method_definition|class_declaration|class)$/u;
const SKIPS = /\.(?:skip|todo|plan)\b/u;
const GROUP = /^(?:describe|suite)$/u;
const TEST = /^(?:test|it)$/u;
const EQUALS = /^(?:assert(?:\.strict)?\.)?(?:equal|strictEqual|deepEqual|deepStrictEqual)$/u;
const TRUTHS = /^(?:assert|assert\.ok|ok)$/u;
/** A method that says what `==` says of plain values. */
const SAME = /\.(?:equals?|eq|isEqual(?:To)?|sameAs|isSame(?:As)?)$/u;

interface Given {
  readonly classes: ReadonlySet<string>;
  readonly dice: Dice;
}

interface Test {
  readonly nesting: readonly string[];
  readonly name: string;
  readonly body: SyntaxNode;
}

export function ecmaExpectations(root: SyntaxNode, given: Given): Expectation[] {
  const tests = testsIn(root, []);
  const keyOf = ({ nesting, name }: Test): string => [...nesting, name].join('\n');
  const isSole = (test: Test): boolean => tests.filter((other) => keyOf(other) === keyOf(test)).length === 1;
  return tests.filter((test) => isSole(test) && isStraight(test)).flatMap((test) => ofTest(test, given));
}

function testsIn(node: SyntaxNode, nesting: readonly string[]): Test[] {
  return node.namedChildren().flatMap((statement) => {
    const call = statement.kind() === 'expression_statement' ? statement.namedChildren()[0] : undefined;
    if (call?.kind() !== 'call_expression') return [];
    const args = call.field('arguments')?.namedChildren() ?? [];
    const [title, body] = [titleOf(args[0]), args.at(-1)?.field('body')];
    const callee = call.field('function')?.text() ?? '';
    if (title === null || body === null || body === undefined) return [];
    if (GROUP.test(callee)) return testsIn(body, [...nesting, title]);
    return TEST.test(callee) ? [{ nesting, name: title, body }] : [];
  });
}

/** A title without escapes. */
function titleOf(node: SyntaxNode | undefined): string | null {
  if (node === undefined || !/^(?:string|template_string)$/u.test(String(node.kind()))) return null;
  const text = node.text().slice(1, -1);
  return /\\|\$\{/u.test(text) ? null : text;
}

function isStraight({ body }: Test): boolean {
  if (SKIPS.test(body.text())) return false;
  return (
    descendants(
      body,
      (kind) => ENDS.test(kind),
      (kind) => NESTED.test(kind),
    ).length === 0
  );
}

function ofTest(test: Test, given: Given): Expectation[] {
  const isBlock = test.body.kind() === 'statement_block';
  const calls = isBlock
    ? test.body
        .namedChildren()
        .flatMap((each) => (each.kind() === 'expression_statement' ? each.namedChildren() : []))
    : [test.body];
  const id = { nesting: test.nesting, name: test.name, ordinals: null };
  return calls.flatMap((call): Expectation[] => {
    if (call.kind() !== 'call_expression') return [];
    const callee = call.field('function')?.text() ?? '';
    const [left, right] = call.field('arguments')?.namedChildren() ?? [];
    const asked = left === undefined ? null : ofSame(left, given);
    const isYes = right === undefined || right.kind() === 'true' || TRUTHS.test(callee);
    if (asked !== null && isYes && (TRUTHS.test(callee) || EQUALS.test(callee)))
      return [{ ...id, ...asked, kind: 'value' }];
    if (left !== undefined && TRUTHS.test(callee))
      return [{ ...id, edits: [editOf(left, `!(${left.text()})`)], doubt: null, kind: 'truth' }];
    if (left === undefined || right === undefined || !EQUALS.test(callee)) return [];
    const found = ofSides(test, left, right, given);
    return found === null ? [] : [{ ...id, ...found, kind: 'value' }];
  });
}

type Found = Pick<Expectation, 'edits' | 'doubt'>;

/** The expected value is written out, or has a name that stands for it here only; the other side is what the code gave. */
function ofSides(test: Test, left: SyntaxNode, right: SyntaxNode, given: Given): Found | null {
  const change = (node: SyntaxNode): Edit[] | null => ecmaChange(node, given.classes, given.dice);
  for (const [expected, actual] of [
    [right, left],
    [left, right],
  ] as const) {
    if (change(actual) !== null || actual.kind() === 'new_expression') continue;
    const value = expected.kind() === 'identifier' ? bound(test, expected) : expected;
    if (value === null) continue;
    const isBuilt = isBuiltByCode(value, given.classes);
    if (isBuilt && (value !== expected || expected === left) && asksNothing(actual)) continue;
    const edits = change(value);
    if (edits === null) continue;
    const doubt = isBuilt
      ? {
          from: left.range().start.index,
          to: right.range().end.index,
          by: `${value.text()}, ${within(value, edits)}`,
        }
      : null;
    return { edits, doubt };
  }
  return null;
}

/** `a.equals(new P(3))`: what is built is expected. */
function ofSame(node: SyntaxNode, { classes, dice }: Given): Found | null {
  const callee = node.kind() === 'call_expression' ? (node.field('function')?.text() ?? '') : '';
  const [value, ...more] = node.field('arguments')?.namedChildren() ?? [];
  if (value?.kind() !== 'new_expression' || more.length > 0 || !SAME.test(callee)) return null;
  const edits = isBuiltByCode(value, classes) ? ecmaChange(value, classes, dice) : null;
  const method = SAME.exec(callee)?.[0] ?? '';
  if (edits === null) return null;
  return { edits, doubt: editOf(node, `(${value.text()})${method}(${within(value, edits)})`) };
}

/** What is asked without any argument may be about what was built last. */
const asksNothing = (actual: SyntaxNode): boolean =>
  /[\w$]\(\)/u.test(actual.text()) || !actual.text().includes('(');

/** What a name is bound to in the body, where nothing else there speaks of it. */
function bound({ body }: Test, name: SyntaxNode): SyntaxNode | null {
  const isName = (kind: string): boolean => /^(?:identifier|shorthand_property_identifier)$/u.test(kind);
  const uses = descendants(body, isName).filter((each) => each.text() === name.text());
  if (uses.length !== 2 || body.kind() !== 'statement_block') return null;
  const declared = body
    .namedChildren()
    .flatMap((each) => (each.kind() === 'lexical_declaration' ? each.namedChildren() : []))
    .find((each) => each.field('name')?.text() === name.text());
  return declared?.field('value') ?? null;
}
