/**
 * A suite whose tests are played through on a stub (gate.md part 12): an error of one statement ends no function, so that all that a test
 * would call is called. Nothing is judged by such a run; it tells what tests reach. For Python see suite_through.py.
 */
import type { Edit } from '../../core/ports/expectations.ts';
import { descendants, errorLines, parseRoot, type SyntaxNode } from './syntax.ts';

const FUNCTIONS = new Set([
  'function_declaration',
  'function_expression',
  'arrow_function',
  'method_definition',
]);
const DECLARATIONS = new Set(['lexical_declaration', 'variable_declaration']);
const GROUPS = new Set([
  'if_statement',
  'for_statement',
  'for_in_statement',
  'statement_block',
  'else_clause',
]);

/** The text with each statement of its functions on its own, line by line where it was; as it is where it does not parse. */
export function playedThrough(file: string, text: string): string {
  const root = parseRoot(/\.[cm]?ts$/u.test(file) ? 'TypeScript' : 'Tsx', text);
  if (errorLines(root).length > 0) return text;
  const edits = descendants(root, (kind) => FUNCTIONS.has(kind)).flatMap((node) => {
    const body = node.field('body');
    return body?.kind() === 'statement_block' && !isWhole(node) ? ofBlock(body) : [];
  });
  // Of two at one place the later one is put in first.
  return edits
    .toReversed()
    .toSorted((left, right) => right.from - left.from || right.to - left.to)
    .reduce((rest, { from, to, by }) => rest.slice(0, from) + by + rest.slice(to), text);
}

/** Where a generator ends is what it says, and before its base is made an object is none. */
function isWhole(node: SyntaxNode): boolean {
  return node.field('name')?.text() === 'constructor' || /^(?:static\s+)?(?:async\s*)?\*/u.test(node.text());
}

function ofBlock(block: SyntaxNode): Edit[] {
  return block.namedChildren().flatMap((statement) => ofStatement(statement));
}

function ofStatement(statement: SyntaxNode): Edit[] {
  const kind = String(statement.kind());
  if (kind === 'statement_block') return ofBlock(statement);
  if (GROUPS.has(kind)) return [...(kind === 'if_statement' ? tried(statement) : []), ...ofParts(statement)];
  if (DECLARATIONS.has(kind)) return isBound(statement) ? [] : [...tried(statement), ...asVar(statement)];
  const isPlain = kind === 'expression_statement' && statement.namedChildren()[0]?.kind() !== 'string';
  return isPlain || kind === 'throw_statement' ? tried(statement) : [];
}

/** What a loop goes over may not be there; its body goes on all the same. */
function ofParts(group: SyntaxNode): Edit[] {
  const isLoop = /^for_/u.test(String(group.kind()));
  const parts = group.namedChildren().flatMap((child) => {
    if (child.kind() === 'statement_block') return ofBlock(child);
    return GROUPS.has(String(child.kind())) ? ofParts(child) : [];
  });
  return isLoop ? [...tried(group), ...parts] : parts;
}

function tried(statement: SyntaxNode): Edit[] {
  const { start, end } = statement.range();
  return [insert(start.index, 'try { '), insert(end.index, ' } catch {}')];
}

/** Seen outside of its `try`. */
function asVar(statement: SyntaxNode): Edit[] {
  const [word] = /^(?:const|let)\b/u.exec(statement.text()) ?? [];
  const from = statement.range().start.index;
  return word === undefined ? [] : [{ from, to: from + word.length, by: 'var' }];
}

/** Beside a name of the head of its loop or handler, or of a function or class in a block, a `var` of that name would be none. */
function isBound(statement: SyntaxNode): boolean {
  const names = new Set(statement.namedChildren().flatMap((each) => wordsOf(each.field('name'))));
  const above = statement.ancestors();
  const until = above.findIndex((each) => FUNCTIONS.has(String(each.kind())));
  return above
    .slice(0, until < 0 ? above.length : until)
    .flatMap((each) => [
      each.field('left'),
      each.field('initializer'),
      each.field('parameter'),
      ...blockNames(each),
    ])
    .some((bound) => wordsOf(bound).some((word) => names.has(word)));
}

function blockNames(block: SyntaxNode): (SyntaxNode | null)[] {
  return block
    .namedChildren()
    .filter((each) => /^(?:function|class)_declaration$/u.test(String(each.kind())))
    .map((each) => each.field('name'));
}

function wordsOf(node: SyntaxNode | null): string[] {
  return node?.text().match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

function insert(at: number, by: string): Edit {
  return { from: at, to: at, by };
}
