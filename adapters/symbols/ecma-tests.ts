/** The tests of a suite of node:test, with those that a loop over a written table makes of each row. */
import { functionsOf, namesOf, rowsOf } from './ecma-reached.ts';
import type { Place } from './suite-names.ts';
import { countUses, isName, soleValue, type Names } from './suite-names.ts';
import type { SyntaxNode } from './syntax.ts';

const GROUP = /^(?:describe|suite)$/u;
const TEST = /^(?:test|it)$/u;

export interface EcmaTest {
  readonly nesting: readonly string[];
  readonly name: string;
  readonly body: SyntaxNode;
  readonly place: Place;
}

export function ecmaTests(root: SyntaxNode): EcmaTest[] {
  const uses = countUses();
  return testsIn(root, [], { names: new Map(), functions: new Map(), scope: root, depth: 0, uses });
}

function testsIn(node: SyntaxNode, nesting: readonly string[], place: Place): EcmaTest[] {
  const declared = node
    .namedChildren()
    .map((each) => (each.kind() === 'export_statement' ? (each.namedChildren()[0] ?? each) : each));
  const constants = declared.filter((each) => each.kind() === 'lexical_declaration');
  const written = declared.filter((each) => each.kind() === 'function_declaration');
  const names = new Map([
    ...place.names,
    ...constants.flatMap((each) => namesOf(each, place.scope, place.uses)),
  ]);
  const functions = new Map([
    ...place.functions,
    ...constants.flatMap((each) => functionsOf(each)),
    ...written.map((each): [string, SyntaxNode] => [each.field('name')?.text() ?? '', each]),
  ]);
  const here = { ...place, names, functions };
  return node.namedChildren().flatMap((statement) => testsOf(statement, nesting, here));
}

function testsOf(statement: SyntaxNode, nesting: readonly string[], place: Place): EcmaTest[] {
  const call = statement.kind() === 'expression_statement' ? statement.namedChildren()[0] : statement;
  const rows = call === undefined ? [] : rowsOf(call, place);
  if (rows.length > 0)
    return rows.flatMap(({ body, place: row }) =>
      body.kind() === 'statement_block' ? testsIn(body, nesting, row) : testsOf(body, nesting, row),
    );
  if (call?.kind() !== 'call_expression') return [];
  const args = call.field('arguments')?.namedChildren() ?? [];
  const [title, body] = [titleOf(args[0], place.names), args.at(-1)?.field('body')];
  const callee = call.field('function')?.text() ?? '';
  if (title === null || body === null || body === undefined) return [];
  if (GROUP.test(callee)) return testsIn(body, [...nesting, title], { ...place, scope: body });
  return TEST.test(callee) ? [{ nesting, name: title, body, place: { ...place, scope: body } }] : [];
}

/** A title without escapes; what it names stands in the row. */
function titleOf(node: SyntaxNode | undefined, names: Names): string | null {
  if (node?.kind() === 'template_string') {
    const parts = node.namedChildren().map((part) => {
      if (part.kind() !== 'template_substitution') return part.text();
      const [inner] = part.namedChildren();
      return inner === undefined ? null : shownIn(inner, names);
    });
    return parts.includes(null) || parts.some((part) => part?.includes('\\') === true)
      ? null
      : parts.join('');
  }
  const text =
    node !== undefined && isName(node)
      ? soleText(node, names)
      : node?.kind() === 'string'
        ? node.text()
        : null;
  return text === null || text.includes('\\') ? null : text.slice(1, -1);
}

const soleText = (node: SyntaxNode, names: Names): string | null => {
  const value = rowValue(node, names);
  return value?.kind() === 'string' ? value.text() : null;
};

/** What a row has for a name, however often it is used. */
function rowValue(node: SyntaxNode, names: Names): SyntaxNode | null {
  return soleValue(node, names) ?? names.get(node.text())?.cells[0]?.node ?? null;
}

/** A number or a text, as a template shows it. */
function shownIn(node: SyntaxNode, names: Names): string | null {
  const value = isName(node) ? rowValue(node, names) : null;
  if (value?.kind() === 'string') return value.text().includes('\\') ? null : value.text().slice(1, -1);
  return /^(?:0|-?[1-9]\d{0,14})$/u.test(value?.text() ?? '') ? (value?.text() ?? null) : null;
}
