/** Whether an exception class derives from the base that the contract declares, as far as builtin names show it. */
import type { Language } from '../../../schemas/ids.ts';
import type { SourceSymbol } from '../../ports/symbols.ts';

/** Builtin exceptions by their base. */
const PYTHON: Readonly<Record<string, string>> = {
  ArithmeticError: 'Exception',
  AssertionError: 'Exception',
  AttributeError: 'Exception',
  BaseException: '',
  Exception: 'BaseException',
  FileNotFoundError: 'OSError',
  ImportError: 'Exception',
  IndexError: 'LookupError',
  KeyError: 'LookupError',
  LookupError: 'Exception',
  NotImplementedError: 'RuntimeError',
  OSError: 'Exception',
  OverflowError: 'ArithmeticError',
  PermissionError: 'OSError',
  RecursionError: 'RuntimeError',
  RuntimeError: 'Exception',
  StopIteration: 'Exception',
  TimeoutError: 'OSError',
  TypeError: 'Exception',
  UnicodeError: 'ValueError',
  ValueError: 'Exception',
  ZeroDivisionError: 'ArithmeticError',
};
const ECMA: Readonly<Record<string, string>> = {
  Error: '',
  EvalError: 'Error',
  RangeError: 'Error',
  ReferenceError: 'Error',
  SyntaxError: 'Error',
  TypeError: 'Error',
  URIError: 'Error',
};

/** What is certainly wrong with the bases, or null. Only one declared builtin base is judged. */
export function baseProblem(declared: SourceSymbol, found: SourceSymbol, language: Language): string | null {
  const parents = language === 'python' ? PYTHON : language === 'go' || language === 'rust' ? {} : ECMA;
  const [wanted, ...others] = declared.bases;
  if (wanted === undefined || others.length > 0 || !Object.hasOwn(parents, wanted)) return null;
  const bases = found.bases.length === 0 ? ['object'] : found.bases;
  if (bases.length === 1 && bases[0] === 'object')
    return found.decorators.length > 0 || (found.openMembers && language !== 'python')
      ? null
      : `does not derive from ${wanted}`;
  const isJudged = bases.every((base) => Object.hasOwn(parents, base));
  if (!isJudged || bases.some((base) => derives(base, wanted, parents))) return null;
  return `derives from ${bases.join(', ')}, not from ${wanted}`;
}

function derives(name: string, wanted: string, parents: Readonly<Record<string, string>>): boolean {
  for (let at = name; at !== ''; at = parents[at] ?? '') if (at === wanted) return true;
  return false;
}
