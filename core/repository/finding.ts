/** Makes findings of a repository's gate: every field is there, what does not apply is null; texts are bounded. */
import type { GateLevel } from '../../schemas/gate-limits.ts';
import type { Finding } from '../../schemas/report.ts';
import type { RepositoryFinding, RepositoryFindingCode } from '../../schemas/repository-report.ts';

export type Details = Partial<Omit<RepositoryFinding, 'code' | 'level' | 'text'>>;

const TEXT_MAX = 2000;
const EXCERPT_MAX = 4000;

/** A finding with the given details; all others null. */
export function repositoryFinding(
  code: RepositoryFindingCode,
  level: GateLevel,
  text: string,
  details: Details = {},
): RepositoryFinding {
  return {
    code,
    level,
    text: cut(text, TEXT_MAX),
    step: details.step ?? null,
    place: details.place ?? null,
    excerpt: bounded(details.excerpt, EXCERPT_MAX),
    expected: bounded(details.expected, TEXT_MAX),
    actual: bounded(details.actual, TEXT_MAX),
    limit: details.limit ?? null,
    nextStep: bounded(details.nextStep, 500),
  };
}

/** A finding of the sandbox or of our reporter's file, under the name of the step that it befell. */
export function fromFinding(found: Finding, level: GateLevel, step: string): RepositoryFinding {
  const code = SAME_NAME.find((name) => name === found.code) ?? 'report_broken';
  return repositoryFinding(code, level, found.text, { step, place: found.place, limit: found.limit });
}

const SAME_NAME: readonly RepositoryFindingCode[] = [
  'platform_lost',
  'platform_wall',
  'wall_limit',
  'memory_limit',
  'output_limit',
  'process_limit',
  'disk_limit',
  'report_missing',
  'report_second',
  'report_broken',
  'early_exit',
];

function bounded(text: string | null | undefined, max: number): string | null {
  return text === null || text === undefined ? null : cut(text, max);
}

/** Without control characters that could steer a terminal. */
function cut(text: string, max: number): string {
  const plain = [...text].filter((each) => each >= ' ' || each === '\n' || each === '\t').join('');
  return plain.length > max ? `${plain.slice(0, max - 1)}…` : plain;
}
