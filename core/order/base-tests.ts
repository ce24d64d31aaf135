/**
 * What the base itself came to by the frozen plan, before any change. It says what no snapshot can: whether this plan can judge this
 * repository at all, whether a failure was there before, and which tests ran.
 */
import { matchesAnyGlob } from '../globs.ts';
import type { RanTests } from '../ports/repository-gate.ts';
import { lostTests } from '../repository/lost-tests.ts';
import { lackOf } from '../repository/missing-package.ts';
import type { BaseReport } from '../../schemas/order-files.ts';
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';
import { headlineOf } from './feedback.ts';

const CAME_WITH_CHANGE = 'The same plan judges the base: what hinders the gate came with the change';

/** Why no change of an agent could pass here; null where one could. */
export function unmendable({ report }: BaseReport): string | null {
  if (report.verdict === 'PASS') return null;
  const findings = report.levels.flatMap(({ findings: each }) => each);
  const lack = findings.flatMap((found) => lackOf(found) ?? [])[0];
  if (lack !== undefined) return `The base itself does not pass: ${headlineOf(report)}. ${lack}`;
  return isPlanFault(report) ? `The gate gives no verdict on the base itself: ${headlineOf(report)}` : null;
}

/** Whether a person would have to look at plan or repository. */
export function isPlanFault({ verdict, fault }: RepositoryReport): boolean {
  return verdict === 'INVALID' && fault === 'manager';
}

/** The same report, with the change at fault. */
export function blamed({ digest: _digest, ...report }: RepositoryReport): Omit<RepositoryReport, 'digest'> {
  return { ...report, fault: 'builder', notes: [...report.notes, CAME_WITH_CHANGE] };
}

/** Tests that ran on the base, red ones too, and not after the change. @param allowed files of which tests may go */
export function lostSince(
  { ran: before }: BaseReport,
  ran: readonly RanTests[],
  allowed: readonly string[],
): readonly RepositoryFinding[] {
  const wanted = before.flatMap((each) => wantedOf(each, allowed));
  return wanted.flatMap(({ step }) => lostTests(wanted, ran, step));
}

function wantedOf({ step, names, count }: BaseReport['ran'][number], allowed: readonly string[]): RanTests[] {
  if (allowed.length === 0) return [{ step, names, count }];
  // Without names nobody can say which tests were of an allowed file.
  if (names === null) return [];
  const kept = names.filter((name) => !matchesAnyGlob(allowed, name.split('::')[0] ?? ''));
  return [{ step, count, names: kept }];
}
