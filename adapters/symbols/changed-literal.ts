/** Other values of the same form: `1230` becomes `7230`, `'red'` becomes `'rxd'`. Nobody can tell by its form which of the two it was. */
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import type { SyntaxNode } from './syntax.ts';

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS_MIN = 9;
const LETTERS_MAX = 40;

/** A number of as many digits: its first digit that is not 0 is another one. */
export function otherNumber(text: string, dice: Dice): string | null {
  if (!/^(?:\d+\.?\d*|\.\d+|\d+n)$/u.test(text)) return null;
  const at = Math.max(text.search(/[1-9]/u), 0);
  const place = /\d/u.test(text[at] ?? '') && /[1-9]/u.test(text) ? at : text.search(/\d(?!.*\d)/u);
  return replaced(text, place, another(text[place] ?? '0', DIGITS.slice(1), dice));
}

/** A text of as many characters, one of them another one; one more where it has none that can be changed. */
export function otherText(content: string, dice: Dice): string | null {
  if (content.includes('\\')) return `${content}${LETTERS[dice(LETTERS.length)] ?? 'q'}`;
  const places = [...content.matchAll(/[A-Za-z0-9]/gu)].map(({ index }) => index);
  const place = places[dice(places.length)];
  if (place === undefined) return `${content}${LETTERS[dice(LETTERS.length)] ?? 'q'}`;
  const was = content[place] ?? '';
  const row = /\d/u.test(was) ? DIGITS : /[a-z]/u.test(was) ? LETTERS : LETTERS.toUpperCase();
  return replaced(content, place, another(was, row, dice));
}

/** For what has no form to keep: an empty list's one item, another value than none. */
export function someNumber(dice: Dice): string {
  return another('', DIGITS.slice(1), dice);
}

/** Letters that no text holds by chance, as many as a short text has at least. */
export function someLetters(content: string, dice: Dice): string {
  const count = Math.min(Math.max(content.length, LETTERS_MIN), LETTERS_MAX);
  return Array.from({ length: count }, () => LETTERS[dice(LETTERS.length)] ?? 'q').join('');
}

/** The same for literals that are equal: `1`, `1.0` and `True`. */
export function plainKey(text: string): string {
  const known = { True: '1', False: '0' }[text] ?? text.replace(/^\w*(['"`]+)([\s\S]*)\1$/u, '$2');
  return known !== '' && Number.isFinite(Number(known)) ? String(Number(known)) : known;
}

/** The text of a node in which these edits are made. */
export function within(node: SyntaxNode, edits: readonly Edit[]): string {
  const start = node.range().start.index;
  return edits
    .toSorted((left, right) => right.from - left.from)
    .reduce(
      (text, { from, to, by }) => text.slice(0, from - start) + by + text.slice(to - start),
      node.text(),
    );
}

export function editOf(node: SyntaxNode, by: string): Edit {
  const { start, end } = node.range();
  return { from: start.index, to: end.index, by };
}

function another(was: string, row: string, dice: Dice): string {
  const others = row.replace(was, '');
  return others[dice(others.length)] ?? row[0] ?? '1';
}

function replaced(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}
