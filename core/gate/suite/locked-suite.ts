/** What is locked of a suite that passed, and the text that its hash is made of. */
import type { GateReport, LockedSuite } from '../../../schemas/report.ts';
import { compareText } from '../test-id.ts';

/** The locked suite of a PASS report on a suite. @throws {RangeError} for any other report: only such a suite may judge. */
export function lockedSuiteOf(report: GateReport): LockedSuite {
  const { kind, suiteHash } = report.subject;
  if (kind !== 'suite' || report.verdict !== 'PASS' || suiteHash === null) {
    throw new RangeError(
      `Cannot lock a suite from a report on ${kind}: it must be a PASS on a suite, the verdict is ${report.verdict}`,
    );
  }
  return {
    suiteHash,
    ...(report.wall === undefined ? {} : { wall: report.wall }),
    ...(report.callables === undefined ? {} : { callables: report.callables }),
    ...(report.calls === undefined ? {} : { calls: report.calls }),
    tests: report.suiteTests.map(({ id, reached, clauses }) => ({ id, reached, clauses })),
  };
}

/** One line a file: hash and path, sorted. `hashOf` gives the hash of a file's bytes. */
export function suiteHashText(files: readonly { readonly path: string; readonly hash: string }[]): string {
  return files
    .toSorted((left, right) => compareText(left.path, right.path))
    .map((file) => `${file.hash} ${JSON.stringify(file.path)}\n`)
    .join('');
}
