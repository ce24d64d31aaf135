/** The report as one self-contained page that a person can read: no script, no network, everything escaped. */
import type { Finding, GateReport, TestResult } from '../../../schemas/report.ts';
import { counterProofText } from '../code/changed-suite.ts';
import { mutationText } from '../code/mutation.ts';
import { reportHeadline } from './report-headline.ts';
import { judgesText } from '../code/two-judges.ts';
import { judgedSide } from './judged-side.ts';
import { idText } from '../test-id.ts';

const ROWS_MAX = 2000;

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.verdict{display:inline-block;padding:.1rem .7rem;border-radius:.3rem;color:#fff;font-weight:600}
.PASS{background:#1a7f37}.FAIL{background:#b42318}.INVALID{background:#8a6100}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #ddd}
code,pre{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap;margin:.2rem 0;color:#555}
@media (prefers-color-scheme:dark){body{background:#161616;color:#ddd}th,td{border-color:#333}pre{color:#aaa}}
`;

/** A whole HTML document. */
export function renderReportHtml(report: GateReport): string {
  const { subject } = report;
  const sections = [
    findingsSection(report),
    table(
      'Stubs',
      ['stub', 'red', 'green'],
      report.stubs.map((run) => [code(run.stub), String(run.red), String(run.green)]),
    ),
    table(
      'Examples',
      ['example', 'outcome'],
      report.examples.map((example) => [code(example.call), escapeHtml(example.outcome)]),
    ),
    mutationSection(report),
    testsSection(report),
    judgesSection(report),
    suiteSection(report),
    table(
      'Warnings',
      ['what', 'where'],
      report.warnings.map((found) => [escapeHtml(found.text), placeOf(found)]),
    ),
    table(
      'Commands',
      ['command', 'outcome', 'time', 'processor', 'output'],
      report.commands.map((command) => [
        code(command.name),
        escapeHtml(command.outcome),
        `${Math.round(command.durationMs)} ms`,
        command.cpuMs === null ? 'unknown' : `${Math.round(command.cpuMs)} ms`,
        `${command.outputBytes} bytes`,
      ]),
    ),
    table('What was judged, and how', ['', ''], factRows(report)),
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `<title>${escapeHtml(`${report.verdict} ${subject.node} (${subject.kind})`)}</title><style>${STYLE}</style></head><body>`,
    `<h1><span class="verdict ${report.verdict}">${report.verdict}</span> ${escapeHtml(subject.node)}: ${escapeHtml(subject.kind)}</h1>`,
    `<p>${escapeHtml(reportHeadline(report))}</p>`,
    ...sections,
    '</body></html>',
    '',
  ].join('\n');
}

function findingsSection(report: GateReport): string {
  const rows = report.levels.flatMap((level) =>
    level.findings.length === 0
      ? [[level.level, escapeHtml(level.status.replace('_', ' ')), '', '']]
      : level.findings.map((found) => [level.level, code(found.code), findingText(found), placeOf(found)]),
  );
  return table('Findings', ['level', 'finding', 'what', 'where'], rows);
}

function mutationSection({ mutation }: GateReport): string {
  if (mutation === undefined) return '';
  const rows = mutation.survivors.map((found) => [findingText(found), placeOf(found)]);
  return table('Mutation check', ['what', 'where'], [[escapeHtml(mutationText(mutation)), ''], ...rows]);
}

function testsSection(report: GateReport): string {
  return table('Tests', ['test', 'outcome', 'time'], report.tests.map(testRow));
}

/** Where the two judges differ: what either saw, side by side. */
function judgesSection({ plain }: GateReport): string {
  if (plain === undefined) return '';
  const rows = plain.differences.map(({ id, wall, plain: beside }) => [
    code(idText(id)),
    escapeHtml(judgedSide(wall)),
    escapeHtml(judgedSide(beside)),
  ]);
  return table(
    'The two judges differ',
    ['test', 'behind the wall', `in plain ${escapeHtml(plain.runner)}`],
    rows,
  );
}

function testRow(test: TestResult): string[] {
  const failure = test.failure;
  const detail =
    failure === null ? '' : `<pre>${escapeHtml(`${failure.exceptionType}: ${failure.message}`)}</pre>`;
  return [`${code(idText(test.id))}${detail}`, escapeHtml(test.outcome), `${Math.round(test.durationMs)} ms`];
}

function suiteSection(report: GateReport): string {
  const rows = report.suiteTests.map((test) => [
    code(idText(test.id)),
    escapeHtml(test.outcomes.raise),
    escapeHtml(test.outcomes.none),
    escapeHtml(test.outcomes.wrong),
    escapeHtml(test.reached.join(', ')),
    escapeHtml(test.clauses.join(', ')),
  ]);
  return table('Tests on stubs', ['test', 'raise', 'none', 'wrong', 'reaches', 'covers'], rows);
}

/** Versions and packages of the image, where the report knows them. */
function imageRows({ image }: GateReport): string[][] {
  if (image === undefined) return [];
  const runtimes = Object.entries(image.runtimes).map(([name, version]) => `${name} ${version}`);
  const packages = image.layer === null ? [] : [['packages', escapeHtml(image.layer.packages.join(', '))]];
  return [['runtimes', escapeHtml(runtimes.join(', '))], ...packages];
}

function factRows(report: GateReport): string[][] {
  const { subject, limits } = report;
  const isInProcess = report.tier === 'in_process';
  const tier = isInProcess
    ? 'in process: counted inside the process that ran the code'
    : 'glass wall: counted outside';
  return [
    ['tier', escapeHtml(tier)],
    ...(report.plain === undefined
      ? []
      : [['second judge', escapeHtml(`the suite ${judgesText(report.plain)}`)]]),
    ...(report.counterProof === undefined
      ? []
      : [['counter-proof', escapeHtml(counterProofText(report.counterProof))]]),
    ['isolation', escapeHtml(`${report.isolation.backend}, proven level ${report.isolation.level}`)],
    ['tree', code(subject.tree)],
    ['projection', code(subject.projection)],
    ['suite', code(subject.suiteHash ?? 'none')],
    ['plan', code(subject.planHash)],
    ['image', code(subject.image)],
    ...imageRows(report),
    ['verifier', code(subject.verifierVersion)],
    [
      'limits',
      escapeHtml(
        `${limits.wallMs} ms, ${limits.memoryBytes} bytes of memory, ${limits.processesMax} processes, ${limits.outputBytes} bytes of output`,
      ),
    ],
    [
      'tests',
      `${report.ids.locked.length} locked, ${report.ids.collected.length} collected, ${report.ids.ran.length} ran`,
    ],
    ['report key', code(report.key)],
    ['report digest', code(report.digest)],
    [
      'time',
      `${Math.round(report.timings.totalMs)} ms, in the sandbox ${Math.round(report.timings.sandboxMs)} ms`,
    ],
  ];
}

function findingText(found: Finding): string {
  const limit = found.limit;
  const facts = [
    found.clauseId,
    found.stub === null ? null : `stub ${found.stub}`,
    found.outcome,
    found.exceptionType,
    found.testId === null ? null : idText(found.testId),
    limit === null
      ? null
      : `limit ${limit.name} ${limit.value} ${limit.unit}${limit.used === null ? '' : `, used ${limit.used}`}`,
  ].filter((fact) => fact !== null);
  return `${escapeHtml(found.text)}${facts.length === 0 ? '' : `<pre>${escapeHtml(facts.join(' · '))}</pre>`}`;
}

function placeOf(found: Finding): string {
  return found.place === null ? '' : code(`${found.place.file}:${found.place.line}`);
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const shown = rows
    .slice(0, ROWS_MAX)
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  const more = rows.length > ROWS_MAX ? `<p>${rows.length - ROWS_MAX} more rows are in report.json.</p>` : '';
  const head = heads.every((name) => name === '')
    ? ''
    : `<tr>${heads.map((name) => `<th>${name}</th>`).join('')}</tr>`;
  return `<h2>${title}</h2><table>${head}${shown.join('\n')}</table>${more}`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.codePointAt(0) ?? 63};`);
}
