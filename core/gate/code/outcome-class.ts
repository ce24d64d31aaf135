/** Reduces a failure from a hostile report to known words: class, exception type, line of the judged party (gate.md parts 6 and 11). */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { OutcomeClass } from '../../../schemas/report.ts';
import type { Failure, Frame } from '../../../schemas/runner-report.ts';
import { knownException } from '../exports/known-types.ts';

/** Files of one party with the number of lines each has. */
export type OwnFiles = ReadonlyMap<string, number>;

const TIMEOUT_TYPES: ReadonlySet<string> = new Set(['A7TestTimeout', 'TestTimeout']);

/** How a test went wrong, in one of five words. */
export function outcomeClass(failure: Failure | null, contract: ResolvedContract): OutcomeClass {
  if (failure === null) return 'raised';
  if (TIMEOUT_TYPES.has(failure.exceptionType)) return 'timed_out';
  if (isMissingName(failure, contract)) return 'missing';
  if (isDidNotRaise(failure)) return 'did_not_raise';
  if (otherError(failure) !== null) return 'raised';
  return failure.assertion ? 'wrong_value' : 'raised';
}

/** Why nothing of a file could run: it could not be imported, or took longer to than a test may. */
export function importText({ exceptionType }: Failure): string {
  return TIMEOUT_TYPES.has(exceptionType)
    ? 'Importing the code takes longer than a test may: nothing that waits or never ends may run while it is imported'
    : 'The code cannot be imported the way the contract says';
}

/** Outcome and exception of an import: there is no value that could be wrong. */
export function importOutcome(
  failure: Failure,
  contract: ResolvedContract,
): { readonly outcome: OutcomeClass; readonly exceptionType: string | null } {
  const outcome = outcomeClass(failure, contract);
  if (outcome === 'timed_out') return { outcome, exceptionType: null };
  return {
    outcome: outcome === 'missing' ? 'missing' : 'raised',
    exceptionType: exceptionOf(failure, contract) ?? 'other',
  };
}

/** What is told of a test that is not green. */
export function failedText(
  { outcome, failure }: { readonly outcome: string; readonly failure: Failure | null },
  contract: ResolvedContract,
): string {
  if (outcomeClass(failure, contract) === 'timed_out') return 'A test ran longer than a test may';
  return outcome === 'error' ? 'A test failed in set-up or tear-down' : 'A test failed';
}

/** The exception's name where an agent may read it. An assertion of the suite is none of the code's exceptions: null. */
export function exceptionOf(failure: Failure | null, contract: ResolvedContract): string | null {
  const other = failure === null ? null : otherError(failure);
  if (other !== null) return knownException(other, contract);
  if (
    failure === null ||
    failure.assertion ||
    TIMEOUT_TYPES.has(failure.exceptionType) ||
    isDidNotRaise(failure)
  )
    return null;
  return knownException(failure.exceptionType, contract);
}

/** The innermost frame in a file of the party, at a line that the file has; else null. */
export function ownPlace(failure: Failure | null, own: OwnFiles): Frame | null {
  const frame = failure?.frames.findLast((candidate) => {
    const lines = own.get(candidate.file);
    return lines !== undefined && candidate.line >= 1 && candidate.line <= lines;
  });
  return frame === undefined ? null : { file: frame.file, line: frame.line };
}

function isDidNotRaise(failure: Failure): boolean {
  if (!failure.assertion) return false;
  return /^(DID NOT RAISE|Missing expected (exception|rejection)|\w+ not raised)/u.test(failure.message);
}

/** `assert.throws(f, RangeError)` fails by an assertion when another error came: its name, else null. */
function otherError(failure: Failure): string | null {
  if (!failure.assertion) return null;
  const found = /^The error is expected to be an instance of "[^"\n]*"\. Received "([^"\n]*)"/u.exec(
    failure.message,
  );
  return found?.[1] ?? null;
}

function isMissingName(failure: Failure, contract: ResolvedContract): boolean {
  const type = failure.exceptionType.split('.').at(-1) ?? '';
  if (contract.language === 'python') {
    return type === 'ImportError' && failure.message.startsWith('cannot import name');
  }
  return type === 'SyntaxError' && failure.message.includes('does not provide an export named');
}
