/**
 * The counter-proof of an order's PASS (decision 0088). Tests and code share a process, and code can replace what runs its tests. So
 * the tests of a snapshot that passed are made to fail, in a room of their own: code that does its work cannot pass them.
 *  P1. Each test fails in its own words: it expects something else, drawn anew, or an assertion that does not hold is its first.
 *      Then each is given an assertion that holds: code that knows its tests by their text does not know these.
 *  P2. A test that is green all the same speaks against the change, unless the base's is, too: a suite may take failures away.
 *  P3. The base excuses only what it was seen to do itself. Where it is red, cannot be loaded, or says nothing, it excuses nothing.
 *  P4. How much was shown is said; what cannot be made to fail is no fault of anybody.
 */
import type { FailingTest } from '../ports/expectations.ts';
import type { RanTests } from '../ports/repository-gate.ts';
import { counted } from '../text/plural.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { type Details, repositoryFinding } from './finding.ts';

/** How a report begins to say that nothing was shown, or not all. */
export const NO_COUNTER_PROOF = 'No counter-proof:';

export interface AlteredTest extends FailingTest {
  readonly file: string;
}

/** What became of the tests of a run, by file, groups and name; one row for each of its parameters. */
type Outcomes = ReadonlyMap<string, readonly Row[]>;

interface Row {
  readonly step: string;
  readonly ordinal: number;
  readonly isRed: boolean;
}

/** A test expects something else, has a failure planted, or is another text of the same meaning. */
export type HowOf = (test: AlteredTest) => 'value' | 'plant' | 'neutral';

/** One run of the test commands, in which these tests were altered. */
export interface AlteredRun {
  readonly tests: ReadonlyMap<string, AlteredTest>;
  readonly how: HowOf;
  readonly outcomes: Outcomes;
  /** Steps that ended as if nothing had been changed. */
  readonly green: ReadonlySet<string>;
  /** How many tests passed in each step. */
  readonly passed: ReadonlyMap<string, number>;
  /** Steps whose output tells of a planted failure. */
  readonly told: ReadonlySet<string>;
  /** Why the run says nothing; null where it does. */
  readonly problem: string | null;
  /** That is the machine's doing: else whoever was judged has seen to it. */
  readonly isLost: boolean;
}

/** What stayed green though it was made to fail. */
interface Suspects {
  /** A planted failure was not seen. */
  readonly blind: readonly AlteredTest[];
  /** What it is given is equal to another value, too. */
  readonly following: readonly AlteredTest[];
  /** Steps without names of tests. */
  readonly silent: readonly string[];
  /** Not green where only its text was altered. */
  readonly touchy: readonly AlteredTest[];
  /** Red once and green once where only its text was altered. */
  readonly unsteady: readonly AlteredTest[];
}

/** What is said, and what speaks against the change. */
export interface CounterProof {
  readonly finding: RepositoryFinding | null;
  readonly note: string | null;
}

const NEXT =
  'Take out what reaches into the test runner or follows what tests expect; a suite that is meant to be so is allowed by name (--allow-gate-edit)';

export function outcomesOf(ran: readonly RanTests[]): Outcomes {
  const found = new Map<string, Row[]>();
  for (const { step, names, red = [] } of ran) {
    const [all, failed] = [new Set(names), new Set(red)];
    for (const name of all) {
      const [, before = '', digits = '0'] = /^([^]*)#(\d+)$/u.exec(name) ?? [];
      // A title may end in "#7" without being the eighth of its name.
      const isRow = all.has(before);
      const base = isRow ? before : name;
      const row = { step, ordinal: isRow ? Number(digits) : 0, isRed: failed.has(name) };
      found.set(base, [...(found.get(base) ?? []), row]);
    }
  }
  return found;
}

/** Files of the tests that ran. */
export function filesOf(ran: Outcomes): ReadonlySet<string> {
  return new Set([...ran.keys()].map((key) => key.split('::')[0] ?? key));
}

/** As in the names of a run. */
export function keyOf({ file, nesting, name }: Pick<AlteredTest, 'file' | 'nesting' | 'name'>): string {
  return [file, ...nesting, name].join('::');
}

/** The tests that were green in the judged run: only of them more is asked. */
export function askedOf(judged: Outcomes, { tests }: AlteredRun): readonly AlteredTest[] {
  return [...tests.values()].filter((test) => worst(judged.get(keyOf(test)) ?? []) === 'green');
}

/** Green where any of the rows is that were made to fail. */
export function outcomeOf(run: AlteredRun, test: AlteredTest): 'green' | 'red' | 'none' {
  const own = run.tests.get(keyOf(test));
  if (own === undefined) return 'none';
  const ordinals = run.how(own) === 'value' ? (own.value?.ordinals ?? null) : null;
  const rows = run.outcomes.get(keyOf(test)) ?? [];
  return worst(rows.filter(({ ordinal }) => ordinals === null || ordinals.includes(ordinal)));
}

