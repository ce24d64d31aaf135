/** A report in one sentence. */
import type { Fault, GateReport } from '../../../schemas/report.ts';
import { counterProofNote } from '../code/changed-suite.ts';
import { judgesText } from '../code/two-judges.ts';
import { counted } from '../../text/plural.ts';

const CHARGED: Readonly<Record<Fault, string>> = {
  author: 'the test author is charged',
  builder: 'the builder is charged',
  platform: 'the platform is at fault, nobody is charged',
  manager: 'the manager must look, nobody is charged',
};

/** The verdict, why it counts, and who is charged. */
export function reportHeadline(report: GateReport): string {
  const { subject, tier, isolation } = report;
  const plain = report.plain === undefined ? '' : ` and in plain ${report.plain.runner}`;
  const where = tier === 'glass_wall' ? `behind the glass wall${plain}` : 'in one process (no wall)';
  const means = `${where}, ${isolation.backend} (${isolation.level})`;
  const count =
    subject.kind === 'suite'
      ? `${counted(report.suiteTests.length, 'test')} on three stubs`
      : `${report.ids.ran.length} of ${counted(report.ids.locked.length, 'locked test')} ran`;
  const fault = report.fault === null ? '' : `; ${CHARGED[report.fault]}`;
  const suspect =
    report.suspect === null
      ? ''
      : isWeak(report)
        ? '; the suite notices too little of changed code: it is the suspect'
        : '; the code passes the examples of the contract and fails the suite: the suite is the suspect';
  const judges =
    report.plain === undefined || report.verdict === 'PASS' ? '' : `; the suite ${judgesText(report.plain)}`;
  const note = counterProofNote(report);
  const unproven = note === null ? '' : `; ${note}`;
  return `${report.verdict} for the ${subject.kind} of ${subject.node}: ${count}, judged ${means}${judges}${fault}${suspect}${unproven}.`;
}

function isWeak(report: GateReport): boolean {
  return report.levels.some((level) => level.findings.some((found) => found.code === 'mutation_score'));
}
