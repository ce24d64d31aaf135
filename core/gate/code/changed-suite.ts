/**
 * The counter-proof of a green suite (decision 0065): where a test expects something else, the same code must fail it. Code that does
 * its work cannot follow what a test expects; code that asks the expected value, reads the suite or has disarmed the runner does.
 *  S1. Of each test one thing that it expects is changed, which one is drawn: nobody can tell the changed suite from the locked one.
 *  S2. A test that passes as changed is proof against the code; a test that cannot be changed, or a run without an end, is none.
 *  S3. What the code's own class builds may be equal to what it built before: such a test is doubted, and run once more.
 */
import type { Finding, LockedSuite } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Dice, Edit, Expectation } from '../../ports/expectations.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { soleExport } from './two-judges.ts';

/** A change of one test in a file. */
export interface ChangedTest extends Expectation {
  readonly file: string;
}

/** Draws one change of each test; values before truths. */
export function drawChanges(file: string, found: readonly Expectation[], dice: Dice): ChangedTest[] {
  const byTest = new Map<string, Expectation[]>();
  for (const each of found) {
    const key = JSON.stringify([each.nesting, each.name]);
    byTest.set(key, [...(byTest.get(key) ?? []), each]);
  }
  return [...byTest.values()].flatMap((of) => {
    const values = of.filter(({ kind }) => kind === 'value');
    const from = values.length > 0 ? values : of;
    const drawn = from[dice(from.length)];
    return drawn === undefined ? [] : [{ ...drawn, file }];
  });
}

/** A text with all of these edits, which do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((left, right) => right.from - left.from)
    .reduce((rest, { from, to, by }) => rest.slice(0, from) + by + rest.slice(to), text);
}

/** The changes that the code followed: their tests are green. */
export function followed(execution: Execution, changes: readonly ChangedTest[]): readonly ChangedTest[] {
  return changes.filter((change) => greenOf(execution, change).length > 0);
}

/** What a builder and people are told of code that passes a changed suite. Null where it passes none of it. */
export function followsFinding(
  execution: Execution,
  changes: readonly ChangedTest[],
  locked: LockedSuite,
): Finding | null {
  const [testId] = changes.flatMap((change) => greenOf(execution, change));
  if (testId === undefined) return null;
  const text =
    'The code also passes a suite that expects something else: what it gives follows what is expected of it';
  return finding('follows_suite', 'L1', text, { testId, exportName: soleExport(testId, locked) });
}

function greenOf(execution: Execution, change: ChangedTest): TestId[] {
  if (execution.kind !== 'complete') return [];
  return execution.run.tests.flatMap(({ id, outcome }) =>
    outcome === 'passed' && isOf(id, change) ? [id] : [],
  );
}

function isOf(id: TestId, { file, nesting, name, ordinals }: ChangedTest): boolean {
  const isSame = id.file === file && id.name === name && id.nesting.join('\n') === nesting.join('\n');
  return isSame && (ordinals === null || ordinals.includes(id.ordinal));
}
