/** A repository's report for a terminal, a log or a commit hook: verdict, levels, what to mend. No colour here. */
import type {
  RepositoryCommand,
  RepositoryFinding,
  RepositoryLevel,
  RepositoryReport,
} from '../../schemas/repository-report.ts';
import { counted } from '../text/plural.ts';

/** Findings shown in full, and lines of an excerpt. */
const FINDINGS_SHOWN_MAX = 12;
const EXCERPT_LINES_MAX = 12;
const VALUE_CHARS_MAX = 300;

export interface TextColours {
  readonly verdict: (text: string) => string;
  readonly dim: (text: string) => string;
}

const PLAIN: TextColours = { verdict: (text) => text, dim: (text) => text };

/** The whole page. */
export function repositoryReportText(report: RepositoryReport, colours: TextColours = PLAIN): string {
  const { subject, isolation, levels, commands } = report;
  const findings = levels.flatMap((level) => level.findings);
  const shown = findings.slice(0, FINDINGS_SHOWN_MAX);
  const rest = findings.length - shown.length;
  return [
    `${colours.verdict(report.verdict)}${faultText(report)}  ${subjectText(report)}`,
    ...levels.map((level) => levelLine(level, commands, colours)),
    ...(shown.length === 0 ? [] : ['']),
    ...shown.flatMap((found) => findingLines(found, colours)),
    ...(rest > 0 ? [colours.dim(`  and ${String(rest)} more, in report.json`)] : []),
    ...(report.notes.length === 0 ? [] : ['']),
    ...report.notes.map((note) => `note  ${note}`),
    '',
    colours.dim(
      `plan  ${subject.planFrom}; ${tierText(report)}${isolation.backend}, isolation ${isolation.level}; ${seconds(report.timings.totalMs)}`,
    ),
  ].join('\n');
}

/** Said with every verdict that rests on tests: what shares their process could have forged what they say. */
function tierText({ tier, commands }: RepositoryReport): string {
  const isCounted = commands.some(({ tests }) => tests !== null);
  return isCounted ? `tests and code shared one process (tier ${tier}); ` : '';
}

function faultText({ verdict, fault }: RepositoryReport): string {
  if (verdict !== 'INVALID') return '';
  switch (fault) {
    case 'platform':
      return ' (this machine cannot judge it)';
    case 'manager':
      return ' (no verdict: somebody must look)';
    case 'author':
    case 'builder':
    case null:
      return ' (no verdict: the run did not end as a run does)';
  }
}

function subjectText({ subject }: RepositoryReport): string {
  const commit = subject.commit?.slice(0, 12) ?? null;
  const files = `${counted(subject.files, 'file')}, tree ${subject.tree.slice(0, 12)}`;
  switch (subject.kind) {
    case 'work_tree':
      return `work tree${commit === null ? '' : ` on ${commit}`} (${files})`;
    case 'staged':
      return `staged${commit === null ? '' : ` on ${commit}`} (${files})`;
    case 'commit':
      return `commit ${commit ?? ''} (${files})`;
  }
}

const LEVEL_NAMES = { L0: 'contract', L1: 'tests', L2: 'fixtures', L3: 'execution' } as const;
const STATUS_TEXTS = { passed: 'passed', failed: 'FAILED', invalid: 'INVALID', not_run: 'not run' } as const;

function levelLine(
  level: RepositoryLevel,
  commands: readonly RepositoryCommand[],
  colours: TextColours,
): string {
  const name = `${level.level} ${LEVEL_NAMES[level.level]}`.padEnd(14);
  const status = STATUS_TEXTS[level.status].padEnd(8);
  return `  ${name}${status} ${colours.dim(levelDetail(level, commands))}`.trimEnd();
}

function levelDetail(level: RepositoryLevel, commands: readonly RepositoryCommand[]): string {
  if (level.checks === 0) return 'nothing in the plan';
  if (level.status === 'not_run') return 'an earlier level ended the run';
  const own = commands.filter((command) => command.level === level.level);
  if (own.length === 0) return level.level === 'L0' ? `${String(level.checks)} rules` : '';
  return own.map(commandText).join('; ');
}

function commandText({ name, tests, durationMs, outcome }: RepositoryCommand): string {
  if (tests === null) return `${name}: ${outcome} (${seconds(durationMs)})`;
  const counts = [
    `${String(tests.passed)} passed`,
    ...(tests.failed === 0 ? [] : [`${String(tests.failed)} failed`]),
    ...(tests.skipped === 0 ? [] : [`${String(tests.skipped)} skipped`]),
  ];
  return `${name}: ${counts.join(', ')} (${seconds(durationMs)})`;
}

function findingLines(found: RepositoryFinding, { dim }: TextColours): string[] {
  const place = found.place === null ? '' : `${placeText(found.place)}  `;
  const indent = '       ';
  return [
    `  ${found.level}  ${place}${found.text}`,
    ...(found.expected === null ? [] : [`${indent}expected  ${value(found.expected)}`]),
    ...(found.actual === null ? [] : [`${indent}actual    ${value(found.actual)}`]),
    ...excerptLines(found).map((line) => dim(`${indent}| ${line}`)),
    ...(found.nextStep === null ? [] : [`${indent}${dim('next')}  ${found.nextStep}`]),
  ];
}

function placeText({ file, line }: { readonly file: string; readonly line: number }): string {
  // On one line, whatever its name is made of.
  const shown = /\p{Cc}/u.test(file) ? JSON.stringify(file) : file;
  return line === 0 ? shown : `${shown}:${String(line)}`;
}

function excerptLines({ excerpt }: RepositoryFinding): string[] {
  if (excerpt === null) return [];
  return excerpt.trimEnd().split('\n').slice(-EXCERPT_LINES_MAX);
}

function value(text: string): string {
  const shown = text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
  return /[\n\t]|^\s|\s$|^$/.test(shown) ? JSON.stringify(shown) : shown;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
