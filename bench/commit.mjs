// One node after the other from dispatch to commit, with trivial tests and a model that answers at once, against the same
// sandbox executions run bare.
import { figure, median } from './support/figures.mjs';
import { historySize } from './support/history.mjs';
import { startInstantModel } from './support/instant-model.mjs';
import { newSession, serve } from './support/lab.mjs';
import { contractsText, honestAnswer, nodeIds } from './support/project.mjs';
import { busyMs, groupsOf } from './support/sandbox-record.mjs';

const NODES = 8;
/** Their gates fill the pool of rooms and the caches of the process. */
const WARM_UP = 2;
const HISTORY_EVENTS_MAX = 110;
const HISTORY_BYTES_MAX = 20 * 1024;

/** Medians over nodes, and the stage's history. */
export async function measure(lab, { quick, once }) {
  const count = once ? 1 : quick ? 4 : NODES;
  const model = await startInstantModel((place) => honestAnswer(place));
  const dir = await newSession(lab, 'commit', { contracts: contractsText(count), model });
  const served = await serve(lab, dir);
  const { sandbox } = await lab.machine();
  try {
    const nodes = [];
    for (const nodeId of nodeIds(count)) {
      const size = nodes.length === 0 ? null : await historySize(lab.client, served.workflowId);
      sandbox.take();
      await served.drive([nodeId]);
      const runs = sandbox.take();
      const bareMs = await runBare(sandbox, runs);
      nodes.push({ ...(await spanOf(served, nodeId)), runs, bareMs, size });
    }
    return [
      ...timeFigures(nodes.slice(Math.min(WARM_UP, count - 1))),
      ...historyFigures(await historySize(lab.client, served.workflowId)),
    ];
  } finally {
    await served.close();
    await model.close();
  }
}

/** The same requests, what ran at once at once again. */
async function runBare(sandbox, runs) {
  const startMs = Date.now();
  for (const group of groupsOf(runs)) await Promise.all(group.map((run) => sandbox.bare(run.request)));
  return Date.now() - startMs;
}

/** From the first dispatch of the node to its commit, by the ledger's own times. */
async function spanOf(served, nodeId) {
  const lines = await served.lines();
  const from = lines.find((line) => line.type === 'dispatched' && line.data.record.nodeId === nodeId);
  const to = lines.find(
    (line) => line.type === 'committed' && line.data.kind === 'code' && line.data.nodeId === nodeId,
  );
  return { fromMs: Date.parse(from.at), toMs: Date.parse(to.at) };
}

function timeFigures(nodes) {
  const spans = nodes.map(({ fromMs, toMs }) => toMs - fromMs);
  const inSandbox = nodes.map(({ runs, fromMs, toMs }) =>
    busyMs(runs.filter((run) => run.startMs >= fromMs && run.endMs <= toMs)),
  );
  const outside = spans.map((span, index) => span - inSandbox[index]);
  return [
    figure({
      measure: `dispatch to commit of a node, median of ${nodes.length}`,
      value: median(spans),
      unit: 'ms',
      baseline: {
        name: `the same ${nodes[0].runs.length} sandbox executions bare`,
        value: median(nodes.map((node) => node.bareMs)),
      },
      aim: { of: 'ratio', max: 1.6 },
    }),
    figure({
      measure: 'of it outside the sandbox',
      value: median(outside),
      unit: 'ms',
      aim: { of: 'value', max: 400 },
    }),
  ];
}

function historyFigures({ events, bytes }) {
  return [
    figure({
      measure: 'stage history of a run with one node',
      value: events,
      unit: 'events',
      aim: { of: 'value', max: HISTORY_EVENTS_MAX },
    }),
    figure({
      measure: 'stage history of a run with one node',
      value: bytes,
      unit: 'bytes',
      aim: { of: 'value', max: HISTORY_BYTES_MAX },
    }),
  ];
}
