/**
 * Exports that no test called in the run that judged (gate.md part 12): what was not called is not tested, whatever else passed.
 * Only a run that tells of every test what it called can say so; of others the mutation check speaks.
 */
import type { Finding } from '../../../schemas/report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';

/** @param callables the locked suite's; absent in records older than the rule. */
export function uncalledFindings(
  runs: readonly Execution[],
  callables: readonly string[] = [],
): readonly Finding[] {
  const telling = runs.flatMap((run) => {
    if (run.kind !== 'complete') return [];
    const { tests } = run.run;
    return tests.length > 0 && tests.every((test) => test.called !== undefined) ? [tests] : [];
  });
  if (telling.length === 0) return [];
  const called = new Set(telling.flatMap((tests) => tests.flatMap((test) => test.called ?? [])));
  return callables
    .filter((name) => !isCalled(name, called))
    .map((name) =>
      finding(
        'export_uncalled',
        'L1',
        `No test called "${name}" when the suite judged code: write one that calls it and asserts what it gives back or changes`,
        { exportName: name },
      ),
    );
}

/** An operator is called where its class is used: no test need spell it. */
function isCalled(name: string, called: ReadonlySet<string>): boolean {
  if (called.has(name)) return true;
  const [owner = '', member = ''] = name.split('.');
  return /^(?:__\w+__|\[.*)$/u.test(member) && [...called].some((each) => each.split('.')[0] === owner);
}