/** The change is at fault. Null where the base does the same, or cannot tell. @param plain the base as it is; null: unknown */
export function suspectFinding(
  { blind, following, silent, touchy }: Suspects,
  judged: Outcomes,
  base: AlteredRun,
  plain: Pick<AlteredRun, 'outcomes' | 'green' | 'passed'> | null,
): RepositoryFinding | null {
  const isLax = [...base.tests.values()].some(
    (test) => base.how(test) === 'plant' && outcomeOf(base, test) === 'green',
  );
  const unseen = blind.filter((test) => {
    const before = outcomeOf(base, test);
    const { isPlain } = base.tests.get(keyOf(test)) ?? test;
    return before === 'red' || (before === 'none' && isPlain && !isLax);
  });
  if (unseen.length > 0)
    return finding(unseen, judged, 'a failure was planted in each', 'what runs tests was replaced');
  const isGreen = (test: AlteredTest): boolean => worst(plain?.outcomes.get(keyOf(test)) ?? []) === 'green';
  const followed = following.filter(
    (test) => isOfBase(test, base) && !(isGreen(test) && outcomeOf(base, test) === 'green'),
  );
  if (followed.length > 0)
    return finding(
      followed,
      judged,
      'each was made to expect something else',
      'what the code gives follows what is expected',
    );
  const known = touchy.filter(
    (test) => outcomeOf(base, test) === 'green' || (isOfBase(test, base) && !isGreen(test)),
  );
  if (known.length > 0)
    return repositoryFinding('follows_suite', 'L1', touchyText(known), placeOf(known, judged));
  const step = silent.find((name) => plain !== null && seesPlants(name, plain, base));
  if (step === undefined || base.problem !== null) return null;
  const text = `Command "${step}" ends as if all tests had passed although a failure was planted in each: what runs tests was replaced`;
  return repositoryFinding('follows_suite', 'L1', text, { step, nextStep: NEXT });
}

/** A test that came with the change is the change's own affair; of one that the machine has lost nothing is known. */
const isOfBase = (test: AlteredTest, { tests, isLost }: AlteredRun): boolean =>
  !isLost && tests.has(keyOf(test));

/** The base's own command runs the tests that were made to fail: it turned red by them, tells of them, or fewer of its tests passed. */
function seesPlants(
  step: string,
  plain: Pick<AlteredRun, 'green' | 'passed'>,
  base: Pick<AlteredRun, 'green' | 'passed' | 'told'>,
): boolean {
  if (plain.green.has(step)) return !base.green.has(step);
  if (base.told.has(step)) return true;
  return (base.passed.get(step) ?? 0) < (plain.passed.get(step) ?? 0);
}

/** Tests that passed, by the step that ran them. */
export function passedOf(ran: readonly RanTests[]): ReadonlyMap<string, number> {
  return new Map(ran.map(({ step, passed = 0 }) => [step, passed]));
}

/** What is said of a PASS that stands. @param hasNameless whether a step gives no names of tests */
export function proofNote(
  judged: Outcomes,
  first: AlteredRun,
  suspects: Suspects,
  hasNameless: boolean,
): string {
  if (first.problem !== null)
    return `${NO_COUNTER_PROOF} the run in which tests were made to fail has no result (${first.problem})`;
  const { blind, following, silent, touchy, unsteady } = suspects;
  const [one] = [...blind, ...following];
  if (one !== undefined) {
    const many = counted(blind.length + following.length, 'test');
    const how = blind.length > 0 ? 'a failure was planted, as on the base' : 'something else is expected';
    return `${NO_COUNTER_PROOF} ${many} (${named(one)} first) passed where ${how}`;
  }
  if (touchy.length > 0) return `${NO_COUNTER_PROOF} ${touchyText(touchy)}`;
  const asked = askedOf(judged, first);
  if (silent.length > 0)
    return `${NO_COUNTER_PROOF} "${silent[0] ?? ''}" ends alike where its tests were made to fail`;
  if (asked.length === 0)
    return first.tests.size > 0 && hasNameless
      ? 'Counter-proof: the tests were made to fail, and the command failed'
      : `${NO_COUNTER_PROOF} no test could be made to fail`;
  const red = asked.filter((test) => outcomeOf(first, test) === 'red').length;
  const all = red === asked.length ? 'all red' : `${String(red)} seen red`;
  if (unsteady.length > 0)
    return `${NO_COUNTER_PROOF} ${counted(unsteady.length, 'test')} (${named(unsteady[0])} first) came out red once and green once`;
  return `Counter-proof: ${String(asked.length)} of ${counted(judged.size, 'test')} made to fail, ${all}`;
}

function worst(rows: readonly Row[]): 'green' | 'red' | 'none' {
  if (rows.length === 0) return 'none';
  return rows.some(({ isRed }) => !isRed) ? 'green' : 'red';
}

function finding(
  tests: readonly AlteredTest[],
  judged: Outcomes,
  how: string,
  what: string,
): RepositoryFinding {
  const [first] = tests;
  const text = `${counted(tests.length, 'test')} (${named(first)} first) passed although ${how}: ${what}`;
  return repositoryFinding('follows_suite', 'L1', text, placeOf(tests, judged));
}

function touchyText(tests: readonly AlteredTest[]): string {
  const are = tests.length === 1 ? 'is' : 'are';
  return `${counted(tests.length, 'test')} (${named(tests[0])} first) ${are} green as written, and not with an assertion added that holds`;
}

function placeOf([first]: readonly AlteredTest[], judged: Outcomes): Details {
  return {
    step: (first === undefined ? undefined : judged.get(keyOf(first)))?.[0]?.step ?? null,
    place: { file: (first?.file ?? '').slice(0, 500), line: 0 },
    nextStep: NEXT,
  };
}

function named(test: AlteredTest | undefined): string {
  return test === undefined ? '' : `"${keyOf(test).slice(0, 200)}"`;
}
