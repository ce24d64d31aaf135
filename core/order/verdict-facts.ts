/** What a statement about an order's PASS says: made of its report and its snapshot alone (decision 0032). */
import type { OrderSnapshot } from '../../schemas/order.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import type { VerdictFacts } from '../record/statement.ts';

/** Facts of a PASS. Its commands stand for the tests: a repository's report counts these, and does not name them. */
export function factsOfOrder(
  orderId: string,
  snapshot: OrderSnapshot,
  report: RepositoryReport,
): VerdictFacts {
  const { subject, isolation } = report;
  const passed = report.levels.filter(({ status }) => status === 'passed').map(({ level }) => level);
  return {
    name: `order ${orderId}`,
    gitTree: snapshot.tree,
    gitCommit: snapshot.commit,
    planDigest: subject.planHash,
    reportDigest: report.digest,
    suiteDigest: null,
    image: subject.image,
    layerDigest: null,
    level: passed.toSorted().at(-1) ?? 'L0',
    tier: report.tier,
    isolation: `${isolation.backend}/${isolation.level}`,
    verifier: subject.verifierVersion,
    passedTests: report.commands
      .filter(({ tests }) => tests !== null)
      .map(({ name, tests }) => `${name}: ${String(tests?.passed ?? 0)} passed`),
  };
}
