/** Red before green: what each stub must turn red (gate.md part 3). */
import type { Finding, StubKind } from '../../schemas/report.ts';
import type { ClauseLinks } from './covers.ts';
import type { ExportFact } from './export-facts.ts';
import { finding } from './finding.ts';
import { STUBS, type StubRuns, type TestLine } from './suite-facts.ts';
import { idKey, idText } from './test-id.ts';

/** Findings for exports that stay green where they must not, and for tests that no stub turns red. */
export function redFindings(runs: StubRuns, exports: readonly ExportFact[], links: ClauseLinks): Finding[] {
  return [
    ...exports.flatMap((fact) => exportFindings(fact, runs, links)),
    ...runs.raise.tests.flatMap((test) => testFindings(test, runs, exports)),
  ];
}

function exportFindings(fact: ExportFact, runs: StubRuns, links: ClauseLinks): Finding[] {
  const needed: StubKind[] = [
    ...(fact.callable ? (['raise', 'none'] as const) : []),
    ...(fact.declaration ? (['wrong'] as const) : []),
  ];
  const touching = (stub: StubKind): readonly TestLine[] =>
    runs[stub].tests.filter((test) => touches(test, fact, runs, links));
  return needed
    .filter((stub) => !touching(stub).some(isRed))
    .map((stub) => {
      const what = touching(stub).length === 0 ? 'No test reaches' : 'No test of';
      const why = touching(stub).length === 0 ? ', so none is red' : ' is red';
      const text = `${what} "${fact.name}"${why} on the stub "${stub}" (${MEANING[stub]}): ${WANTED[stub]}`;
      return finding('not_red', 'L1', text, {
        stub,
        exportName: fact.name,
        clauseId: fact.clauseIds[0] ?? null,
      });
    });
}

const MEANING: Readonly<Record<StubKind, string>> = {
  raise: 'every callable raises an error of its own',
  none: 'every callable returns nothing',
  wrong: 'right shape, wrong values; equality, frozenness, defaults and bases dropped',
};

const WANTED: Readonly<Record<StubKind, string>> = {
  raise: 'write one that expects a result, or the named error',
  none: 'write one that asserts what it gives back or changes',
  wrong: 'write one that asserts its declared values',
};

/** A test concerns an export if it reached it on any stub, or if the author says that it covers it. */
function touches(test: TestLine, fact: ExportFact, runs: StubRuns, links: ClauseLinks): boolean {
  const key = idKey(test.id);
  const reached = STUBS.flatMap((stub) => runs[stub].byKey.get(key)?.reached ?? []);
  if (reached.some((name) => name === fact.name || name.startsWith(`${fact.name}.`))) return true;
  return (
    fact.declaration && (links.byTest.get(key) ?? []).some((clauseId) => fact.clauseIds.includes(clauseId))
  );
}

function testFindings(test: TestLine, runs: StubRuns, exports: readonly ExportFact[]): Finding[] {
  const key = idKey(test.id);
  const lines = STUBS.flatMap((stub) => runs[stub].byKey.get(key) ?? []);
  if (!lines.some(isRed)) {
    if (buildsOpenly(lines)) return [];
    return [
      finding('test_never_red', 'L1', `Test "${idText(test.id)}" is green on every stub: it proves nothing`, {
        testId: test.id,
      }),
    ];
  }
  const hasDeclarations = exports.some((fact) => fact.declaration);
  const blind = lines.every((line) => isRed(line) && line.reached.length === 0);
  // A node of type `test` has no exports of its own: what its tests reach belongs to others.
  if (!blind || hasDeclarations || exports.length === 0) return [];
  const text = `Test "${idText(test.id)}" is red on every stub before it reaches any export: it cannot turn green`;
  return [finding('red_without_reach', 'L1', text, { testId: test.id })];
}

/**
 * A test that only builds objects, where an error of the constructor would be its own: no stub's constructor fails, real ones
 * do. Operators count as reached where the class is only named.
 */
function buildsOpenly(lines: readonly TestLine[]): boolean {
  return lines.every(({ reached }) => {
    const built = reached
      .filter((name) => name.endsWith('.__init__'))
      .map((name) => name.slice(0, -'.__init__'.length));
    const isBuilding = (name: string): boolean =>
      built.some((owner) => name === owner || name.startsWith(`${owner}.__`));
    return built.length > 0 && reached.every(isBuilding);
  });
}

function isRed(test: TestLine): boolean {
  return test.outcome === 'failed' || test.outcome === 'error';
}
