/**
 * What a blind builder is told (gate.md parts 6 and 11): known values only, chosen by the gate.
 *  F1. Nothing that the test process printed, and no test's name, message, literal, path or line.
 *  F2. Clause texts and export names come from the contract; places are existing lines of the builder's own files.
 *  F3. Equal items are told once and in the contract's order: the number of hidden tests does not show.
 *  F4. A part of the tests is never told; a node has a budget of counterexamples, and each is cut (gate.md part 12).
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { BuilderFeedback, FeedbackItem } from '../../../schemas/feedback.ts';
import type { Finding, FindingCode, GateReport, LockedSuite } from '../../../schemas/report.ts';
import { clausesOf, type Clause } from '../suite/clauses.ts';
import { idKey, compareText } from '../test-id.ts';
import { hiddenTests } from './hidden-tests.ts';
import { shortCounterexample } from './short-counterexample.ts';
import { impureNote } from '../code/purity.ts';
import { flakyWords } from '../code/two-runs.ts';

const ITEMS_MAX = 20;

/** Findings whose text is the gate's own and holds nothing of the suite. */
const TOLD: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'write_set',
  'scaffold_touched',
  'entry_missing',
  'source_unparsable',
  'export_missing',
  'export_deleted',
  'export_kind',
  'export_async',
  'export_arity',
  'export_annotation',
  'export_member',
  'project_rule',
  'impure',
  'collection_error',
  'late_error',
  'example_failed',
  'fixture_failed',
  'wall_limit',
  'memory_limit',
  'output_limit',
  'process_limit',
  'disk_limit',
]);

const SUITE_LACKS =
  'Your code passed; the suite leaves out a part of the contract and goes back to its author: nothing is charged';

/** Words for what would otherwise tell of the suite or of the runner. */
const REWORDED: Partial<Record<FindingCode, string>> = {
  early_exit:
    'The process ended before the verification was complete; code under test may not end the process',
  report_missing:
    'The process ended before the verification was complete; code under test may not end the process',
  report_second: 'The verification was disturbed; code under test may write only what its contract states',
  report_broken: 'The verification was disturbed; code under test may write only what its contract states',
  id_vanished:
    'Parts of the verification did not run; code under test may not end or change the process it runs in',
  id_added: 'The verification is with the manager: something ran that was not expected',
  skipped: 'The verification is with the manager: something was skipped that must run',
  late_error:
    'An error came where no caller can catch it: from a callback, a timer or a thread of your code, or from a promise that was rejected before anything waited for it',
  flaky: 'Two runs of the verification differ; the result may not depend on hash order, time or chance',
  plain_failed:
    'The verification passes where your code has a process of its own and fails where it shares one with its callers: it may not depend on where it runs, who calls it, or what was called before',
  follows_suite:
    'Your code passes whatever is expected of it: its answers follow what its callers compare them with. Compute them from the arguments alone',
  wall_only:
    'Your code passes where it shares a process with its callers and fails where it has one of its own: nothing is charged, but the same files a second time would be. Prefer plain values and ordinary classes of the contract',
  platform_lost: 'The verification could not be carried out; nothing is charged',
  platform_wall: 'The verification could not be completed in time; nothing is charged',
  mutation_score:
    'Your code passed; the suite notices too few changes of it and goes back to its author: nothing is charged',
  export_uncalled: SUITE_LACKS,
  export_unnoticed: SUITE_LACKS,
  suite_contradicts_example:
    'The suite is the suspect: it denies what your code rightly does; it goes back to its author',
  message_unstated:
    'The suite is at fault: it asks for the words of an error that the contract does not state; it goes back to its author, nothing is charged',
  xpassed: 'The suite is at fault and goes back to its author; nothing is charged',
  suite_changed: 'The verification is with the manager: nothing is charged',
  plan_empty: 'The verification is with the manager: nothing is charged',
  tier_refused: 'The verification is with the manager: nothing is charged',
  isolation_refused: 'The verification is with the manager: nothing is charged',
};

/** Counterexamples that a node may be told in all its attempts and dispatches together. */
export const COUNTEREXAMPLES_MAX = 12;

const HIDDEN_NOTE =
  'A test that is never told fails: the code does what was told of it and not what the contract says. Read every clause again';

/** The fields for a builder. `locked` maps tests to clauses and exports; without it tests are told without either. */
export function builderFeedback(
  report: GateReport,
  contract: ResolvedContract,
  locked: LockedSuite | null,
  counterexamplesLeft = COUNTEREXAMPLES_MAX,
): BuilderFeedback {
  const clauses = clausesOf(contract.interface);
  const hidden = locked === null ? new Set<string>() : hiddenTests(locked);
  const items = report.levels
    .flatMap((level) => level.findings)
    .flatMap((found) =>
      isHidden(found, hidden) ? [HIDDEN_ITEM] : itemsOf(found, clauses, locked).map(withoutLong),
    );
  const distinct = withinBudget(oneCounterexampleEach(distinctItems(items)), counterexamplesLeft);
  const ordered = distinct.toSorted((left, right) =>
    compareText(orderKey(left, clauses), orderKey(right, clauses)),
  );
  return {
    role: 'builder',
    verdict: report.verdict,
    charged: report.fault === 'builder',
    suspect: report.suspect,
    items: ordered.slice(0, ITEMS_MAX),
    moreItems: Math.max(0, ordered.length - ITEMS_MAX),
  };
}

