/** A statement of a pytest suite that says the opposite: red wherever the statement as it was is green. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import { editOf } from './changed-literal.ts';
import type { SyntaxNode } from './syntax.ts';

const PAIRS = [
  ['assertTrue', 'assertFalse'],
  ['assertEqual', 'assertNotEqual'],
  ['assertIs', 'assertIsNot'],
  ['assertIsNone', 'assertIsNotNone'],
  ['assertIn', 'assertNotIn'],
  ['assertIsInstance', 'assertNotIsInstance'],
  ['assertAlmostEqual', 'assertNotAlmostEqual'],
  ['assertRegex', 'assertNotRegex'],
  ['assert_called', 'assert_not_called'],
  ['assert_awaited', 'assert_not_awaited'],
] as const;
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ...PAIRS,
  ...PAIRS.map(([yes, no]) => [no, yes] as const),
  ['assert_called_once', 'assert_not_called'],
  ['assert_awaited_once', 'assert_not_awaited'],
]);
/** The other way round, as a suite would write it: who reads it sees no odd form. */
const CONVERSE: ReadonlyMap<string, string> = new Map([
  ['==', '!='],
  ['!=', '=='],
  ['in', 'not in'],
  ['is', 'is not'],
  ['>', '<='],
  ['<', '>='],
]);
/** No error of a test that expects another one is any of these: only `Exception` is above them. */
const OTHERS = ['BufferError', 'EOFError', 'ReferenceError', 'SystemError'];
const BROAD = /^(?:Base)?Exception$|Group$/u;
const RAISES = /^(?:pytest\.raises|self\.assertRaises)$/u;

/** Null for what asserts nothing. */
export function denied(statement: SyntaxNode, dice: Dice): Edit[] | null {
  const [first] = statement.namedChildren();
  if (first === undefined) return null;
  if (statement.kind() === 'assert_statement') {
    const [, operator, ...more] = first.kind() === 'comparison_operator' ? first.children() : [];
    const converse = more.length === 1 ? CONVERSE.get(operator?.text() ?? '') : undefined;
    if (operator !== undefined && converse !== undefined) return [editOf(operator, converse)];
    const inner = first.kind() === 'not_operator' ? first.field('argument') : null;
    return [editOf(first, inner === null ? `not (${first.text()})` : `(${inner.text()})`)];
  }
  if (statement.kind() === 'with_statement') return otherError(statement, dice);
  const name = first.kind() === 'call' ? (first.field('function')?.field('attribute') ?? null) : null;
  const other = OPPOSITES.get(name?.text() ?? '');
  return name === null || other === undefined ? null : [editOf(name, other)];
}

/** `with pytest.raises(ValueError)` expects an error of another kind. */
function otherError(statement: SyntaxNode, dice: Dice): Edit[] | null {
  const [clause] = statement.namedChildren();
  const [item, ...more] = clause?.namedChildren() ?? [];
  const first = item?.kind() === 'with_item' && more.length === 0 ? item.namedChildren()[0] : undefined;
  const call = first?.kind() === 'as_pattern' ? first.namedChildren()[0] : first;
  if (call?.kind() !== 'call' || !RAISES.test(call.field('function')?.text() ?? '')) return null;
  const [error] = call.field('arguments')?.namedChildren() ?? [];
  const isName = error?.kind() === 'identifier' || error?.kind() === 'attribute';
  if (error === undefined || !isName || BROAD.test(error.text())) return null;
  const unused = OTHERS.filter((other) => !statement.getRoot().root().text().includes(other));
  const by = unused[dice(unused.length)];
  return by === undefined ? null : [editOf(error, by)];
}
