/** Exception names that may be repeated to an agent: builtins of the language and what the contract states (gate.md part 6). */
import type { Language } from '../../../schemas/ids.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import { raiseName } from '../suite/clauses.ts';

const PYTHON = [
  'ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError ChildProcessError',
  'ConnectionError EOFError Exception FileExistsError FileNotFoundError FloatingPointError FrozenInstanceError GeneratorExit',
  'ImportError IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError',
  'ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError ProcessLookupError',
  'RecursionError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError SystemExit TabError',
  'TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError',
];
const JAVASCRIPT = [
  'AggregateError AssertionError Error EvalError RangeError ReferenceError SyntaxError TypeError URIError',
];

const MORE_JAVASCRIPT = 'DOMException AbortError TimeoutError SuppressedError'.split(' ');

const BUILTINS: Readonly<Record<Language, ReadonlySet<string>>> = {
  python: words(PYTHON),
  javascript: words(JAVASCRIPT),
  typescript: words(JAVASCRIPT),
  go: new Set(),
  rust: new Set(),
};

/** Names of exceptions that the contract makes itself: with a base, or unknown to the language. */
export function declaredExceptions(contract: ResolvedContract): string[] {
  return contract.interface.raises
    .filter((entry) => {
      const text = typeof entry === 'string' ? entry : entry.type;
      return text.includes('(') || !BUILTINS[contract.language].has(raiseName(entry));
    })
    .map(raiseName);
}

/** The name itself if an agent may read it, else `other`. Module prefixes are dropped before looking. */
export function knownException(name: string, contract: ResolvedContract): string {
  const short = name.split('.').at(-1) ?? name;
  if (BUILTINS[contract.language].has(short)) return short;
  return contract.interface.raises.some((entry) => raiseName(entry) === short) ? short : 'other';
}

function words(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Builtins that no agent is told of by name, and that an example may name. */
const MORE: Readonly<Record<Language, readonly string[]>> = {
  python:
    'BaseExceptionGroup BytesWarning ConnectionAbortedError ConnectionRefusedError ConnectionResetError DeprecationWarning EncodingWarning EnvironmentError Exception ExceptionGroup FutureWarning IOError ImportWarning PendingDeprecationWarning ResourceWarning RuntimeWarning SyntaxWarning UnicodeTranslateError UnicodeWarning UserWarning Warning'.split(
      ' ',
    ),
  javascript: MORE_JAVASCRIPT,
  typescript: MORE_JAVASCRIPT,
  go: [],
  rust: [],
};

/** Whether the language itself defines an exception of this name. */
export function isBuiltinException(language: Language, name: string): boolean {
  return builtinExceptions(language).includes(name);
}

export function builtinExceptions(language: Language): readonly string[] {
  return [...BUILTINS[language], ...MORE[language]];
}