const HIDDEN_ITEM: FeedbackItem = {
  exportName: null,
  clauseId: null,
  clauseText: null,
  outcome: null,
  exceptionType: null,
  place: null,
  note: HIDDEN_NOTE,
};

function isHidden({ code, testId }: Finding, hidden: ReadonlySet<string>): boolean {
  return code === 'test_failed' && testId !== null && hidden.has(idKey(testId));
}

/** Counterexamples that are told: what a node's budget loses by it. */
export function toldCount({ items }: BuilderFeedback): number {
  return items.filter((item) => item.counterexample !== undefined).length;
}

function withoutLong(item: FeedbackItem): FeedbackItem {
  const { counterexample } = item;
  return counterexample === undefined
    ? item
    : { ...item, counterexample: shortCounterexample(counterexample) };
}

function withinBudget(items: readonly FeedbackItem[], left: number): FeedbackItem[] {
  let told = 0;
  return items.map((item) => {
    const { counterexample, ...known } = item;
    if (counterexample === undefined) return item;
    told += 1;
    return told <= left ? item : known;
  });
}

/** Equal but for the counterexample is equal: the first one stays. */
function distinctItems(items: readonly FeedbackItem[]): FeedbackItem[] {
  const kept = new Map<string, FeedbackItem>();
  for (const item of items) {
    const { counterexample: _, ...known } = item;
    const key = JSON.stringify(known);
    if (!kept.has(key)) kept.set(key, item);
  }
  return [...kept.values()];
}

function oneCounterexampleEach(items: readonly FeedbackItem[]): FeedbackItem[] {
  const told = new Set<string | null>();
  return items.map((item) => {
    const { counterexample, ...known } = item;
    if (counterexample === undefined || told.has(item.clauseId)) return known;
    told.add(item.clauseId);
    return item;
  });
}

function itemsOf(found: Finding, clauses: readonly Clause[], locked: LockedSuite | null): FeedbackItem[] {
  if (found.code === 'test_failed') return testItems(found, clauses, locked);
  if (found.impurity !== undefined) return [{ ...HIDDEN_ITEM, note: impureNote(found.impurity) }];
  const note = flakyNote(found) ?? REWORDED[found.code] ?? (TOLD.has(found.code) ? found.text : null);
  if (note === null) return [];
  const clause = clauses.find(
    (candidate) => candidate.exportName !== undefined && candidate.exportName === found.exportName,
  );
  return [
    {
      ...base(found),
      exportName: found.exportName,
      clauseId: clause?.id ?? null,
      clauseText: clause?.text ?? null,
      note,
    },
  ];
}

/** Which condition made two runs differ says nothing of the suite. */
function flakyNote({ code, dimension }: Finding): string | null {
  return code !== 'flaky' || dimension === undefined
    ? null
    : `Two runs of the verification differ under ${flakyWords(dimension)}; the result may not depend on it`;
}

/** One item for each clause that the test covers; without clauses one for each export that it reached. */
function testItems(found: Finding, clauses: readonly Clause[], locked: LockedSuite | null): FeedbackItem[] {
  const key = found.testId === null ? null : idKey(found.testId);
  const test = locked?.tests.find((candidate) => idKey(candidate.id) === key);
  const reached = new Set((test?.reached ?? []).map((name) => name.split('.')[0] ?? name));
  const exported = clauses.filter(
    (clause) => clause.kind === 'export' && clause.exportName !== undefined && reached.has(clause.exportName),
  );
  const covered = clauses.filter((clause) => test?.clauses.includes(clause.id) === true);
  const told = covered.length > 0 ? covered : exported;
  if (told.length === 0)
    return [{ ...base(found), exportName: null, clauseId: null, clauseText: null, note: null }];
  const only = exported.length === 1 ? (exported[0]?.exportName ?? null) : null;
  return told.map((clause) => ({
    ...base(found),
    exportName: clause.kind === 'export' ? (clause.exportName ?? null) : only,
    clauseId: clause.id,
    clauseText: clause.text,
    note: null,
  }));
}

function base(
  found: Finding,
): Pick<FeedbackItem, 'outcome' | 'exceptionType' | 'place' | 'counterexample' | 'limit'> {
  const { outcome, exceptionType, place, counterexample, limit, code } = found;
  const { name, value, unit } = limit ?? {};
  const isTold = code === 'test_failed' && name !== undefined && value !== undefined && unit !== undefined;
  return {
    ...{ outcome, exceptionType, place },
    ...(isTold ? { limit: { name, value, unit } } : {}),
    ...(counterexample === undefined ? {} : { counterexample }),
  };
}

function orderKey(item: FeedbackItem, clauses: readonly Clause[]): string {
  const index = clauses.findIndex((clause) => clause.id === item.clauseId);
  const position = String(index === -1 ? clauses.length : index).padStart(6, '0');
  return item.note === null ? `1${position}${JSON.stringify(item)}` : `0${position}${JSON.stringify(item)}`;
}
