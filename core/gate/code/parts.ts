/**
 * The counter-proof where suite and code share a process (decision 0094). Code that reads the suite there, and does a part of its work, could tell
 * a changed suite from the locked one by that part, and be red in all of it. So the tests are dealt into parts, and for each part it meets a
 * suite in which that part alone expects something else: whoever does the rest honestly meets what looks like the locked suite.
 *  H1. Each test is in one part, which is dealt anew; with as few tests as parts each is changed alone.
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

/** What is changed in each of the suites. */
export type Parts = readonly (readonly ChangedTest[])[];

/** So many suites at most, each in a room of its own: who forges one test of many has to guess its part. */
const PARTS_MAX = 6;
/** One part would leave its tests without a second run as they were. */
const PARTS_MIN = 2;

/** Tests that are asked once more alone; each needs two rooms. */
const ALONE_MAX = 3;

/** Each row of a table is a test of its own here; what shares its text is changed together. */
export function dealParts(whole: readonly ChangedTest[], dice: Dice): Parts {
  const hands = sharing(
    whole.flatMap((change) =>
      change.rows === undefined
        ? [change]
        : change.rows.map(({ ordinal, edits }) => ({ ...change, edits, ordinals: [ordinal] })),
    ),
  );
  const length = Math.max(PARTS_MIN, Math.min(PARTS_MAX, hands.length));
  const parts = Array.from({ length }, (): ChangedTest[] => []);
  for (let at = 0; hands.length > 0; at += 1) {
    const [hand = []] = hands.splice(dice(hands.length), 1);
    parts[at % length]?.push(...hand);
  }
  return parts;
}

/** Changes by what they share: an edit at one place is one edit. */
function sharing(changes: readonly ChangedTest[]): ChangedTest[][] {
  const hands: { places: Set<string>; changes: ChangedTest[] }[] = [];
  for (const change of changes) {
    const places = change.edits.map((edit) => `${change.file} ${placeOf(edit)}`);
    const own = { places: new Set(places), changes: [change] };
    for (const other of hands.filter((hand) => places.some((place) => hand.places.has(place)))) {
      hands.splice(hands.indexOf(other), 1);
      for (const place of other.places) own.places.add(place);
      own.changes.unshift(...other.changes);
    }
    hands.push(own);
  }
  return hands.map((hand) => hand.changes);
}

/** Tests that are unchanged in a suite and not seen green. */
export function missedIn(
  execution: Execution,
  part: readonly ChangedTest[],
  { tests }: LockedSuite,
): readonly TestId[] {
  const lines = execution.kind === 'complete' ? execution.run.tests : [];
  const green = new Set(lines.filter(({ outcome }) => outcome === 'passed').map(({ id }) => idKey(id)));
  return tests
    .map(({ id }) => id)
    .filter((id) => !green.has(idKey(id)) && !part.some((change) => isOf(id, change)));
}

/** A missed test that is asked alone. */
export interface Missed {
  readonly id: TestId;
  /** Which suite had it as it was. */
  readonly asItWas: number;
  /** One that has it changed; null where it cannot be. */
  readonly changed: number | null;
}

/** A missed test, with where it is changed. */
export function missedOf(id: TestId, asItWas: number, parts: Parts): Missed {
  const changed = parts.findIndex((changes) => changes.some((change) => isOf(id, change)));
  return { id, asItWas, changed: changed < 0 ? null : changed };
}

/** Draws some of the missed tests, those first that can be changed: about them the code has to know something. */
export function drawMissed(missed: readonly Missed[], dice: Dice): readonly Missed[] {
  const asked = missed.filter(({ changed }) => changed !== null);
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
export function partFinding(id: TestId, locked: LockedSuite): Finding {
  const text =
    'The code passes the locked suite, and fails the same test beside tests that expect something else: it looks at what is expected';
  return finding('follows_suite', 'L1', text, { testId: id, exportName: soleExport(id, locked) });
}
