/** The commit step's own check: nothing reaches the branch without a PASS report on exactly this work (G1, G2). */
import type { GateReport } from '../../../schemas/report.ts';
import type { CommitIntent } from '../../../schemas/stage.ts';
import { permits } from '../report/make-report.ts';

/** Why this report does not allow this commit; null when it does. */
export function lockRefusal(report: GateReport | null, intent: CommitIntent): string | null {
  if (report === null) return `no report has the digest ${intent.reportDigest}`;
  if (report.subject.node !== intent.nodeId) return `the report is about node "${report.subject.node}"`;
  if (report.subject.kind === 'suite') return 'the report is about a suite, not about code';
  if (permits(report) !== 'grounded') return `the report says ${report.verdict} and does not permit grounded`;
  return null;
}
