/** The end of an order, however it came: complete artifacts, a bundle, and the lease given back (seed 003, deliverables). */
import type { OrderState } from '../../core/order/types.ts';
import { orderPage } from '../../core/order/describe.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { OrderAt } from '../../schemas/order.ts';
import { OrderSnapshot } from '../../schemas/order.ts';
import { iterationFolder, openOrder, type OpenOrder, type OrderPorts } from './ports.ts';

/** Tries after which an order ends without a bundle: its workspace may be gone for good. */
const BUNDLE_TRIES = 5;

/** Writes what is missing and releases the lease. May be repeated. @param attempt how often it was begun */
export async function closeOrder(
  ports: Pick<OrderPorts, 'store'>,
  at: OrderAt,
  attempt = BUNDLE_TRIES,
): Promise<void> {
  const opened = await openOrder(ports, at);
  const { folder, workspace, order } = opened;
  let lack = '';
  try {
    const state = await folder.state();
    await fillGaps(opened, state);
    await bundleOf(opened, state).catch((error: unknown) => {
      if (attempt < BUNDLE_TRIES) throw error;
      lack = `- order.bundle could not be made: ${firstLine(error)}\n`;
    });
    await folder.put('state.json', prettyJson(state));
    await folder.tidy();
  } finally {
    await workspace.release(order.id);
  }
  // The last: where it is, everything else is done.
  await folder.put('summary.md', `${orderPage(await folder.state())}${lack}`);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split('\n')[0] ?? '';
}

/** An order that was stopped early has its deliverables all the same: what there is, and a word for what there is not. */
async function fillGaps({ folder }: OpenOrder, state: OrderState): Promise<void> {
  const missing = async (name: string, text: string): Promise<void> => {
    if ((await folder.get(name)) === null) await folder.put(name, text);
  };
  await missing('change.patch', '');
  for (const { iteration } of state.iterations) {
    const at = iterationFolder(iteration);
    const why = `The order ended as ${state.end?.status ?? state.status} (${state.end?.code ?? 'open'}) before this was made.\n`;
    await missing(`${at}/agent.log`, why);
    await missing(`${at}/build-notes.md`, why);
    await missing(`${at}/report.txt`, why);
    await missing(`${at}/report.json`, prettyJson({ version: 1, verdict: null, reason: why.trim() }));
  }
}

/** Everything that another machine needs to judge again: trees, and the record beside them as a branch of its own. */
async function bundleOf({ folder, workspace, order }: OpenOrder, state: OrderState): Promise<void> {
  if (state.base === null) return;
  const branches: Record<string, string> = { base: state.base.replayCommit };
  for (const { iteration, commit } of state.iterations) {
    if (commit === null) continue;
    const bytes = await folder.get(`${iterationFolder(iteration)}/snapshot.json`);
    if (bytes === null) continue;
    branches[`iteration-${String(iteration)}`] = OrderSnapshot.parse(
      JSON.parse(Buffer.from(bytes).toString('utf8')),
    ).replayCommit;
  }
  const names = [
    'order.json',
    'before.json',
    'plan.json',
    'events.jsonl',
    ...state.iterations.flatMap(({ iteration }) =>
      ['snapshot.json', 'report.json', 'change.patch', 'built.json'].map(
        (name) => `${iterationFolder(iteration)}/${name}`,
      ),
    ),
  ];
  const files = [];
  for (const path of [...names, ...(await folder.keys())]) {
    const bytes = await folder.get(path);
    if (bytes !== null) files.push({ path, bytes });
  }
  const record = await workspace.trees.importFiles(files);
  if (record.status === 'ok')
    branches['record'] = await workspace.commitTree({
      tree: record.tree,
      parent: null,
      message: `Record of order ${order.id}`,
      dateSeconds: 0,
    });
  await workspace.bundle(folder.pathOf('order.bundle'), branches);
}
