// Four independent nodes, built at once or one after the other.
import { figure } from './figures.mjs';
import { historySize } from './history.mjs';
import { startInstantModel } from './instant-model.mjs';
import { newSession, serve } from './lab.mjs';
import { contractsText, honestAnswer } from './project.mjs';

export const NODES = 4;
export const SECOND_MS = 1000;

/** Time from the first dispatch to the last commit. */
export async function spend(lab, name, inFlight, { delayMs = 0, burnMs = 0, nodes = NODES }) {
  const model = await startInstantModel((place) => honestAnswer(place, { delayMs, burnMs }));
  const config = `max_in_flight = ${inFlight}\n`;
  const dir = await newSession(lab, name, { contracts: contractsText(nodes), model, config });
  const served = await serve(lab, dir);
  try {
    await served.drive();
    const lines = await served.lines();
    const from = lines.find((line) => line.type === 'dispatched');
    const to = lines.findLast((line) => line.type === 'committed' && line.data.kind === 'code');
    const size = await historySize(lab.client, served.workflowId);
    return { ms: Date.parse(to.at) - Date.parse(from.at), size };
  } finally {
    await served.close();
    await model.close();
  }
}

/** How much sooner they are done at once. */
export function speedUp(what, ms, aloneMs, min) {
  return figure({
    measure: `${NODES} nodes in parallel, ${what}`,
    value: ms,
    unit: 'ms',
    baseline: { name: 'one after the other', value: aloneMs },
    ratio: aloneMs / ms,
    aim: { of: 'ratio', min },
  });
}
