/** A stored report for people: what was judged, how, what was found, and how to run it again. */
import { colors } from './colors.ts';
import { reportHeadline } from '../../core/gate/report/report-headline.ts';
import { counterProofText } from '../../core/gate/code/changed-suite.ts';
import { judgesText } from '../../core/gate/code/two-judges.ts';
import { idText } from '../../core/gate/test-id.ts';
import type { RefusalRow, ReportRow, ReportView } from '../../core/ports/visitors.ts';
import { counted } from '../../core/text/plural.ts';
import type { Finding, GateReport } from '../../schemas/report.ts';
import { judgedSide } from '../../core/gate/report/judged-side.ts';
import { printable, sizeText, statusText, table } from './text.ts';
import { typed } from '../../core/text/typed.ts';

const FINDINGS_MAX = 40;
const TESTS_MAX = 60;

/** Every verification of a session, and what was refused before any. */
export function reportList(
  { rows, refusals }: { readonly rows: readonly ReportRow[]; readonly refusals: readonly RefusalRow[] },
  dir: string,
): string {
  const refused = refusals.flatMap(({ node, dispatch, turn, reasons }) => [
    `- ${node}, ${dispatch} turn ${String(turn)}: ${reasons.join('\n  ')}`,
  ]);
  return [
    ...(rows.length === 0 && refused.length > 0 ? [] : [reportTable(rows, dir)]),
    ...(refused.length === 0 ? [] : ['Refused before any gate, without a report:', ...refused]),
  ].join('\n');
}

function reportTable(rows: readonly ReportRow[], dir: string): string {
  const cells = rows.map((row) => [
    `${row.step}/${row.iteration}`,
    row.node,
    row.kind,
    row.purpose.replace('_', ' '),
    `${row.verdict}${row.fault === null ? '' : ` (${row.fault})`}${row.cached ? ' (cached)' : ''}`,
    row.digest.slice('sha256:'.length, 'sha256:'.length + 12),
  ]);
  const empty = typed`No verdict yet: a7-rt run ${dir} makes some`;
  return table(['REPORT', 'NODE', 'KIND', 'ASKED BY', 'VERDICT', 'DIGEST'], cells, empty);
}

/** One verdict as a page of text. `dir` is the session as the person named it. */
export function reportPage(view: ReportView, dir: string): string {
  const { report } = view;
  const levels = report.levels.map((level) => [
    level.level,
    MEANINGS[level.level] ?? '',
    level.status.replace('_', ' '),
  ]);
  return [
    `${statusText(report.verdict)}  ${colors.bold(report.subject.node)}, ${report.subject.kind}`,
    reportHeadline(report),
    ...(view.cached
      ? ['cached: true (a stored report of the same key answered; nothing ran for this one)']
      : []),
    '',
    table(['LEVEL', 'WHAT', 'STATUS'], levels, ''),
    ...findingLines(report),
    ...testLines(report),
    ...judgesLines(report),
    '',
    table(['FACT', ''], facts(view), ''),
    '',
    ...(view.folder === null
      ? []
      : [`${colors.dim('files')}  ${dir}/${view.folder}/  (report.html, logs, patch.diff)`]),
    `${colors.dim('again')}${typed`  a7-rt verify ${dir} ${view.verifyName}`}`,
  ].join('\n');
}

const MEANINGS: Readonly<Record<string, string>> = {
  L0: 'contract checks',
  L1: 'tests',
  L2: 'black-box fixtures',
  L3: 'clean-room run',
};

function findingLines(report: GateReport): string[] {
  const findings = report.levels.flatMap((level) => level.findings);
  const shown = findings.slice(0, FINDINGS_MAX).map((found) => `  ${findingText(found)}`);
  const more = findings.length - shown.length;
  const warnings = report.warnings.map((found) => `  ${findingText(found)}`);
  return [
    ...(shown.length === 0 ? [] : ['', colors.dim('FINDINGS'), ...shown]),
    ...(more > 0 ? [`  and ${String(more)} more, in report.json`] : []),
    ...(warnings.length === 0 ? [] : ['', colors.dim('WARNINGS'), ...warnings.slice(0, FINDINGS_MAX)]),
  ];
}

