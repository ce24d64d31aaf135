/** What is found after a report was made: it has no digest until it is sealed again. */
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';
import { repositoryVerdict } from './verdict.ts';

type Unsealed = Omit<RepositoryReport, 'digest'>;

/** The verdict that the finding decides. */
export function withFinding(
  { digest: _digest, ...report }: RepositoryReport,
  found: RepositoryFinding,
): Unsealed {
  const levels = report.levels.map((level) =>
    level.level === found.level
      ? { ...level, status: 'failed' as const, findings: [...level.findings, found] }
      : level,
  );
  return { ...report, ...repositoryVerdict([found]), levels };
}

export function withNotes(
  { digest: _digest, ...report }: RepositoryReport,
  notes: readonly string[],
): Unsealed {
  return { ...report, notes: [...report.notes, ...notes] };
}
