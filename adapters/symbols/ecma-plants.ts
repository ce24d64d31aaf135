/** A failed assertion at the start of each test of a JavaScript or TypeScript suite, in the words that the test itself uses. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf } from './changed-literal.ts';
import { type Plant, twoNumbers } from './plant.ts';
import type { SyntaxNode } from './syntax.ts';

const GROUP = /^(?:describe|suite|context)(?:\.(?:only|concurrent|serial|parallel))?$/u;
const TEST = /^(?:(?:tap|tape|t|ava)\.test|test|it|specify)(?:\.(?:only|concurrent|serial))?$/u;
/** No test stands in one of these. */
const PLAIN = /(?:string|number|regex|comment|identifier|import_statement)/u;
const EQUAL =
  /\b((?:assert(?:\.strict)?\.(?:equal|strictEqual|deepEqual|deepStrictEqual))|(?:t\.(?:is|equals?|strictEqual|same|deepEqual)))\s*\(/u;

/** A test that says how many assertions it makes: one more that holds would be one too many. */
const COUNTED = /\b(?:plan|assertions|hasAssertions)\s*\(|\bassert\.expect\s*\(/u;

/** Tests without a title that is written out have none here; a runner that gives no names is told of them all the same. */
export function ecmaPlants(root: SyntaxNode, dice: Dice): Plant[] {
  return plantsIn(root, [], dice);
}

function plantsIn(node: SyntaxNode, nesting: readonly string[], dice: Dice): Plant[] {
  return node.namedChildren().flatMap((child): Plant[] => {
    if (PLAIN.test(String(child.kind()))) return [];
    const callee = child.kind() === 'call_expression' ? (child.field('function')?.text() ?? '') : '';
    const isGroup = GROUP.test(callee);
    if (!isGroup && !TEST.test(callee)) return plantsIn(child, nesting, dice);
    const args = child.field('arguments')?.namedChildren() ?? [];
    const body = args.findLast((each) => each.field('body') !== null)?.field('body') ?? null;
    if (body === null) return [];
    const title = titleOf(args[0]);
    if (isGroup) return plantsIn(body, [...nesting, title], dice);
    const [plant, neutral] = assertions(body.text(), dice).map((line) => planted(body, line));
    return plant === undefined || neutral === undefined
      ? []
      : [{ nesting, name: title, plant, neutral, isPlain: true }];
  });
}

/** A title without escapes; empty where it is none. */
function titleOf(node: SyntaxNode | undefined): string {
  if (node === undefined || !/^(?:string|template_string)$/u.test(String(node.kind()))) return '';
  const text = node.text().slice(1, -1);
  return /\\|\$\{/u.test(text) ? '' : text;
}

function planted(body: SyntaxNode, first: string): Edit {
  if (body.kind() !== 'statement_block') return editOf(body, `{ ${first} return (${body.text()}); }`);
  const from = body.range().start.index + 1;
  return { from, to: from, by: ` ${first}` };
}

/** One that fails and one that holds. Who replaces one library of assertions lets the others be. */
function assertions(body: string, dice: Dice): string[] {
  const [one, other] = twoNumbers(dice);
  const form = formOf(body);
  return [form(one, other), COUNTED.test(body) ? thrown(one, one) : form(one, one)];
}

function formOf(body: string): (one: string, other: string) => string {
  const equal = EQUAL.exec(body)?.[1];
  if (equal !== undefined) return (one, other) => `${equal}(${one}, ${other});`;
  if (/\bexpect\s*\(/u.test(body)) {
    const method = /\)\s*\.to\./u.test(body) ? 'to.equal' : 'toBe';
    return (one, other) => `expect(${one}).${method}(${other});`;
  }
  if (/\bassert\s*\(/u.test(body)) return (one, other) => `assert(${one} === ${other});`;
  return thrown;
}

function thrown(one: string, other: string): string {
  return `if (${one} !== ${other}) throw new Error('${one}');`;
}
