/** What is found after a report was made: it has no digest until it is sealed again. */
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';
import { repositoryVerdict } from './verdict.ts';

type Unsealed = Omit<RepositoryReport, 'digest'>;

/** The verdict that the findings decide. */
export function withFindings(
  { digest: _digest, ...report }: RepositoryReport,
  found: readonly RepositoryFinding[],
): Unsealed {
  const levels = report.levels.map((level) => {
    const own = found.filter((each) => each.level === level.level);
    return own.length === 0
      ? level
      : { ...level, status: 'failed' as const, findings: [...level.findings, ...own] };
  });
  return { ...report, ...repositoryVerdict(found), levels };
}

export function withNotes(
  { digest: _digest, ...report }: RepositoryReport,
  notes: readonly string[],
): Unsealed {
  return { ...report, notes: [...report.notes, ...notes] };
}
