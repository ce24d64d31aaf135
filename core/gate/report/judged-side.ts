/** What one of two judges saw of a test, in one line for managers and people; never for an agent. */
import type { PlainJudge } from '../../../schemas/report.ts';

const TEXT_MAX = 160;

/** `failed: AssertionError: assert 0 == 6; last call: shift(1) returns 0`. */
export function judgedSide({
  outcome,
  failure,
  counterexample,
}: PlainJudge['differences'][number]['wall']): string {
  if (outcome === null) return 'did not run';
  const why = failure === null ? '' : `: ${failure.exceptionType}: ${cut(failure.message)}`;
  const call =
    counterexample === undefined ? '' : `; last call: ${counterexample.call} ${counterexample.result}`;
  return `${outcome}${why}${cut(call)}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX - 1)}…`;
}
