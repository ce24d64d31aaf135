/** What a test author is told: its own tests and places, stubs, clauses and exports; never an implementation (gate.md part 6). */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { AuthorFeedback, AuthorFeedbackItem } from '../../../schemas/feedback.ts';
import type { Finding, GateReport } from '../../../schemas/report.ts';
import { clausesOf, type Clause } from '../suite/clauses.ts';
import { idText } from '../test-id.ts';

const ITEMS_MAX = 30;

/** The fields for a test author, of a report on its suite. @throws {RangeError} for a report on code: that would tell of an implementation. */
export function authorFeedback(report: GateReport, contract: ResolvedContract): AuthorFeedback {
  if (report.subject.kind !== 'suite') {
    throw new RangeError(
      `Cannot tell a test author of a report on ${report.subject.kind}: only reports on suites are allowed`,
    );
  }
  const clauses = clausesOf(contract.interface);
  const findings = report.levels.flatMap((level) => level.findings);
  return {
    role: 'test_author',
    verdict: report.verdict,
    charged: report.fault === 'author',
    items: findings.slice(0, ITEMS_MAX).map((found) => itemOf(found, clauses)),
    moreItems: Math.max(0, findings.length - ITEMS_MAX),
  };
}

function itemOf(found: Finding, clauses: readonly Clause[]): AuthorFeedbackItem {
  const clause = clauses.find((candidate) => candidate.id === found.clauseId);
  return {
    code: found.code,
    text: found.text,
    test: found.testId === null ? null : idText(found.testId),
    stub: found.stub,
    clauseId: found.clauseId,
    clauseText: clause?.text ?? null,
    exportName: found.exportName,
    place: found.place,
  };
}
