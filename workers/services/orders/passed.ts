/** The PASS of an order, as its ledger, its snapshot and its report have it in common. */
import { stableText } from '../../../activities/repository/judge-repository.ts';
import { sha256 } from '../../../adapters/system/sha256.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import type { Failed } from '../../../core/ports/services.ts';
import { OrderSnapshot } from '../../../schemas/order.ts';
import { RepositoryReport } from '../../../schemas/repository-report.ts';
import { failed } from '../common.ts';
import { typed } from '../../../core/text/typed.ts';
import { strictJson } from '../../../core/text/strict-json.ts';

/** What passed, and why. */
export interface Passed {
  readonly snapshot: OrderSnapshot;
  readonly report: RepositoryReport;
}

/** The snapshot that the ledger says has passed, held against its report and its patch. */
export async function passedSnapshot(
  folder: OrderFolder,
  verb: 'promote' | 'attest',
): Promise<Passed | Failed> {
  const events = await folder.events();
  const passed = events.findLast((event) => event.type === 'verified' && event.data.verdict === 'PASS');
  const { status } = await folder.state();
  if (passed?.type !== 'verified')
    return failed(
      3,
      `Cannot ${verb} order ${folder.id}: a snapshot must have passed, the order is ${status} without a PASS`,
      typed`a7-rt order report ${folder.id}`,
    );
  const at = `iteration-${String(passed.data.iteration)}`;
  const read = async (name: string): Promise<string> =>
    Buffer.from((await folder.get(`${at}/${name}`)) ?? '').toString('utf8');
  const snapshot = OrderSnapshot.safeParse(strictJson(await read('snapshot.json')));
  const report = RepositoryReport.safeParse(strictJson(await read('report.json')));
  const taken = events.findLast(
    (event) => event.type === 'snapshot_taken' && event.data.iteration === passed.data.iteration,
  );
  const holds =
    snapshot.success &&
    report.success &&
    report.data.verdict === 'PASS' &&
    report.data.digest === passed.data.digest &&
    digestOf(report.data) === passed.data.digest &&
    report.data.subject.tree === snapshot.data.tree &&
    taken?.type === 'snapshot_taken' &&
    taken.data.tree === snapshot.data.tree &&
    taken.data.commit === snapshot.data.commit;
  if (!holds)
    return failed(
      2,
      `Cannot ${verb} order ${folder.id}: its snapshot and its report differ from what its ledger says`,
      typed`a7-rt order replay ${folder.id}`,
    );
  return { snapshot: snapshot.data, report: report.data };
}

function digestOf({ digest: _digest, ...rest }: RepositoryReport): string {
  return sha256(stableText(rest));
}
