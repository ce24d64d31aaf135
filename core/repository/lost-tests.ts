/**
 * Tests that ran before a change and do not run after it. A file of ten tests that holds one now is green, and nine things are
 * not tested any more. Names count, not files: what was moved or parametrized otherwise is told apart by nothing but its name.
 */
import type { RanTests } from '../ports/repository-gate.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { repositoryFinding } from './finding.ts';

const NAMED_MAX = 20;

/** One finding for the tests that a command ran before and does not run now. */
export function lostTests(
  wanted: readonly RanTests[],
  ran: readonly RanTests[],
  step: string,
): RepositoryFinding[] {
  const before = wanted.find((each) => each.step === step);
  const after = ran.find((each) => each.step === step);
  if (before === undefined || after === undefined) return [];
  if (before.names === null || after.names === null)
    return after.count >= before.count
      ? []
      : [finding(step, `${String(before.count)} tests ran before the change, ${String(after.count)} do now`)];
  const now = new Set(after.names.map(withoutParameters));
  const lost = [...new Set(before.names.map(withoutParameters))].filter((name) => !now.has(name));
  if (lost.length === 0) return [];
  const named = lost
    .slice(0, NAMED_MAX)
    .map((name) => `"${name.slice(0, 200)}"`)
    .join(', ');
  const more = lost.length > NAMED_MAX ? ` and ${String(lost.length - NAMED_MAX)} more` : '';
  const many =
    lost.length === 1
      ? 'A test that ran before the change does'
      : `${String(lost.length)} tests that ran before the change do`;
  return [finding(step, `${many} not run any more: ${named}${more}`)];
}

function finding(step: string, text: string): RepositoryFinding {
  return repositoryFinding('tests_removed', 'L1', text.slice(0, 2000), {
    step,
    nextStep:
      'Put them back; an order that shall take tests away says so: --allow-gate-edit with the file of the tests',
  });
}

/** `test_x[1-2]` and `test_x[3]` are one test; so is each row of a Go table below its test. */
export function withoutParameters(name: string): string {
  return name.replace(/(?:\[.*\])?(?:#\d+)?$/su, '').replace(/^([^:]*::[^/]+)\/.*$/su, '$1');
}
