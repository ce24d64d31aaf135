/** What the tests of a suite expect, in the languages whose suites are locked. */
import type { OwnNames } from '../../core/contract/own-names.ts';
import type { Dice, Expectation } from '../../core/ports/expectations.ts';
import type { Language } from '../../schemas/ids.ts';
import { ecmaExpectations } from './ecma-expectations.ts';
import { pythonExpectations } from './python-expectations.ts';
import { errorLines, parseRoot } from './syntax.ts';

const SOURCE_MAX = 200_000;

/** Empty where the text does not parse, is too large, or is of another language. @param own that the contract declares. */
export function expectationsOf(
  language: Language,
  file: string,
  text: string,
  own: OwnNames,
  dice: Dice,
): readonly Expectation[] {
  if (text.length > SOURCE_MAX || language === 'go' || language === 'rust') return [];
  const isPython = language === 'python';
  const grammar = /\.[cm]?js$/u.test(file) ? 'JavaScript' : file.endsWith('.tsx') ? 'Tsx' : 'TypeScript';
  const root = parseRoot(isPython ? 'python' : grammar, text);
  if (errorLines(root).length > 0) return [];
  const given = { classes: new Set(own.classes), makers: new Set(own.makers), dice };
  return isPython ? pythonExpectations(root, given) : ecmaExpectations(root, given);
}
