/**
 * What the tests of a pytest suite expect (core/ports/expectations.ts): assertions that a green test has certainly passed
 * (python-reached.ts), whose other side is no longer right when the value is another one (python-claims.ts).
 */
import type { Dice, Expectation } from '../../core/ports/expectations.ts';
import { pythonClaims } from './python-claims.ts';
import { hasSkip, isStraight, moduleNames, reachedIn, type Reached } from './python-reached.ts';
import { bind, countUses, isOwnText, soleValue, type Cell, type Names, type Uses } from './suite-names.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

const DECORATOR = /^@(?:pytest\.mark\.\w+|(?:mock\.)?patch(?:\.\w+)*|staticmethod)\b/u;

interface Given {
  readonly classes: ReadonlySet<string>;
  /** Functions of the code. */
  readonly makers: ReadonlySet<string>;
  readonly dice: Dice;
}

interface Test {
  readonly nesting: readonly string[];
  readonly name: string;
  readonly node: SyntaxNode;
  readonly decorators: readonly SyntaxNode[];
  /** Methods beside it, by the name it calls them by. */
  readonly beside: ReadonlyMap<string, SyntaxNode>;
}

interface Module {
  readonly names: Names;
  readonly functions: ReadonlyMap<string, SyntaxNode>;
  /** Every function that is in no other one. */
  readonly bodies: readonly SyntaxNode[];
  readonly uses: Uses;
}

export function pythonExpectations(root: SyntaxNode, given: Given): Expectation[] {
  const tests = testsIn(root, []);
  const keyOf = ({ nesting, name }: Test): string => [...nesting, name].join('\n');
  const isSole = (test: Test): boolean => tests.filter((other) => keyOf(other) === keyOf(test)).length === 1;
  const isFunction = (kind: string): boolean => kind === 'function_definition';
  const bodies = descendants(root, isFunction).filter(
    (each) => !each.ancestors().some((a) => a.kind() === 'function_definition'),
  );
  const uses = countUses();
  const module = { names: moduleNames(root, uses), functions: functionsIn(root, ''), bodies, uses };
  return tests.filter((test) => isSole(test) && isWhole(test)).flatMap((test) => ofTest(test, module, given));
}

function testsIn(node: SyntaxNode, nesting: readonly string[]): Test[] {
  const beside = functionsIn(node, 'self.');
  return node.namedChildren().flatMap((child) => {
    const isDecorated = child.kind() === 'decorated_definition';
    const item = isDecorated ? child.field('definition') : child;
    const decorators = isDecorated ? child.namedChildren().filter((each) => each.kind() === 'decorator') : [];
    const body = item === null ? null : item.field('body');
    if (item === null || body === null) return [];
    const name = item.field('name')?.text() ?? '';
    if (item.kind() === 'class_definition') return testsIn(body, [...nesting, name]);
    return item.kind() === 'function_definition' && name.startsWith('test')
      ? [{ nesting, name, node: item, decorators, beside }]
      : [];
  });
}

/** Functions without decorators that are defined here once, by the name they are called by. */
function functionsIn(node: SyntaxNode, prefix: string): ReadonlyMap<string, SyntaxNode> {
  const all = node.namedChildren().filter((each) => each.kind() === 'function_definition');
  const nameOf = (each: SyntaxNode): string => each.field('name')?.text() ?? '';
  const sole = all.filter((each) => all.filter((other) => nameOf(other) === nameOf(each)).length === 1);
  return new Map(sole.map((each) => [prefix + nameOf(each), each]));
}

function isWhole({ node, decorators }: Test): boolean {
  const body = node.field('body');
  const isKnown = decorators.every((each) => DECORATOR.test(each.text()) && !hasSkip(each.text()));
  return body !== null && isKnown && isStraight(body);
}

function ofTest(test: Test, module: Module, given: Given): Expectation[] {
  const { nesting, name, node } = test;
  const names = new Map([...module.names, ...columnsOf(test, module)]);
  const functions = new Map([...module.functions, ...test.beside]);
  const body = node.field('body');
  const place = { names, functions, scope: node, depth: 0, uses: module.uses };
  const first = body?.namedChildren().find((each) => each.kind() !== 'comment') ?? null;
  const reached: readonly Reached[] = body === null ? [] : reachedIn(body, place);
  return reached
    .flatMap((each) => pythonClaims(each, { ...given, first }))
    .filter(({ edits }) => isOwnText(edits, node, module.bodies))
    .map((change) => ({ nesting, name, ...change }));
}

/** The parameters of a test that the only `parametrize` fills; a parameter stands for no value of the module. */
function columnsOf({ decorators, node }: Test, { names, uses }: Module): Names {
  const marks = decorators.filter((each) => each.text().startsWith('@pytest.mark.parametrize('));
  const calls = marks.length === 1 ? marks.flatMap((mark) => mark.namedChildren()) : [];
  const [written, table, ...more] = calls.flatMap((call) => call.field('arguments')?.namedChildren() ?? []);
  const list =
    table === undefined || more.some((each) => each.field('name')?.text() !== 'ids')
      ? null
      : soleValue(table, names);
  const labels: readonly string[] = written?.kind() === 'string' ? (written.text().match(/\w+/gu) ?? []) : [];
  const rows = list?.kind() === 'list' ? list.namedChildren().filter((row) => row.kind() !== 'comment') : [];
  return new Map(
    (node.field('parameters')?.namedChildren() ?? []).map((parameter) => {
      const at = labels.indexOf(parameter.text());
      const cells =
        at < 0
          ? []
          : rows.flatMap((row, ordinal): Cell[] => {
              const cell =
                labels.length === 1 ? row : row.kind() === 'tuple' ? row.namedChildren()[at] : undefined;
              return cell === undefined ? [] : [{ node: cell, ordinal }];
            });
      return bind(parameter, cells, node, uses);
    }),
  );
}
