/** What SEAL is told of the project's own plan: the verdict, and what was found first. */
import type { ProjectOutcome } from '../../schemas/stage.ts';
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';

const REASON_MAX = 900;
const VALUE_MAX = 120;

/** The report as the stage's ledger holds it. */
export function projectOutcome(report: RepositoryReport): ProjectOutcome {
  const [first, ...rest] = report.levels.flatMap((level) => level.findings);
  const more = rest.length === 0 ? '' : `; and ${String(rest.length)} more`;
  return {
    verdict: report.verdict,
    isPlatform: report.fault === 'platform',
    reportDigest: report.digest,
    reason: first === undefined ? '' : `${findingText(first)}${more}`.slice(0, REASON_MAX),
  };
}

function findingText({ level, place, text, expected, actual }: RepositoryFinding): string {
  const at = place === null ? '' : `${place.file}${place.line === 0 ? '' : `:${String(place.line)}`}: `;
  const values =
    expected === null || actual === null ? '' : ` (expected ${cut(expected)}, actual ${cut(actual)})`;
  return `${level} ${at}${text}${values}`;
}

function cut(text: string): string {
  const shown = text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 1)}…` : text;
  return /[\n\t]|^\s|\s$|^$/.test(shown) ? JSON.stringify(shown) : shown;
}
