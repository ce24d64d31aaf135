/** Behind the wall the code's process can end without ending the run: an early exit all the same (gate.md part 5, row 6). */
import type { Finding, GateTier } from '../../../schemas/report.ts';
import { finding } from '../finding.ts';
import type { RunnerRun } from '../runner-reading.ts';

type TestLine = RunnerRun['tests'][number];

/** The trusted side's exception for a call that was not answered because the process was gone. */
const ENDED = /(^|\.)BuilderEnded$/u;

/** One finding, whichever tests came after the end. */
export function endFindings(run: RunnerRun, tier: GateTier | undefined): Finding[] {
  const test = run.tests.find((each) => isEnd(each, tier));
  const text = 'The process of the code ended in the middle of a test';
  return test === undefined ? [] : [finding('early_exit', 'L1', text, { testId: test.id })];
}

/** In process the code itself could have written the exception's name. */
export function isEnd(test: TestLine, tier: GateTier | undefined): boolean {
  return tier === 'glass_wall' && test.failure !== null && ENDED.test(test.failure.exceptionType);
}
