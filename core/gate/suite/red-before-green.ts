/** Red before green: what each stub must turn red (gate.md part 3). */
import type { Finding, StubKind } from '../../../schemas/report.ts';
import { doubtsOf, speaking, type Doubt, type DoubtAbout } from './doubts.ts';
import type { ExportFact } from '../exports/export-facts.ts';
import { finding, listed } from '../finding.ts';
import { isAmong, reachedBy, STUBS, type StubRun, type StubRuns, type TestLine } from './suite-facts.ts';
import { idKey, idText } from '../test-id.ts';

/** What the further runs proved. */
export type SettledRuns = Readonly<Partial<Record<DoubtAbout, StubRun>>>;

const SHOWN_MAX = 3;

/** Findings for exports that stay green where they must not, and for tests that no stub turns red. */
export function redFindings(
  runs: StubRuns,
  exports: readonly ExportFact[],
  settled: SettledRuns = {},
): Finding[] {
  return [
    ...exports.flatMap((fact) => exportFindings(fact, runs, settled)),
    ...runs.raise.tests.flatMap((test) => testFindings(test, runs, exports, settled)),
  ];
}

/** The doubts that the three runs leave. */
export function doubts(
  runs: StubRuns,
  exports: readonly ExportFact[],
  mayRaiseAny = false,
): readonly Doubt[] {
  const green = runs.raise.tests.filter(
    (test) => isReaching(test, runs) && !STUBS.some((stub) => isRedIn(runs[stub], test)),
  );
  return doubtsOf(
    exports,
    (fact, stub) => isPinned(fact, stub, touching(fact, runs), [runs[stub]], runs),
    {
      any: green.length > 0,
      building: green.some((test) => isBuilding(test, runs, exports)),
    },
    mayRaiseAny,
  );
}

function exportFindings(fact: ExportFact, runs: StubRuns, settled: SettledRuns): Finding[] {
  const needed: StubKind[] = [
    ...(fact.callable ? (['raise', 'none'] as const) : []),
    ...(fact.declaration || fact.answers ? (['wrong'] as const) : []),
  ];
  const tests = touching(fact, runs);
  const isRedOn = (stub: StubKind): boolean => {
    const further = speaking(fact, stub).flatMap((about) => settled[about] ?? []);
    return isPinned(fact, stub, tests, [runs[stub], ...further], runs);
  };
  return needed
    .filter((stub) => !isRedOn(stub))
    .map((stub) =>
      finding('not_red', 'L1', notRedText(fact, stub, tests), {
        stub,
        exportName: fact.name,
        clauseId: fact.clauseIds[0] ?? null,
        testId: tests[0]?.id ?? null,
      }),
    );
}

function notRedText(fact: ExportFact, stub: StubKind, tests: readonly TestLine[]): string {
  const what = tests.length === 0 ? 'No test reaches' : 'No test of';
  const why = tests.length === 0 ? ', so none is red' : ' is red';
  const shown = listed(
    tests.map((test) => idText(test.id)),
    SHOWN_MAX,
  );
  const touched = tests.length === 0 ? '' : `. Only touched by ${shown}`;
  const wanted = fact.declaration && stub === 'wrong' ? WANTED_DECLARATION : WANTED[stub];
  return `${what} "${fact.name}"${why} on the stub "${stub}" (${MEANING[stub]}): ${wanted}${touched}`;
}

const MEANING: Readonly<Record<StubKind, string>> = {
  raise: 'every callable raises an error of its own',
  none: 'every callable returns nothing',
  wrong: 'right shape, wrong values; equality, frozenness, defaults and bases dropped',
};

const WANTED: Readonly<Record<StubKind, string>> = {
  raise: 'write one that expects a result, or the named error',
  none: 'write one that asserts what it gives back or changes',
  wrong:
    'write one that compares what it gives back with the value that you expect; its type, that there is one, or an error that it raises elsewhere say nothing of the value',
};
const WANTED_DECLARATION = 'write one that asserts its declared values';