function findingText(found: Finding): string {
  const { limit, place } = found;
  const facts = [
    found.testId === null ? null : idText(found.testId),
    found.clauseId,
    found.stub === null ? null : `stub ${found.stub}`,
    found.outcome?.replaceAll('_', ' ') ?? null,
    found.exceptionType,
    limit === null ? null : `limit ${limit.name} ${String(limit.value)} ${limit.unit}`,
    place === null ? null : `${place.file}:${String(place.line)}`,
  ].filter((fact) => fact !== null);
  return `${found.level} ${found.code}: ${found.text}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** Counts of all tests, and each that did not pass. */
function testLines(report: GateReport): string[] {
  const { ids, tests, suiteTests, stubs } = report;
  if (report.subject.kind === 'suite') {
    const lines = stubs.map(
      (run) => `  on stub ${run.stub}: ${String(run.red)} red, ${String(run.green)} green`,
    );
    return ['', colors.dim('TESTS'), `  ${counted(suiteTests.length, 'test')} on three stubs`, ...lines];
  }
  if (tests.length === 0 && ids.locked.length === 0) return [];
  const outcomes = new Map<string, number>();
  for (const test of tests) outcomes.set(test.outcome, (outcomes.get(test.outcome) ?? 0) + 1);
  const sums = [...outcomes].map(([outcome, count]) => `${String(count)} ${outcome}`).join(', ');
  const bad = tests.filter((test) => test.outcome !== 'passed').slice(0, TESTS_MAX);
  return [
    '',
    colors.dim('TESTS'),
    `  ${String(ids.locked.length)} locked, ${String(ids.collected.length)} collected, ${String(ids.ran.length)} ran${sums === '' ? '' : `: ${sums}`}`,
    ...bad.map(({ id, outcome, failure }) => {
      const why = failure === null ? '' : `: ${printable(`${failure.exceptionType}: ${failure.message}`)}`;
      return `  ${outcome} ${printable(idText(id))}${why.slice(0, 200)}`;
    }),
  ];
}

/** Where the two judges differ: what either saw, side by side. */
function judgesLines({ plain }: GateReport): string[] {
  if (plain === undefined || plain.differing === 0) return [];
  const rows = plain.differences.map(({ id, wall, plain: beside }) => [
    printable(idText(id)),
    printable(judgedSide(wall)),
    printable(judgedSide(beside)),
  ]);
  const heads = ['TEST', 'BEHIND THE WALL', `IN PLAIN ${plain.runner.toUpperCase()}`];
  return ['', colors.dim('THE TWO JUDGES DIFFER'), table(heads, rows, '')];
}

function facts({ report, commit, step, purpose }: ReportView): string[][] {
  const { subject, limits, wall } = report;
  const isInProcess = report.tier === 'in_process';
  const rows: (readonly [string, string | null])[] = [
    ['commit', commit],
    ['asked by', step === null ? null : `${step} (${(purpose ?? '').replace('_', ' ')})`],
    [
      'tier',
      isInProcess
        ? 'in process: counted inside the process that ran the code'
        : 'glass wall: counted outside',
    ],
    ['second judge', report.plain === undefined ? null : `the suite ${judgesText(report.plain)}`],
    ['counter-proof', report.counterProof === undefined ? null : counterProofText(report.counterProof)],
    [
      'why not the wall',
      isInProcess && wall !== undefined && wall.reasons.length > 0 ? wall.reasons.join('. ') : null,
    ],
    ['isolation', `${report.isolation.backend}, proven level ${report.isolation.level}`],
    ['limits', limitText(limits)],
    ['suspect', report.suspect === null ? null : 'the suite: the code passes the examples of the contract'],
    ['tree', subject.tree],
    ['projection', subject.projection],
    ['suite', subject.suiteHash],
    ['plan', subject.planHash],
    ['image', subject.image],
    ['report', report.digest],
    [
      'time',
      `${String(Math.round(report.timings.totalMs))} ms, ${String(Math.round(report.timings.sandboxMs))} ms of it in the sandbox`,
    ],
    ...report.commands.map(
      (command) =>
        [`ran ${command.name}`, `${command.outcome}, ${String(Math.round(command.durationMs))} ms`] as const,
    ),
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

function limitText(limits: GateReport['limits']): string {
  const { wallMs, testTimeoutMs, memoryBytes, diskBytes, processesMax, outputBytes } = limits;
  return `${String(wallMs / 1000)} s in all, ${String(testTimeoutMs / 1000)} s a test, memory ${sizeText(memoryBytes)}, disk ${sizeText(diskBytes)}, ${String(processesMax)} processes, output ${sizeText(outputBytes)}`;
}
