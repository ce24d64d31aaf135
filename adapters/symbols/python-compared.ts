/** Where a pytest suite compares what the code's own classes say on both sides (compared-builds.ts). */
import type { Edit } from '../../core/ports/expectations.ts';
import { comparedBuilds, type Builds, type Pair, type Saying, type Words } from './compared-builds.ts';
import { equalFar, equalHere } from './python-doubts.ts';
import { boundFirst, type Change, type Names } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

const PLAIN = ['str', 'repr', 'hash', 'list', 'tuple', 'set', 'frozenset', 'sorted', 'dict', 'vars'];
const WORDS: Words = {
  through:
    /^(?:list|tuple|set|dictionary|parenthesized_expression|string|interpolation|(?:list|set)_comprehension|generator_expression|for_in_clause)$/u,
  holds: /^(?:list|tuple|set|dictionary|generator_expression|for_in_clause)$/u,
  asks: /^(?:attribute|subscript)$/u,
  call: 'call',
  plain: new Set(PLAIN),
  passing: new Set(['zip']),
  alsoIn: (node) => (node.kind() === 'generator_expression' ? (saidIn(node)?.namedChildren() ?? []) : []),
  isLabel: (name) => {
    const parent = name.parent();
    const label =
      parent?.field('attribute') ?? (parent?.kind() === 'keyword_argument' ? parent.field('name') : null);
    return label?.id() === name.id();
  },
};
const EQUALS =
  /^self\.assert(?:Equals?|ListEqual|DictEqual|TupleEqual|SetEqual|MultiLineEqual|SequenceEqual)$/u;
/** `if a != b: pytest.fail(…)`. */
const FAILS = /^(?:raise\b|(?:pytest|self)\.fail\()/u;
const COMPOUND = /^(?:if|for|while|try|with|match)_statement$|^(?:function|class|decorated)_definition$/u;

/** Of a statement that a green test has passed. @param first of the test */
export function pythonCompared(
  statement: SyntaxNode,
  first: SyntaxNode | null,
  names: Names,
  builds: Builds,
): Pick<Change, 'edits' | 'rows' | 'doubt' | 'far' | 'ordinals'>[] {
  return pairsOf(statement, { names, first }).flatMap((pair) => comparedBuilds(pair, names, WORDS, builds));
}

interface Around {
  readonly names: Names;
  readonly first: SyntaxNode | null;
}

function pairsOf(statement: SyntaxNode, around: Around): Pair[] {
  const [first, then] = statement.namedChildren();
  if (first === undefined) return [];
  if (statement.kind() === 'assert_statement') return equalIn(first, true, around, true);
  if (statement.kind() === 'if_statement') {
    const body = then?.namedChildren() ?? [];
    const isFailing = body.length === 1 && FAILS.test(body[0]?.text() ?? '');
    return isFailing && statement.field('alternative') === null ? equalIn(first, false, around, false) : [];
  }
  if (statement.kind() !== 'expression_statement' || first.kind() !== 'call') return [];
  const [left, right, ...more] = first.field('arguments')?.namedChildren() ?? [];
  const isSame = EQUALS.test(first.field('function')?.text() ?? '');
  if (left === undefined || right === undefined || more.length > 0 || !isSame) return [];
  return [pairOf(left, right, around, (equal) => `True, ${equal}`)];
}

/** Pairs of which the whole says that both are equal. `isTrue`: the whole holds, or its opposite does. */
function equalIn(node: SyntaxNode, isTrue: boolean, around: Around, hasPlace: boolean): Pair[] {
  const parts = node.children();
  const [left, operator, right] = parts;
  const inner = (is: boolean): Pair[] =>
    node.namedChildren().flatMap((each) => equalIn(each, is, around, hasPlace));
  switch (node.kind()) {
    case 'parenthesized_expression':
      return inner(isTrue);
    case 'not_operator':
      return inner(!isTrue);
    case 'boolean_operator':
      return isTrue && operator?.kind() === 'and' ? inner(isTrue) : [];
    case 'identifier': {
      const cell = boundFirst(node, around.names)?.cells[0]?.node;
      return cell?.kind() === 'comparison_operator' ? equalIn(cell, isTrue, around, false) : [];
    }
    case 'comparison_operator': {
      const isSame = isTrue ? /^(?:==|in)$/u.test(String(operator?.kind())) : operator?.kind() === '!=';
      if (left === undefined || right === undefined || parts.length !== 3 || !isSame) return [];
      return [pairOf(left, right, around, isTrue && hasPlace ? (equal) => equal : null)];
    }
    case 'call':
      return isTrue ? ofEach(node, around) : [];
    default:
      return [];
  }
}

/** `all(x == y for x, y in zip(found, [Money(1), Money(2)]))`. */
function ofEach(call: SyntaxNode, around: Around): Pair[] {
  const generator = call.field('arguments');
  const isEach = /^(?:all|any)$/u.test(call.field('function')?.text() ?? '');
  if (!isEach || generator?.kind() !== 'generator_expression') return [];
  const isSame = saidIn(generator)?.children()[1]?.kind() === '==';
  return isSame ? [pairOf(generator, generator, around, null)] : [];
}

/** What a generator says of each item, where it compares. */
function saidIn(generator: SyntaxNode): SyntaxNode | null {
  const [said] = generator.namedChildren();
  return said?.kind() === 'comparison_operator' ? said : null;
}

function pairOf(
  left: SyntaxNode,
  right: SyntaxNode,
  { first }: Around,
  form: ((equal: string) => string) | null,
): Pair {
  const here = (equal: string): Edit => {
    const [from, to] = [left.range().start.index, right.range().end.index];
    return { from, to, by: form?.(equal) ?? equal };
  };
  const start = (equal: string): Edit | null => (first === null ? null : opening(first, equal));
  const saying =
    (say: (equal: string) => Edit): Saying =>
    (pairs) =>
      say(pairs.map(([was, is]) => equalHere(was, is)).join(' or '));
  return {
    left,
    right,
    atStart: first === null ? null : saying((equal) => opening(first, equal)),
    inPlace: form === null ? null : saying(here),
    far: (build, edits) => {
      const equal = equalFar(build, edits, equalHere);
      return start(equal) ?? here(equal);
    },
  };
}

function opening(first: SyntaxNode, equal: string): Edit {
  const at = first.range().start.index;
  const text = first.getRoot().root().text();
  const indent = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const end = COMPOUND.test(String(first.kind())) ? `\n${indent}` : '; ';
  return { from: at, to: at, by: `assert ${equal}${end}` };
}
