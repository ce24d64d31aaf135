/** What a pytest suite says of texts, and the same of another text. */
import type { Dice } from '../../core/ports/expectations.ts';
import { editOf, someLetters } from './changed-literal.ts';
import { calleeOf, textIn } from './python-literals.ts';
import type { Change } from './suite-names.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/** What is a text for certain, so that what it contains is no class's own affair. */
export const TEXT = /^(?:str|repr)\(|\.(?:text|out|err|stdout|stderr|getvalue\(\)|read_text\(\))$/u;
const MATCHES = /^(?:match|regex|expected_regex)$/u;

type Value = Pick<Change, 'edits' | 'doubt' | 'ordinals'>;

/** `str(error).startswith('no')`. */
export function ofEnd(call: SyntaxNode, dice: Dice): Value[] {
  const [value, ...more] = call.field('arguments')?.namedChildren() ?? [];
  const asked = /^(.*)\.(?:startswith|endswith)$/su.exec(call.field('function')?.text() ?? '');
  const isText = TEXT.test(asked?.[1] ?? '');
  return isText && value !== undefined && more.length === 0 ? otherText(value, dice) : [];
}

/** `with pytest.raises(ValueError, match='told')`. */
export function ofContext(statement: SyntaxNode, dice: Dice): Value[] {
  const items = descendants(
    statement,
    (kind) => kind === 'with_item',
    (kind) => kind === 'block',
  );
  return items.flatMap((item) => {
    const [first] = item.namedChildren();
    const call = first?.kind() === 'as_pattern' ? first.namedChildren()[0] : first;
    const args = call?.kind() === 'call' ? (call.field('arguments')?.namedChildren() ?? []) : [];
    const callee = call?.kind() === 'call' ? calleeOf(call) : '';
    const named = args.find((arg) => MATCHES.test(arg.field('name')?.text() ?? ''))?.field('value');
    const value = /^(?:raises|warns)$/u.test(callee)
      ? named
      : /^assert\w+Regex$/u.test(callee)
        ? (named ?? args[1])
        : null;
    return value === null || value === undefined ? [] : otherText(value, dice);
  });
}

/** Letters that nothing contains by chance. */
export function otherText(node: SyntaxNode, dice: Dice): Value[] {
  const content = textIn(node);
  const edits = content === null ? [] : [editOf(content, someLetters(content.text(), dice))];
  return edits.length === 0 ? [] : [{ edits, ordinals: null, doubt: null }];
}
