/**
 * What the base itself comes to by the frozen plan, before any change. It says three things that no snapshot can: whether this
 * plan can judge this repository at all (before an agent is paid), whether a failure was there before, and which tests ran.
 */
import { matchesAnyGlob } from '../../core/globs.ts';
import { lackOf } from '../../core/repository/missing-package.ts';
import type { RanTests } from '../../core/ports/repository-gate.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { OrderBase } from '../../schemas/order.ts';
import { RepositoryReport } from '../../schemas/repository-report.ts';
import { headlineOf } from '../../core/order/feedback.ts';
import { judgeTree, type Judging } from './judge-tree.ts';
import type { OpenOrder, OrderPorts } from './ports.ts';

export interface Baseline {
  readonly report: RepositoryReport;
  readonly ran: readonly RanTests[];
}

const FILE = 'base-report.json';
/** Files of a base that is tried before the first turn. */
const GUESSED_FILES_MAX = 5_000;

/** The verdict on the base, made once an order. Null where this machine could not judge it now. */
export async function baselineOf(
  judging: Judging,
  { tree, commit }: Pick<OrderBase, 'tree' | 'commit'>,
  signal: AbortSignal | undefined,
): Promise<Baseline | null> {
  const { folder } = judging;
  const known = await folder.get(FILE);
  if (known !== null) {
    const { report, ran } = JSON.parse(Buffer.from(known).toString('utf8')) as Baseline;
    return { report: RepositoryReport.parse(report), ran };
  }
  const { report, ran } = await judgeTree(judging, { tree, commit, name: 'base' }, signal);
  if (report.fault === 'platform') return null;
  await folder.putFirst?.(FILE, prettyJson({ report, ran }));
  return { report, ran };
}

/**
 * Why an agent would be paid for nothing. A plan that a person wrote was tried by that person; one that was guessed from the
 * files is tried here, where that takes no long time.
 */
export async function guessedPlanProblem(
  ports: OrderPorts,
  { folder, order, workspace }: OpenOrder,
  signal: AbortSignal,
): Promise<string | null> {
  const { base } = await folder.state();
  if (base === null || order.gate.from === 'file' || base.files > GUESSED_FILES_MAX) return null;
  if (base.planFrom.endsWith('verify.yaml of the base')) return null;
  const baseline = await baselineOf({ ports, folder, order, workspace }, base, signal);
  return baseline === null ? null : unmendable(baseline);
}

/** Why no change of an agent could pass here; null where one could. */
export function unmendable({ report }: Baseline): string | null {
  if (report.verdict === 'PASS') return null;
  const findings = report.levels.flatMap(({ findings: each }) => each);
  const lack = findings.flatMap((found) => lackOf(found) ?? [])[0];
  if (lack !== undefined) return `The base itself does not pass: ${headlineOf(report)}. ${lack}`;
  return report.verdict === 'INVALID' && report.fault === 'manager'
    ? `The gate gives no verdict on the base itself: ${headlineOf(report)}`
    : null;
}

/** Tests of the base that have to run after a change. `allowed`: files of which tests may go. */
export function wantedTests({ ran, report }: Baseline, allowed: readonly string[]): readonly RanTests[] {
  if (report.verdict !== 'PASS') return [];
  return ran.flatMap(({ step, names, count }): RanTests[] => {
    if (allowed.length === 0) return [{ step, names, count }];
    // Without names nobody can say which tests were of an allowed file.
    if (names === null) return [];
    return [
      { step, count, names: names.filter((name) => !matchesAnyGlob(allowed, name.split('::')[0] ?? '')) },
    ];
  });
}
