/** A failed assertion at the start of each test of a pytest or unittest suite, in the words that the test itself uses. */
import type { Dice } from '../../core/ports/expectations.ts';
import { type Plant, twoNumbers } from './plant.ts';
import type { SyntaxNode } from './syntax.ts';

/** What may lie around a test without being a group of tests. */
const AROUND = new Set<unknown>([
  'if_statement',
  'else_clause',
  'elif_clause',
  'try_statement',
  'except_clause',
  'with_statement',
  'block',
]);
/** They need lines of their own. */
const COMPOUND = /^(?:if|for|while|try|with|match)_statement$|^(?:function|class|decorated)_definition$/u;
/** No test, whatever its name: `def test_client()`. */
const FIXTURE = /^@(?:\w+\.)*(?:\w+_)?fixture\b/u;
/** Decorators that let every failure through. */
const KNOWN =
  /^@(?:pytest\.mark\.(?!xfail)\w+|(?:mock\.)?patch(?:\.\w+)*|staticmethod|classmethod|given|settings|example|freeze_time|responses\.activate)\b/u;

export function pythonPlants(root: SyntaxNode, text: string, dice: Dice): Plant[] {
  return plantsIn(root, [], text, dice);
}

function plantsIn(node: SyntaxNode, nesting: readonly string[], text: string, dice: Dice): Plant[] {
  return node.namedChildren().flatMap((child): Plant[] => {
    if (AROUND.has(child.kind())) return plantsIn(child, nesting, text, dice);
    const isDecorated = child.kind() === 'decorated_definition';
    const item = isDecorated ? child.field('definition') : child;
    const body = item?.field('body') ?? null;
    if (item === null || body === null) return [];
    const name = item.field('name')?.text() ?? '';
    if (item.kind() === 'class_definition') return plantsIn(body, [...nesting, name], text, dice);
    if (item.kind() !== 'function_definition' || !name.startsWith('test')) return [];
    const first = body.namedChildren().find((each) => each.kind() !== 'comment');
    if (first === undefined) return [];
    const marks = isDecorated ? child.namedChildren().filter((each) => each.kind() === 'decorator') : [];
    if (marks.some((each) => FIXTURE.test(each.text()))) return [];
    const at = first.range().start.index;
    const indent = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    const end = COMPOUND.test(String(first.kind())) ? `\n${indent}` : '; ';
    const [plant, neutral] = assertions(body.text(), dice).map((line) => {
      return { from: at, to: at, by: `${line}${end}` };
    });
    if (plant === undefined || neutral === undefined) return [];
    return [{ nesting, name, plant, neutral, isPlain: marks.every((each) => KNOWN.test(each.text())) }];
  });
}

/** One that fails and one that holds. Who replaces the methods of unittest lets `assert` be, and the other way round. */
function assertions(body: string, dice: Dice): string[] {
  const [one, other] = twoNumbers(dice);
  const isMethod = /\bself\.assert\w+\(/u.test(body);
  const isPlain = /(?:^|\n|;)\s*assert\b/u.test(body);
  const usesMethod = isMethod && !(isPlain && dice(2) === 0);
  return [other, one].map((second) =>
    usesMethod ? `self.assertEqual(${one}, ${second})` : `assert ${one} == ${second}`,
  );
}
