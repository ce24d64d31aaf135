/**
 * Whether tests assert what each export gives, or only call it (decision 0019). A test that calls several is red on every stub by
 * one assertion about one of them: the other ones are in doubt. A further run follows their values to what is asserted.
 */
import type { Finding } from '../../../schemas/report.ts';
import type { ExportFact } from '../exports/export-facts.ts';
import { finding, listed } from '../finding.ts';
import { STUBS, type StubRun, type StubRuns, type TestLine } from './suite-facts.ts';
import { idKey, idText } from '../test-id.ts';

const SHOWN_MAX = 3;
/** Each takes a further play of the suite; of exports beyond these nothing is asked, and nothing said. */
const FOLLOWED_MAX = 12;

/** Names of the exports in doubt: tests that are red on `wrong` are about others, too. Where none is red, that is told already. */
export function followedNames(runs: StubRuns, exports: readonly ExportFact[]): readonly string[] {
  const called = exports.filter((fact) => fact.callable);
  const tests = runs.raise.tests.map((test) => calledBy(test, runs, called));
  return called
    .filter((fact) => fact.answers && isNamedInCalls(fact.name))
    .map((fact) => fact.name)
    .filter((name) => {
      const red = tests.filter(({ names, isRed }) => isRed && names.includes(name));
      return red.length > 0 && red.every(({ names }) => names.length > 1);
    })
    .slice(0, FOLLOWED_MAX);
}

/** What a language calls by operators (`a == b`, `for … of`) is asserted by their use. */
function isNamedInCalls(name: string): boolean {
  return !/(?:^|\.)(?:__\w+__|\[.*)$/u.test(name);
}

function calledBy(
  test: TestLine,
  runs: StubRuns,
  called: readonly ExportFact[],
): { readonly names: readonly string[]; readonly isRed: boolean } {
  const key = idKey(test.id);
  const reached = new Set(STUBS.flatMap((stub) => runs[stub].byKey.get(key)?.reached ?? []));
  const outcome = runs.wrong.byKey.get(key)?.outcome;
  return {
    names: called.map((fact) => fact.name).filter((name) => reached.has(name)),
    isRed: outcome === 'failed' || outcome === 'error',
  };
}

/** One finding for each export whose value no test asserts. `run` says of each test which exports it asks about. */
export function unassertedFindings(
  names: readonly string[],
  run: StubRun | undefined,
  runs: StubRuns,
  exports: readonly ExportFact[],
): Finding[] {
  if (run === undefined || run.tests.length === 0) return [];
  const asked = new Set(run.tests.flatMap((test) => test.reached));
  return names
    .filter((name) => !asked.has(name))
    .map((name) => {
      const fact = exports.find((each) => each.name === name);
      const tests = runs.raise.tests.filter((test) =>
        STUBS.some((stub) => runs[stub].byKey.get(idKey(test.id))?.reached.includes(name)),
      );
      const shown = listed(
        tests.map((test) => idText(test.id)),
        SHOWN_MAX,
      );
      const text = `No test asserts what "${name}" gives back or changes: ${shown} ${tests.length === 1 ? 'calls' : 'call'} it, and what ${tests.length === 1 ? 'it asserts' : 'they assert'} is about other exports. Compare its result with the value that you expect`;
      return finding('unasserted', 'L1', text, {
        exportName: name,
        clauseId: fact?.clauseIds[0] ?? null,
        testId: tests[0]?.id ?? null,
      });
    });
}
