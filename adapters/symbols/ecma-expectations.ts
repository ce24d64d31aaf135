/**
 * What the tests of a suite of node:test expect (core/ports/expectations.ts): assertions that a green test has certainly passed
 * (ecma-reached.ts), whose other side is no longer right when the value is another one (ecma-claims.ts).
 */
import type { Edit, Expectation } from '../../core/ports/expectations.ts';
import { ecmaClaims, type Given } from './ecma-claims.ts';
import { isStraight, reachedIn } from './ecma-reached.ts';
import { ecmaTests, type EcmaTest } from './ecma-tests.ts';
import { isOwnText } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

const FUNCTION = /^(?:arrow_function|function_expression|function_declaration|method_definition)$/u;
/** What is in these belongs to its tests. */
const GROUPS = /^(?:describe|suite)$|\.forEach$/u;

export function ecmaExpectations(root: SyntaxNode, given: Given): Expectation[] {
  const tests = ecmaTests(root);
  const keyOf = ({ nesting, name }: EcmaTest): string => [...nesting, name].join('\n');
  const counts = new Map<string, number>();
  for (const test of tests) counts.set(keyOf(test), (counts.get(keyOf(test)) ?? 0) + 1);
  const bodies = bodiesIn(root);
  const drawn = { ...given, drawn: new Map<string, Edit[] | null>() };
  return tests
    .filter((test) => counts.get(keyOf(test)) === 1 && isStraight(test.body))
    .flatMap(({ nesting, name, body, place }) =>
      reachedIn(body, place)
        .flatMap((each) => ecmaClaims(each, body, drawn))
        .filter(({ edits }) => isOwnText(edits, body, bodies))
        .map((change) => ({ nesting, name, ...change })),
    );
}

/** Every function that is in no other one but a group. */
function bodiesIn(root: SyntaxNode): SyntaxNode[] {
  return root.namedChildren().flatMap((child): SyntaxNode[] => {
    if (!FUNCTION.test(String(child.kind()))) return bodiesIn(child);
    const call = child.parent()?.parent();
    const isGroup = call?.kind() === 'call_expression' && GROUPS.test(call.field('function')?.text() ?? '');
    return isGroup ? bodiesIn(child) : [child];
  });
}
