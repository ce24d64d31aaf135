/** What makes a suite unusable before it is asked how well it tests (gate.md parts 4 and 5): every finding here is INVALID author. */
import type { Finding, StubKind } from '../../../schemas/report.ts';
import type { Failure, TestId } from '../../../schemas/runner-report.ts';
import { finding, listed } from '../finding.ts';
import { knownException } from '../exports/known-types.ts';
import { ownPlace } from '../code/outcome-class.ts';
import type { RunnerRun } from '../runner-reading.ts';
import { STUBS, type StubRuns, type SuiteFacts } from './suite-facts.ts';
import { idsMissing, idText, sameIds } from '../test-id.ts';

const REFUSAL_MAX = 300;

/** Tests of one suite: a count and no time, so that every machine says the same (decision 0069). */
export const TESTS_MAX = 3_000;

/** A suite of more tests was not run: nothing else is known of it, and nothing else is told. */
export function sizeFindings(facts: SuiteFacts, runs: StubRuns): Finding[] {
  const all = STUBS.flatMap((stub) => runs[stub].lateErrors.map((error) => ({ stub, error })));
  const found = all.find(({ error }) => error.failure.exceptionType === 'TooManyTests');
  return found === undefined ? [] : lateFinding(found.error, found.stub, facts).slice(0, 1);
}

/** Files that cannot be collected on a stub (S1). */
export function collectFindings(facts: SuiteFacts, runs: StubRuns): Finding[] {
  return STUBS.flatMap((stub) =>
    runs[stub].collectErrors.map((error) =>
      finding(
        'collection_error',
        'L1',
        `"${ownName(error.file, facts)}" cannot be collected on the stub "${stub}"${collectReason(error.failure, facts)}: a collection error is never red${advice(error.failure)}`,
        {
          stub,
          exceptionType: knownException(error.failure.exceptionType, facts.contract),
          place: ownPlace(error.failure, facts.ownFiles),
        },
      ),
    ),
  );
}

/** Where the file itself can be read, it is what a stub gave that it could not go on with. */
function advice({ exceptionType }: Failure): string {
  return UNREADABLE.test(exceptionType)
    ? ''
    : '. Call the code in tests and in fixtures or hooks, not while the file is loaded';
}

const UNREADABLE = /^(?:Syntax|Indentation|Import|ModuleNotFound|Collect)Error$/u;

/** What Python or Node says of the author's own line: on stubs there is no implementation that it could tell of. */
function collectReason(failure: Failure, facts: SuiteFacts): string {
  const last = failure.frames.at(-1);
  if (last === undefined || !facts.ownFiles.has(last.file) || failure.message.trim() === '') return '';
  return ` (${refusalText(`${failure.exceptionType}: ${failure.message}`)})`;
}

/** Every file yields tests, and the same ones on `raise` and `none` under all conditions (S3). */
export function idFindings(
  facts: SuiteFacts,
  runs: StubRuns,
  collections: readonly { stub: StubKind; run: RunnerRun }[],
): Finding[] {
  const ids = runs.raise.collected;
  if (ids.length === 0) return [finding('suite_empty', 'L1', 'The suite yields no test on the stubs')];
  const files = new Set(ids.map((id) => id.file));
  const silent = facts.testFiles.filter((file) => !files.has(file));
  // On `wrong` declared values are others: what is made of them (a test for each member of an enum) may be of another number.
  const others = [{ stub: 'none' as const, run: runs.none }, ...collections];
  return [
    ...silent.map((file) =>
      finding(
        'file_without_tests',
        'L1',
        `"${file}" yields no test; move helpers to a file that is not named like a test`,
      ),
    ),
    ...others.flatMap(({ stub, run }) => differenceFinding(ids, run.collected, stub, 'is collected')),
    ...STUBS.flatMap((stub) =>
      differenceFinding(
        runs[stub].collected,
        runs[stub].tests.map((test) => test.id),
        stub,
        'runs',
      ),
    ),
  ];
}

function differenceFinding(
  expected: readonly TestId[],
  actual: readonly TestId[],
  stub: StubKind,
  verb: string,
): Finding[] {
  if (sameIds(expected, actual)) return [];
  const names = [...idsMissing(expected, actual), ...idsMissing(actual, expected)].map(idText);
  const text = `What ${verb} differs between stubs or conditions (on "${stub}"): ${listed(names)}; names and number of tests may not depend on the code or on order`;
  return [finding('ids_differ', 'L1', text, { stub })];
}

/** Outcomes and constructs that a suite may not have on stubs. */
export function outcomeFindings(facts: SuiteFacts, runs: StubRuns): Finding[] {
  return STUBS.flatMap((stub) => [
    ...runs[stub].tests.flatMap((test) => {
      if (test.outcome === 'passed' || test.outcome === 'failed' || test.outcome === 'error') return [];
      const code = test.outcome === 'xpassed' ? 'xpassed' : 'forbidden_outcome';
      const text = `Test "${idText(test.id)}" is ${test.outcome} on the stub "${stub}"; every test of a suite must simply run`;
      return [finding(code, 'L1', text, { stub, testId: test.id })];
    }),
    ...runs[stub].lateErrors.flatMap((error) => lateFinding(error, stub, facts)),
  ]);
}

/** An uncaught error on a stub is the stub's: it makes nothing red, and nothing invalid. */
function lateFinding(error: RunnerRun['lateErrors'][number], stub: StubKind, facts: SuiteFacts): Finding[] {
  const place = ownPlace(error.failure, facts.ownFiles);
  switch (error.reason) {
    case 'uncaught':
      return [];
    case 'refused':
      return [
        finding(
          'construct_refused',
          'L1',
          `Refused on the stub "${stub}": ${refusalText(error.failure.message)}`,
          {
            stub,
            place,
          },
        ),
      ];
    case 'internal':
      return [
        finding(
          'report_broken',
          'L1',
          `The runner itself failed while it ran the suite on the stub "${stub}"`,
          { stub, place },
        ),
      ];
  }
}

function ownName(file: string, facts: SuiteFacts): string {
  return facts.ownFiles.has(file) ? file : 'a file outside the suite';
}

/** Our runner's words, but out of a report that the suite's process could write: one bounded line. */
function refusalText(message: string): string {
  const line = message.replace(/\s+/gu, ' ');
  return line.length > REFUSAL_MAX ? `${line.slice(0, REFUSAL_MAX)}…` : line;
}
