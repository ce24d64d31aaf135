/**
 * Whether the suite is to blame for code that was not accepted, and whether the builder's task ends with that (gate.md part 3).
 *  B1. What is proven (an example denied, a score that the contract asks for, a suite that breaks the rules) ends it at once.
 *  B2. What is only suspected (examples pass, tests fail) ends it when the builder hands in the same again, or has no attempt left.
 *  B3. A suspicion counts once a node: a second suite, written by itself, that says the same is evidence against the code.
 */
import type { FindingCode, GateReport } from '../../../schemas/report.ts';

export interface Blame {
  readonly suspect: 'code' | 'suite';
  /** For the suite's author: clauses, examples and numbers, nothing of the code. */
  readonly suiteFault: string | null;
  /** The builder has nothing left to do. */
  readonly isFinal: boolean;
}

const TOLD_TO_AUTHOR: readonly FindingCode[] = [
  'suite_contradicts_example',
  'message_unstated',
  'export_uncalled',
  'export_unnoticed',
  'mutation_score',
];
const TEXT_MAX = 400;

/** @param before suites withdrawn from the node so far, and whether this attempt was refused for the same reasons as the last. */
export function blameOf(
  report: Pick<GateReport, 'verdict' | 'fault' | 'suspect' | 'levels'>,
  before: { readonly withdrawn: number; readonly isRepeated: boolean },
): Blame {
  if (report.verdict === 'INVALID' && report.fault === 'author') {
    const found = report.levels
      .flatMap((level) => level.findings)
      .find((each) => TOLD_TO_AUTHOR.includes(each.code));
    return { suspect: 'suite', suiteFault: found?.text.slice(0, TEXT_MAX) ?? null, isFinal: true };
  }
  if (report.suspect === null || before.withdrawn > 0)
    return { suspect: 'code', suiteFault: null, isFinal: false };
  return { suspect: 'suite', suiteFault: null, isFinal: before.isRepeated };
}
