/**
 * The verdict on a suite: red before green (gate.md part 3) and which tests count (part 4). Pure: facts in, judgement out.
 *  S1. A collection error is never red.
 *  S2. Every callable is red on `raise`, `none` and `wrong`, every declaration on `wrong`, unless the contract calls it inert;
 *      one that can give nothing else than it would on `wrong` need not be red there. Doubts are settled by further runs.
 *  S3. The ids are the same on `raise` and `none`, and ids and outcomes under other conditions.
 *  S4. Every clause has a test, every export is reached, every test is red somewhere. Of a method that no test calls, its class must be
 *      reached: whether a test notices what it does is seen on code (decision 0083).
 */
import type { Finding, StubKind } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import { clauseLinks, type ClauseLinks } from './covers.ts';
import { raiseName } from './clauses.ts';
import { namesAnyError, type Doubt } from './doubts.ts';
import type { Execution } from '../execution.ts';
import type { ExportFact } from '../exports/export-facts.ts';
import { finding } from '../finding.ts';
import { judgement, type Judgement } from '../judgement.ts';
import { callsOf } from './suite-calls.ts';
import { doubts, redFindings, type SettledRuns } from './red-before-green.ts';
import {
  indexed,
  isAmong,
  everyRun,
  reachedBy,
  STUBS,
  type DoubtRuns,
  type StubRuns,
  type SuiteFacts,
  type TestLine,
} from './suite-facts.ts';
import { collectFindings, idFindings, outcomeFindings, sizeFindings } from './suite-validity.ts';
import { idKey, idText, sortedIds } from '../test-id.ts';
import { flakyFinding } from '../code/two-runs.ts';

export function judgeSuite(facts: SuiteFacts): Judgement {
  const runs = completeRuns(facts);
  const unusable = unusableFindings(facts);
  if (unusable.length > 0 || runs === null) return judgement('suite', unusable, [], { L0: true, L1: true });
  const ids = runs.raise.collected;
  const broken = brokenFindings(facts, runs);
  const links = clauseLinks(ids, facts.covers, facts.clauses);
  // That no test of what none reaches is red need not be told, too.
  const unreached = unreachedExports(facts, runs, links);
  const isUnreached = (name: string | null): boolean => unreached.some((fact) => fact.name === name);
  const weak =
    broken.length > 0
      ? []
      : [
          ...redFindings(runs, askedExports(facts, runs), settledRuns(facts.doubtRuns)).filter(
            (found) => found.code !== 'not_red' || !isUnreached(found.exportName),
          ),
          ...coverFindings(facts, runs, links, unreached),
          ...greenFindings(facts),
        ];
  return {
    ...judgement('suite', [...broken, ...weak], [], { L0: true, L1: true }),
    tests: [],
    ids: {
      locked: sortedIds(ids),
      collected: sortedIds(ids),
      ran: sortedIds(runs.raise.tests.map((test) => test.id)),
    },
    suiteTests: broken.length > 0 ? [] : sortedIds(ids).map((id) => suiteTest(id, runs, links)),
    stubs: STUBS.map((stub) => stubResult(stub, runs[stub])),
    callables: facts.exports.filter((fact) => fact.callable).map((fact) => fact.name),
    calls: callsOf(everyRun(runs)),
  };
}

/** The further runs that judging these facts needs; none where the suite is refused anyway. */
export function doubtsOfSuite(facts: SuiteFacts): readonly Doubt[] {
  const runs = completeRuns(facts);
  if (runs === null || unusableFindings(facts).length > 0 || brokenFindings(facts, runs).length > 0)
    return [];
  const raises = facts.contract.interface.raises.map(raiseName);
  return doubts(runs, askedExports(facts, runs), namesAnyError(raises));
}

function unusableFindings(facts: SuiteFacts): Finding[] {
  const all = [
    ...STUBS.map((stub) => facts.stubRuns[stub]),
    ...facts.collections.map(({ execution }) => execution),
    ...Object.values(facts.doubtRuns ?? {}).flatMap((run) => (isLost(run) ? [run] : [])),
    ...(facts.onRealCode === null ? [] : [facts.onRealCode]),
  ];
  return all.flatMap((execution) => (execution.kind === 'unusable' ? [execution.finding] : []));
}

/** A further run that the suite itself broke off settles nothing; one that the platform lost is made again. */
function isLost(execution: Execution): boolean {
  return execution.kind === 'unusable' && execution.finding.code.startsWith('platform_');
}

/** What is asked of a suite before how well it tests. */
function brokenFindings(facts: SuiteFacts, runs: StubRuns): Finding[] {
  const oversized = sizeFindings(facts, runs);
  if (oversized.length > 0) return oversized;
  const collections = facts.collections.flatMap(({ stub, execution }) =>
    execution.kind === 'complete' ? [{ stub, run: execution.run }] : [],
  );
  return [
    ...collectFindings(facts, runs),
    ...idFindings(facts, runs, collections),
    ...outcomeFindings(facts, runs),
    ...flakyFindings(facts),
  ];
}

