/**
 * The counter-proof of a green suite (decision 0065): where a test expects something else, the same code must fail it. Code that does
 * its work cannot follow what a test expects; code that asks the expected value, reads the suite or has disarmed the runner does.
 *  S1. Of each test one thing that it expects is changed, which one is drawn: nobody can tell the changed suite from the locked one.
 *  S2. A test that passes as changed is proof against the code; a test that cannot be changed, or a run without an end, is none.
 *  S3. What the code's own class builds may be equal to what it built before: such a test is doubted, and run once more. Where the
 *      class calls values equal that are far apart, it tells nothing apart, and has followed.
 *  S4. It runs where the verdict came from: behind the wall code sees nothing of the suite that could tell it which of the two it meets.
 *  S5. How much that was is counted, and told to people and managers; it decides nothing.
 */
import type { CounterProofCount, Finding, GateReport, LockedSuite } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Dice, Edit, Expectation } from '../../ports/expectations.ts';
import type { Execution } from '../execution.ts';
import { counted } from '../../text/plural.ts';
import { finding } from '../finding.ts';
import { soleExport } from './two-judges.ts';

/** A change of one test in a file. */
export interface ChangedTest extends Expectation {
  readonly file: string;
  /** What else of the test could be changed without touching another test. Absent or empty: nothing. */
  readonly others?: readonly ChangedTest[];
}

/** What the counter-proof adds to a verdict. */
export interface CounterProofFacts {
  /** Against the code, or why there is no proof that the platform lost; null where the code fails what it must. */
  readonly finding: Finding | null;
  /** Null where no counter-proof was asked for, or the platform lost it. */
  readonly count: CounterProofCount | null;
}

/** Draws one change of each test; values before truths. Tests that share their text may share its change, and have no other there. */
export function drawChanges(file: string, found: readonly Expectation[], dice: Dice): ChangedTest[] {
  const all = found.map((each): ChangedTest => ({ ...each, file }));
  const byTest = new Map<string, ChangedTest[]>();
  for (const each of all) byTest.set(keyOf(each), [...(byTest.get(keyOf(each)) ?? []), each]);
  const made = new Map<string, Edit>();
  return [...byTest.values()].flatMap((own) => {
    const of = own.filter(({ edits }) => edits.every((edit) => isFree(edit, made)));
    const values = of.filter(({ kind }) => kind === 'value');
    const from = values.length > 0 ? values : of;
    const drawn = from[dice(from.length)];
    for (const edit of drawn?.edits ?? []) made.set(placeOf(edit), edit);
    if (drawn === undefined) return [];
    if (drawn.rows !== undefined) return [drawn];
    const others = values.filter((each) => each !== drawn && each.rows === undefined && isItsOwn(each, all));
    return [{ ...drawn, others }];
  });
}

/** No other test expects anything at these places. */
function isItsOwn(change: ChangedTest, all: readonly ChangedTest[]): boolean {
  const key = keyOf(change);
  const made = new Map(
    all
      .filter((each) => keyOf(each) !== key)
      .flatMap(({ edits }) => edits.map((edit) => [placeOf(edit), edit])),
  );
  return change.edits.every((edit) => !made.has(placeOf(edit)) && isFree(edit, made));
}

export const placeOf = ({ from, to }: Edit): string => `${String(from)} ${String(to)}`;

function isFree(edit: Edit, made: ReadonlyMap<string, Edit>): boolean {
  const same = made.get(placeOf(edit));
  if (same !== undefined) return same.by === edit.by;
  return ![...made.values()].some(({ from, to }) => edit.from < to && from < edit.to);
}

/** A text with all of these edits, which do not overlap; the same one may be there twice. */
export function edited(text: string, edits: readonly Edit[]): string {
  return [...new Map(edits.map((edit) => [placeOf(edit), edit])).values()]
    .toSorted((left, right) => right.from - left.from)
    .reduce((rest, { from, to, by }) => rest.slice(0, from) + by + rest.slice(to), text);
}

/** A run of the suite in which these tests expect something else. */
export interface ChangedRun {
  readonly execution: Execution;
  readonly changes: readonly ChangedTest[];
}