/** Tests that concern an export: those that reached it on any stub. */
function touching(fact: ExportFact, runs: StubRuns): readonly TestLine[] {
  // On `wrong` declared values are others, and so may be the tests that are made of them.
  const all = new Map(STUBS.flatMap((stub) => [...runs[stub].byKey]));
  return [...all.values()].filter((test) => touches(test, fact, runs));
}

function touches(test: TestLine, fact: ExportFact, runs: StubRuns): boolean {
  return isAmong(reachedBy(test, runs), fact.name);
}

function testFindings(
  test: TestLine,
  runs: StubRuns,
  exports: readonly ExportFact[],
  settled: SettledRuns,
): Finding[] {
  const key = idKey(test.id);
  const lines = STUBS.flatMap((stub) => runs[stub].byKey.get(key) ?? []);
  if (!lines.some(isRed)) {
    if (settled.built !== undefined && isRedIn(settled.built, test) && isBuilding(test, runs, exports))
      return [];
    if (settled.all !== undefined && isRedIn(settled.all, test) && isReaching(test, runs)) return [];
    return [
      finding('test_never_red', 'L1', `Test "${idText(test.id)}" is green on every stub: it proves nothing`, {
        testId: test.id,
      }),
    ];
  }
  const hasDeclarations = exports.some((fact) => fact.declaration);
  const blind = lines.every(isRed) && reachedBy(test, runs).length === 0;
  // A node of type `test` has no exports of its own: what its tests reach belongs to others.
  if (!blind || hasDeclarations || exports.length === 0) return [];
  const text = `Test "${idText(test.id)}" is red on every stub before it reaches any export: it cannot turn green`;
  return [finding('red_without_reach', 'L1', text, { testId: test.id })];
}

/** A test that reaches nothing but classes. Operators count as reached where the class is only named. */
function isBuilding(test: TestLine, runs: StubRuns, exports: readonly ExportFact[]): boolean {
  const classes = exports
    .filter((fact) => !fact.callable && !fact.name.includes('.'))
    .map((fact) => fact.name);
  const reached = reachedBy(test, runs);
  const isClass = (name: string): boolean =>
    classes.some((owner) => name === owner || /^(?:__|\[)/u.test(afterDot(name, owner)));
  return reached.length > 0 && reached.every(isClass);
}

function afterDot(name: string, owner: string): string {
  return name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : '';
}

/**
 * Whether a test is red for the export's sake. That a wrong value is no error says nothing of the right value: such a test
 * counts only where no other one calls the export, goes on with what it gave, and is content with a wrong value.
 */
function isPinned(
  fact: ExportFact,
  stub: StubKind,
  tests: readonly TestLine[],
  on: readonly StubRun[],
  runs: StubRuns,
): boolean {
  const reds = on.flatMap((run) => tests.filter((test) => isRedIn(run, test)).map((test) => ({ run, test })));
  if (stub !== 'wrong' || !fact.answers) return reds.length > 0;
  if (reds.some(({ run, test }) => !isMissingError(run, test))) return true;
  const isContent = (test: TestLine): boolean =>
    isRedIn(runs.raise, test) && !on.some((run) => isRedIn(run, test));
  return reds.length > 0 && !tests.some(isContent);
}

function isMissingError(run: StubRun, test: TestLine): boolean {
  return MISSING_ERROR.test(run.byKey.get(idKey(test.id))?.failure?.message ?? '');
}

/** How pytest, unittest and node:assert say that an expected error did not come. */
const MISSING_ERROR = /DID NOT RAISE|\bnot raised\b|^Missing expected (?:exception|rejection)/u;

/** A test that reaches nothing of the contract cannot be red for its sake. */
function isReaching(test: TestLine, runs: StubRuns): boolean {
  return reachedBy(test, runs).length > 0;
}

function isRedIn(run: StubRun, test: TestLine): boolean {
  const line = run.byKey.get(idKey(test.id));
  return line !== undefined && isRed(line);
}

function isRed(test: TestLine): boolean {
  return test.outcome === 'failed' || test.outcome === 'error';
}
