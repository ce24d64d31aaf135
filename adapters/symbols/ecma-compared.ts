/** Where a suite of node:test compares what the code's own classes say on both sides (compared-builds.ts). */
import type { Edit } from '../../core/ports/expectations.ts';
import { editOf } from './changed-literal.ts';
import {
  argumentsOf,
  comparedBuilds,
  type Builds,
  type Pair,
  type Saying,
  type Words,
} from './compared-builds.ts';
import { boundFirst, type Change, type Names } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

const WORDS: Words = {
  through:
    /^(?:array|object|pair|parenthesized_expression|template_string|template_substitution|unary_expression|spread_element|as_expression|satisfies_expression|non_null_expression)$/u,
  holds: /^(?:array|object)$/u,
  asks: /^(?:member_expression|subscript_expression)$/u,
  call: 'call_expression',
  plain: new Set([
    'String',
    'Number',
    'JSON.stringify',
    'JSON.parse',
    'Object.entries',
    'Object.values',
    'Array.from',
  ]),
  passing: new Set(),
  alsoIn: () => [],
  isLabel: () => false,
};
const EQUALS = /^(?:assert(?:\.strict)?\.)?(?:equal|strictEqual|deepEqual|deepStrictEqual)$/u;
const TRUTHS = /^(?:assert|assert\.ok|ok)$/u;
/** `if (a !== b) throw …`. */
const FAILS = /^\{?\s*(?:throw\b|assert\.fail\()/u;

interface Around {
  readonly names: Names;
  /** The body of the test. */
  readonly body: SyntaxNode;
}

/** Of a call that a green test has passed, or a condition that fails one. @param same a method that says what `==` says of plain values */
export function ecmaCompared(
  said: SyntaxNode,
  around: Around,
  same: RegExp,
  builds: Builds,
): Pick<Change, 'edits' | 'doubt' | 'far'>[] {
  return pairsOf(said, around, same).flatMap((pair) => comparedBuilds(pair, around.names, WORDS, builds));
}

function pairsOf(said: SyntaxNode, around: Around, same: RegExp): Pair[] {
  if (said.kind() === 'if_statement') {
    const [condition, then] = [said.field('condition'), said.field('consequence')];
    const isFailing = FAILS.test(then?.text() ?? '') && said.field('alternative') === null;
    return condition === null || !isFailing ? [] : equalIn(condition, false, around, same);
  }
  const callee = said.field('function')?.text() ?? '';
  const [left, right] = argumentsOf(said);
  if (left === undefined) return [];
  if (TRUTHS.test(callee)) return equalIn(left, true, around, same);
  if (right === undefined || !EQUALS.test(callee)) return [];
  const isTrue = right.kind() === 'true' && left.kind() === 'call_expression';
  const truths = isTrue ? equalIn(left, true, around, same) : [];
  if (truths.length > 0) return truths;
  return [
    pairOf(
      left,
      right,
      around.body,
      (was, is) => `${callee}(${was}, ${is});`,
      (was, is) => `${was}, ${is}`,
    ),
  ];
}

/** Pairs of which the whole says that both are equal. `isTrue`: the whole holds, or its opposite does. */
function equalIn(node: SyntaxNode, isTrue: boolean, around: Around, same: RegExp): Pair[] {
  const inner = (is: boolean): Pair[] =>
    node.namedChildren().flatMap((each) => equalIn(each, is, around, same));
  const [left, operator, right] = [
    node.field('left'),
    node.field('operator')?.text() ?? '',
    node.field('right'),
  ];
  switch (node.kind()) {
    case 'parenthesized_expression':
      return inner(isTrue);
    case 'unary_expression':
      return operator === '!' ? inner(!isTrue) : [];
    case 'identifier': {
      const cell = boundFirst(node, around.names)?.cells[0]?.node;
      return cell === undefined || cell.kind() === 'identifier' ? [] : equalIn(cell, isTrue, around, same);
    }
    case 'binary_expression':
      if (operator === '&&') return isTrue ? inner(isTrue) : [];
      if (left === null || right === null || !(isTrue ? /^===?$/u : /^!==?$/u).test(operator)) return [];
      return [pairOf(left, right, around.body, differ)];
    case 'call_expression':
      return isTrue ? ofSame(node, around, same) : [];
    default:
      return [];
  }
}

const differ = (was: string, is: string): string => `if ((${was}) !== (${is})) throw new Error('1');`;

/** `new Money(3).equals(found)`, and the other way round. */
function ofSame(call: SyntaxNode, { body }: Around, same: RegExp): Pair[] {
  const callee = call.field('function');
  const [left, method] = [callee?.field('object') ?? null, same.exec(callee?.text() ?? '')?.[0]];
  const [right, ...more] = argumentsOf(call);
  if (left === null || right === undefined || more.length > 0 || method === undefined) return [];
  return [pairOf(left, right, body, (was, is) => `if (!(${was})${method}(${is})) throw new Error('1');`)];
}

function pairOf(
  left: SyntaxNode,
  right: SyntaxNode,
  body: SyntaxNode,
  said: (was: string, is: string) => string,
  form: ((was: string, is: string) => string) | null = null,
): Pair {
  const atStart: Saying = (pairs) => opening(body, pairs.map(([was, is]) => said(was, is)).join(' '));
  const [from, to] = [left.range().start.index, right.range().end.index];
  const inPlace: Saying = ([first]) => ({
    from,
    to,
    by: first === undefined ? '' : (form?.(...first) ?? ''),
  });
  return { left, right, atStart, inPlace: form === null ? null : inPlace };
}

function opening(body: SyntaxNode, first: string): Edit {
  if (body.kind() !== 'statement_block') return editOf(body, `{ ${first} return (${body.text()}); }`);
  const from = body.range().start.index + 1;
  return { from, to: from, by: ` ${first}` };
}
