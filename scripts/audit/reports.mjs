// Each commit names a report that exists, says PASS on this node's code, and hashes to its own digest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical, isRecord, parsed, sha256 } from './json.mjs';
import { checkTrailers } from './trailers.mjs';

const CHECK = 'reports';

/** Reports by commit id. */
export function auditReports(dir, branch, found) {
  const reports = new Map();
  for (const commit of branch.commits) {
    if (commit.node === null || commit.report === null) continue;
    const report = readReport(dir, commit, found);
    if (report !== null) reports.set(commit.id, report);
  }
  found.done(CHECK, `${reports.size} read`);
  return reports;
}

function readReport(dir, commit, found) {
  const hex = /^sha256:([0-9a-f]{64})$/u.exec(commit.report)?.[1];
  if (hex === undefined) {
    found.fail(CHECK, commit.id, `names the report "${commit.report}", which is no digest`);
    return null;
  }
  let text;
  try {
    text = readFileSync(join(dir, 'reports', 'by-digest', `${hex}.json`), 'utf8');
  } catch {
    found.fail(CHECK, commit.id, `names the report ${commit.report}, which is not in reports/by-digest`);
    return null;
  }
  const report = parsed(text);
  if (!isRecord(report) || !isRecord(report.subject)) {
    found.fail(CHECK, commit.id, `has a report that cannot be read`);
    return null;
  }
  check(commit, report, found);
  return report;
}

function check(commit, report, found) {
  const { subject } = report;
  checkTrailers(commit, report, found);
  if (report.verdict !== 'PASS') found.fail(CHECK, commit.id, `has a report that says ${report.verdict}`);
  if (subject.node !== commit.node)
    found.fail(CHECK, commit.id, `is ${commit.node}, its report is about ${subject.node}`);
  if (subject.kind !== 'code')
    found.fail(CHECK, commit.id, `has a report about ${subject.kind}, not about code`);
  if (report.ids?.ran?.length === 0) found.fail(CHECK, commit.id, 'has a report in which no test ran');
  if (report.digest !== commit.report || digestOf(report) !== commit.report) {
    found.fail(CHECK, commit.id, 'has a report that does not hash to its digest: it was changed');
  }
}

/** Over all that two runs of the same inputs share: no times, commands, mutants, changed suites or messages, and not the tree that was asked about. */
export function digestOf(report) {
  const {
    digest: _digest,
    timings: _timings,
    commands: _commands,
    mutation: _mutation,
    counterProof: _counterProof,
    tests,
    subject,
    plain,
    ...stable
  } = report;
  const { tree: _tree, ...judged } = subject;
  const beside = plain === undefined ? {} : { plain: secondJudge(plain) };
  const outcomes = (tests ?? []).map(({ id, outcome }) => canonical({ id, outcome })).sort();
  return sha256(
    canonical({ ...stable, ...beside, subject: judged, tests: outcomes.map((text) => JSON.parse(text)) }),
  );
}

/** Of the second judge only outcomes: what went wrong in a test is told in other words by each run. */
function secondJudge({ differences, ...plain }) {
  return { ...plain, outcomes: differences.map((each) => [each.id, each.wall.outcome, each.plain.outcome]) };
}
