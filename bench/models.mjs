// Waiting for slow models: four independent nodes at once against one after the other, and the stage's history for each.
import { figure } from './support/figures.mjs';
import { NODES, SECOND_MS, speedUp, spend } from './support/four-nodes.mjs';

const EVENTS_MAX = 110;
const BYTES_MAX = 20 * 1024;

/** A model that takes a second for each answer. */
export async function measure(lab, { once }) {
  const load = { delayMs: SECOND_MS };
  if (once) return historyFigures((await spend(lab, 'models-once', 1, { nodes: 1 })).size);
  await spend(lab, 'models-warm', NODES, {});
  const atOnce = await spend(lab, 'models-at-once', NODES, load);
  const alone = await spend(lab, 'models-alone', 1, load);
  return [speedUp('models that take 1 s', atOnce.ms, alone.ms, 3), ...historyFigures(atOnce.size)];
}

function historyFigures({ events, bytes }) {
  const measure = `stage history per node, ${NODES} nodes and seal`;
  return [
    figure({ measure, value: events / NODES, unit: 'events', aim: { of: 'value', max: EVENTS_MAX } }),
    figure({ measure, value: bytes / NODES, unit: 'bytes', aim: { of: 'value', max: BYTES_MAX } }),
  ];
}
