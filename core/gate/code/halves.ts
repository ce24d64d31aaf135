/**
 * The counter-proof where suite and code share a process (decision 0094). Code that reads the suite there, and does a part of its work, could tell
 * a changed suite from the locked one by that part, and be red in all of it. So it meets two suites, in each of which a half that is
 * drawn anew expects something else: of every test it has to know which of both it has in hand.
 *  H1. What is changed in one half is as it was in the other; for each test a coin is thrown, so that none tells of another.
 *  H2. A changed test that is green has followed, as in changed-suite.ts.
 *  H3. An unchanged test has to be green. A changed one may leave something that makes it red: so it is asked once more alone, as it
 *      was and changed, and nothing tells the code which of the two it is.
 */
import type { Finding, LockedSuite } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Dice } from '../../ports/expectations.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { idKey } from '../test-id.ts';
import { isOf, placeOf, type ChangedTest } from './changed-suite.ts';
import { soleExport } from './two-judges.ts';

export type Halves = readonly [readonly ChangedTest[], readonly ChangedTest[]];

/** Tests that are asked once more alone; each needs two rooms. */
const ALONE_MAX = 3;

/** Each row of a table is a test of its own here; what shares its text is in one half. */
export function drawHalves(whole: readonly ChangedTest[], dice: Dice): Halves {
  const changes = whole.flatMap((change) =>
    change.rows === undefined
      ? [change]
      : change.rows.map(({ ordinal, edits }) => ({ ...change, edits, ordinals: [ordinal] })),
  );
  const halves: [ChangedTest[], ChangedTest[]] = [[], []];
  const drawn = new Map<string, 0 | 1>();
  for (const change of changes) {
    const places = change.edits.map((edit) => `${change.file} ${placeOf(edit)}`);
    const known = places.flatMap((place) => drawn.get(place) ?? []);
    const at = known[0] ?? (dice(2) === 0 ? 0 : 1);
    for (const place of places) drawn.set(place, at);
    halves[at].push(change);
  }
  return halves;
}

/** Tests that are unchanged in a half and not seen green. */
export function missedIn(
  execution: Execution,
  half: readonly ChangedTest[],
  { tests }: LockedSuite,
): readonly TestId[] {
  const lines = execution.kind === 'complete' ? execution.run.tests : [];
  const green = new Set(lines.filter(({ outcome }) => outcome === 'passed').map(({ id }) => idKey(id)));
  return tests
    .map(({ id }) => id)
    .filter((id) => !green.has(idKey(id)) && !half.some((change) => isOf(id, change)));
}

/** A missed test that is asked alone. */
export interface Missed {
  readonly id: TestId;
  /** The half in which it is unchanged. */
  readonly half: 0 | 1;
}

/** Draws some of the missed tests, those first that are changed in the other half: about them the code has to know something. */
export function drawMissed(missed: readonly Missed[], halves: Halves, dice: Dice): readonly Missed[] {
  const isAsked = ({ id, half }: Missed): boolean =>
    halves[half === 0 ? 1 : 0].some((each) => isOf(id, each));
  const asked = missed.filter(isAsked);
  const left = asked.length > 0 ? asked : [...missed];
  const drawn: Missed[] = [];
  while (left.length > 0 && drawn.length < ALONE_MAX) drawn.push(...left.splice(dice(left.length), 1));
  return drawn;
}

/** Whether the run of one test shows it green. */
export function isGreenAlone(execution: Execution, id: TestId): boolean {
  if (execution.kind !== 'complete') return false;
  const key = idKey(id);
  return execution.run.tests.some((test) => idKey(test.id) === key && test.outcome === 'passed');
}

/** What a builder and people are told of a test that is red only beside others that expect something else. */
export function halfFinding(id: TestId, locked: LockedSuite): Finding {
  const text =
    'The code passes the locked suite, and fails the same test beside tests that expect something else: it looks at what is expected';
  return finding('follows_suite', 'L1', text, { testId: id, exportName: soleExport(id, locked) });
}
