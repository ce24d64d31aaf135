/** The base itself by the frozen plan, judged once an order (core/order/base-tests.ts says what it tells). */
import { unmendable } from '../../core/order/base-tests.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { OrderBase } from '../../schemas/order.ts';
import { BaseReport } from '../../schemas/order-files.ts';
import { judgeTree, type Judging } from './judge-tree.ts';
import type { OpenOrder, OrderPorts } from './ports.ts';

const FILE = 'base-report.json';
/** Files of a base that is tried before the first turn. */
const GUESSED_FILES_MAX = 5_000;

/** The verdict on the base, made once an order. Null where this machine could not judge it now. */
export async function baselineOf(
  judging: Judging,
  { tree, commit }: Pick<OrderBase, 'tree' | 'commit'>,
  signal: AbortSignal | undefined,
): Promise<BaseReport | null> {
  const { folder } = judging;
  const known = await folder.get(FILE);
  if (known !== null) return BaseReport.parse(JSON.parse(Buffer.from(known).toString('utf8')));
  const { report, ran } = await judgeTree(judging, { tree, commit, name: 'base' }, signal);
  if (report.fault === 'platform') return null;
  const made = BaseReport.parse({ report, ran });
  await folder.putFirst?.(FILE, prettyJson(made));
  return made;
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
