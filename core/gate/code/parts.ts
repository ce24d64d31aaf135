/**
 * The counter-proof where suite and code share a process (decisions 0094 and 0103). Code that reads the suite there, and does a part of its
 * work, could tell by that part what becomes of the rest. So it meets several suites, and in which of them a test expects something
 * else is drawn for each test by itself: what is done honestly tells nothing of what is forged.
 *  H1. Few tests are changed one by one: the suite of each looks like the locked one to whoever does the rest. Of more tests each is
 *      changed in some suites and not in others, as drawn.
 *      A test that expects several things has another of them changed each time, so that forging one of them is met, too.
 *  H2. A changed test that is green has followed, as in changed-suite.ts.
 *  H3. An unchanged test has to be green. A changed one may leave something that makes it red: so it is asked once more in each of the
 *      suites, in a process that runs no other test, and nothing tells the code whether it is changed there.
 */
import type { Finding, LockedSuite } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Dice } from '../../ports/expectations.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { idKey } from '../test-id.ts';
import { followsFinding, isOf, placeOf, type ChangedRun, type ChangedTest } from './changed-suite.ts';
import { soleExport } from './two-judges.ts';

/** What is changed in each of the suites. */
export type Parts = readonly (readonly ChangedTest[])[];

/** So many suites at most, each in a room of its own: who forges one test of many has to guess as many times. */
const SUITES_MAX = 6;
/** One suite would leave its tests without a second run as they were. */
const SUITES_MIN = 2;

/** Tests that are asked once more, each in a process of its own. */
const ASKED_MAX = 40;

/** Each row of a table is a test of its own here; what shares its text is changed together. */
export function dealParts(whole: readonly ChangedTest[], dice: Dice): Parts {
  const hands = sharing(
    whole.flatMap((change) =>
      change.rows === undefined
        ? [change]
        : change.rows.map(({ ordinal, edits }) => ({ ...change, edits, ordinals: [ordinal] })),
    ),
  );
  const length = Math.max(SUITES_MIN, Math.min(SUITES_MAX, hands.length));
  if (hands.length <= length) return oneByOne(drawn(hands, hands.length, dice), dice);
  const parts = Array.from({ length }, (): ChangedTest[] => []);
  for (const hand of drawn(hands, hands.length, dice)) {
    const turns = turnsOf(hand, dice);
    for (const [turn, at] of drawn(someOf(length, dice), length, dice).entries())
      parts[at]?.push(...(turns[turn % turns.length] ?? hand));
  }
  return parts;
}

/** Each hand alone; while there are suites left, again with what else its tests expect. */
function oneByOne(hands: readonly ChangedTest[][], dice: Dice): ChangedTest[][] {
  const turns = hands.map((hand) => turnsOf(hand, dice));
  const most = Math.max(...turns.map(({ length }) => length));
  const parts = Array.from({ length: most }, (_, turn) =>
    turns.flatMap((all) => all.slice(turn, turn + 1)),
  ).flat();
  while (parts.length < SUITES_MIN) parts.push([]);
  return parts.slice(0, Math.max(SUITES_MAX, hands.length));
}

/** What a hand changes, one suite after the other: first as drawn, then each other thing that its tests expect, in an order that is drawn. */
function turnsOf(hand: readonly ChangedTest[], dice: Dice): ChangedTest[][] {
  const others = hand.map((change) => drawn(change.others ?? [], (change.others ?? []).length, dice));
  const most = Math.max(0, ...others.map(({ length }) => length));
  const later = Array.from({ length: most }, (_, turn) =>
    hand.map((change, at) => others[at]?.[turn] ?? change),
  );
  return [[...hand], ...later];
}

/** Some of so many suites, not none and not all: each such choice is equally likely. */
function someOf(length: number, dice: Dice): number[] {
  const choice = 1 + dice(2 ** length - 2);
  return Array.from({ length }, (_, at) => at).filter((at) => (choice >> at) % 2 === 1);
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

/** Tests that are unchanged in one of the suites and were not seen green there. */
export function missedIn(runs: readonly ChangedRun[], { tests }: LockedSuite): readonly TestId[] {
  const missed = runs.flatMap(({ execution, changes }) =>
    tests
      .map(({ id }) => id)
      .filter((id) => !isChanged(id, changes) && !isGreenIn(execution, id))
      .map((id) => [idKey(id), id] as const),
  );
  return [...new Map(missed).values()];
}

/** Those that are asked once more. */
export const drawMissed = (missed: readonly TestId[], dice: Dice): readonly TestId[] =>
  drawn(missed, ASKED_MAX, dice);

/** Against the code, of runs in which each of these tests had a process of its own; null where all were as they must be. */
export function askedFinding(
  runs: readonly ChangedRun[],
  asked: readonly TestId[],
  locked: LockedSuite,
): Finding | null {
  const firm = runs.flatMap(({ changes }) => changes).filter(({ doubt }) => doubt === null);
  const followed = followsFinding(runs, firm, locked);
  if (followed !== null) return followed;
  const red = runs.flatMap(({ execution, changes }) =>
    asked.filter((id) => !isChanged(id, changes) && !isGreenIn(execution, id)),
  );
  return red[0] === undefined ? null : partFinding(red[0], locked);
}

/** What a builder and people are told of a test that is red only beside others that expect something else. */
function partFinding(id: TestId, locked: LockedSuite): Finding {
  const text =
    'The code passes the locked suite, and fails the same test beside tests that expect something else: it looks at what is expected';
  return finding('follows_suite', 'L1', text, { testId: id, exportName: soleExport(id, locked) });
}

const isChanged = (id: TestId, changes: readonly ChangedTest[]): boolean =>
  changes.some((change) => isOf(id, change));

function isGreenIn(execution: Execution, id: TestId): boolean {
  if (execution.kind !== 'complete') return false;
  const key = idKey(id);
  return execution.run.tests.some((test) => test.outcome === 'passed' && idKey(test.id) === key);
}

function drawn<Item>(items: readonly Item[], most: number, dice: Dice): Item[] {
  const left = [...items];
  const found: Item[] = [];
  while (left.length > 0 && found.length < most) found.push(...left.splice(dice(left.length), 1));
  return found;
}