function settledRuns(runs: DoubtRuns = {}): SettledRuns {
  return Object.fromEntries(
    Object.entries(runs).flatMap(([about, execution]) =>
      execution.kind === 'complete' ? [[about, indexed(execution.run)] as const] : [],
    ),
  );
}

function completeRuns({ stubRuns, through, doubtRuns }: SuiteFacts): StubRuns | null {
  const { raise, none, wrong } = stubRuns;
  if (raise.kind !== 'complete' || none.kind !== 'complete' || wrong.kind !== 'complete') return null;
  const settled = settledRuns(doubtRuns);
  return {
    raise: indexed(raise.run),
    none: indexed(none.run),
    wrong: indexed(wrong.run),
    ...(through?.kind === 'complete' ? { through: indexed(through.run) } : {}),
    further: [settled.none, settled.wrong].filter((run) => run !== undefined),
  };
}

function flakyFindings({ flaky }: SuiteFacts): Finding[] {
  return flaky === null || flaky === undefined ? [] : [flakyFinding(flaky, { stub: flaky.stub })];
}

/** What is red on the real code of the targets (gate.md part 3, nodes of type `test`). */
function greenFindings(facts: SuiteFacts): Finding[] {
  if (facts.onRealCode?.kind !== 'complete') return [];
  const { tests, collectErrors, lateErrors } = facts.onRealCode.run;
  const broken = collectErrors.length + lateErrors.length;
  return [
    ...(broken === 0
      ? []
      : [finding('not_green', 'L1', `The suite raises ${broken} errors outside its tests on the real code`)]),
    ...tests
      .filter((test) => test.outcome !== 'passed')
      .map((test) =>
        finding('not_green', 'L1', `Test "${idText(test.id)}" is ${test.outcome} on the real code`, {
          testId: test.id,
        }),
      ),
  ];
}

function reachIndex(runs: StubRuns): (name: string) => boolean {
  const reached = new Set(runs.raise.tests.flatMap((test) => reachedBy(test, runs)));
  return (name) => isAmong([...reached], name);
}

/** What the author says of an export that does nothing observable is all that there is. */
function unreachedExports(facts: SuiteFacts, runs: StubRuns, links: ClauseLinks): ExportFact[] {
  const isReached = reachIndex(runs);
  return askedExports(facts, runs).filter(
    (fact) => !isReached(fact.name) && !(isInert(fact) && fact.clauseIds.some((id) => links.covered.has(id))),
  );
}

/** All but the methods that no test calls of a class that tests use: another export may call them. */
function askedExports({ exports }: SuiteFacts, runs: StubRuns): readonly ExportFact[] {
  const isReached = reachIndex(runs);
  return exports.filter(({ name }) => {
    const [owner = ''] = name.split('.');
    return owner === name || isReached(name) || !isReached(owner);
  });
}

function isInert(fact: ExportFact): boolean {
  return fact.inert === true;
}

function coverFindings(
  facts: SuiteFacts,
  runs: StubRuns,
  links: ClauseLinks,
  unreached: readonly ExportFact[],
): Finding[] {
  const isReached = reachIndex(runs);
  const isTold = (name: string | undefined): boolean => unreached.some((fact) => fact.name === name);
  const uncovered = facts.clauses.filter((clause) => {
    const name = clause.exportName;
    // A type has nothing that runs: no test can cover it.
    const isType =
      clause.kind === 'export' && name !== undefined && !facts.exports.some((fact) => fact.name === name);
    return (
      !isType && !isTold(name) && !links.covered.has(clause.id) && !(name !== undefined && isReached(name))
    );
  });
  return [
    ...links.unknown.map((text) => finding('covers_unknown', 'L1', text)),
    ...unreached.map((fact) =>
      finding(
        'export_unreached',
        'L1',
        `No test reaches "${fact.name}": write one that ${fact.callable ? 'calls it and asserts what it gives back or changes' : 'uses it and asserts what it holds'}`,
        { exportName: fact.name, clauseId: fact.clauseIds[0] ?? null },
      ),
    ),
    ...uncovered.map((clause) =>
      finding('clause_uncovered', 'L1', `Clause ${clause.id} has no test: ${clause.text}`, {
        clauseId: clause.id,
        exportName: clause.exportName ?? null,
      }),
    ),
  ];
}

function suiteTest(id: TestId, runs: StubRuns, links: ClauseLinks): Judgement['suiteTests'][number] {
  const on = (stub: StubKind): TestLine | undefined => runs[stub].byKey.get(idKey(id));
  return {
    id,
    outcomes: {
      raise: on('raise')?.outcome ?? 'error',
      none: on('none')?.outcome ?? 'error',
      wrong: on('wrong')?.outcome ?? 'error',
    },
    reached: reachedBy({ id }, runs).toSorted(),
    clauses: [...(links.byTest.get(idKey(id)) ?? [])],
  };
}

function stubResult(stub: StubKind, run: StubRuns[StubKind]): Judgement['stubs'][number] {
  const green = run.tests.filter((test) => test.outcome === 'passed').map((test) => test.id);
  return { stub, red: run.tests.length - green.length, green: green.length, greenTests: sortedIds(green) };
}