/** The changes that the code followed: their tests are green. */
export function followed(runs: readonly ChangedRun[]): readonly ChangedTest[] {
  return runs.flatMap(({ execution, changes }) =>
    changes.filter((change) => greenOf(execution, change).length > 0),
  );
}

/** The first of these changes of each test: where several are tried at once, their places may overlap. */
export function oncePerTest(changes: readonly ChangedTest[]): ChangedTest[] {
  const first = new Map<string, ChangedTest>();
  for (const change of changes) {
    const key = JSON.stringify([keyOf(change), change.ordinals]);
    if (!first.has(key)) first.set(key, change);
  }
  return [...first.values()];
}

/** What a builder and people are told of code that passes a changed suite. Null where it passes none of these changes. */
export function followsFinding(
  runs: readonly ChangedRun[],
  changes: readonly ChangedTest[],
  locked: LockedSuite,
): Finding | null {
  const [testId] = runs.flatMap(({ execution, changes: own }) =>
    own.filter((change) => changes.includes(change)).flatMap((change) => greenOf(execution, change)),
  );
  if (testId === undefined) return null;
  const text =
    'The code also passes a suite that expects something else: what it gives follows what is expected of it';
  return finding('follows_suite', 'L1', text, { testId, exportName: soleExport(testId, locked) });
}

/** Counts tests as they are written, the rows of a table as one; one is red where every change of it was. */
export function countOf(runs: readonly ChangedRun[], locked: LockedSuite): CounterProofCount {
  const written = new Set(locked.tests.map(({ id }) => keyOf(id)));
  const changed = new Map<string, boolean>();
  for (const { execution, changes } of runs)
    for (const change of changes.filter((each) => locked.tests.some(({ id }) => isOf(id, each))))
      changed.set(keyOf(change), (changed.get(keyOf(change)) ?? true) && isRed(execution, change));
  const red = [...changed.values()].filter((isSo) => isSo);
  return { tests: written.size, changed: changed.size, red: red.length };
}

const keyOf = ({ file, nesting, name }: Pick<ChangedTest, 'file' | 'nesting' | 'name'>): string =>
  JSON.stringify([file, nesting, name]);

/** `7 of 9 tests changed, all red`, for people. */
export function counterProofText({ tests, changed, red }: CounterProofCount): string {
  if (changed === 0) return `none of ${counted(tests, 'test')} could be changed`;
  const many = red === changed ? 'all red' : red === 0 ? 'none red' : `${String(red)} red`;
  return `${String(changed)} of ${counted(tests, 'test')} changed, ${many}`;
}

/** What a person and a manager are told of a PASS for which no changed test has spoken. Null where one has, or nothing is known. */
export function counterProofNote({
  verdict,
  counterProof,
}: Pick<GateReport, 'verdict' | 'counterProof'>): string | null {
  if (verdict !== 'PASS' || counterProof === undefined || counterProof.red > 0) return null;
  const why =
    counterProof.changed === 0
      ? 'no test spells out what it expects in a form that the gate can change'
      : 'no changed test was seen red: the run had no end, or the code calls both values equal';
  return `no counter-proof (${counterProofText(counterProof)}): ${why}, so it was not shown that the code does not follow what is expected of it`;
}

function isRed(execution: Execution, change: ChangedTest): boolean {
  if (execution.kind !== 'complete') return false;
  const own = execution.run.tests.filter(({ id }) => isOf(id, change));
  return own.length > 0 && own.every(({ outcome }) => outcome === 'failed' || outcome === 'error');
}

function greenOf(execution: Execution, change: ChangedTest): TestId[] {
  if (execution.kind !== 'complete') return [];
  return execution.run.tests.flatMap(({ id, outcome }) =>
    outcome === 'passed' && isOf(id, change) ? [id] : [],
  );
}

export function isOf(id: TestId, { file, nesting, name, ordinals }: ChangedTest): boolean {
  const isSame = id.file === file && id.name === name && id.nesting.join('\n') === nesting.join('\n');
  return isSame && (ordinals === null || ordinals.includes(id.ordinal));
}
