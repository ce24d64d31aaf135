// Four independent nodes at once against the same four one after the other: models that take a second, then tests that do.
import { figure } from './support/figures.mjs';
import { historySize } from './support/history.mjs';
import { startInstantModel } from './support/instant-model.mjs';
import { newSession, serve } from './support/lab.mjs';
import { contractsText, honestAnswer } from './support/project.mjs';

const NODES = 4;
const SECOND_MS = 1000;

export const name = 'parallel';

/** Both kinds of waiting, each with `max_in_flight` 4 and 1, and the stage's history for a node. */
export async function measure(lab) {
  await spend(lab, 'parallel-warm', NODES, {});
  const model = { delayMs: SECOND_MS };
  const tests = { burnMs: SECOND_MS };
  const slowModels = await spend(lab, 'models-at-once', NODES, model);
  const slowModelsAlone = await spend(lab, 'models-alone', 1, model);
  const slowTests = await spend(lab, 'tests-at-once', NODES, tests);
  const slowTestsAlone = await spend(lab, 'tests-alone', 1, tests);
  return [
    speedUp('models that take 1 s', slowModels.ms, slowModelsAlone.ms, 3),
    speedUp('tests that burn 1 s of processor', slowTests.ms, slowTestsAlone.ms, 1.7),
    ...historyFigures(slowModels.size),
  ];
}

/** Time from the first dispatch to the last commit. */
async function spend(lab, name, inFlight, { delayMs = 0, burnMs = 0 }) {
  const model = await startInstantModel((place) => honestAnswer(place, { delayMs, burnMs }));
  const config = `max_in_flight = ${inFlight}\n`;
  const dir = await newSession(lab, name, { contracts: contractsText(NODES), model, config });
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

function speedUp(what, ms, aloneMs, min) {
  return figure({
    measure: `${NODES} nodes in parallel, ${what}`,
    value: ms,
    unit: 'ms',
    baseline: { name: 'one after the other', value: aloneMs },
    ratio: aloneMs / ms,
    aim: { of: 'ratio', min },
  });
}

function historyFigures({ events, bytes }) {
  const measure = `stage history per node, ${NODES} nodes and seal`;
  return [
    figure({ measure, value: events / NODES, unit: 'events', aim: { of: 'value', max: 110 } }),
    figure({ measure, value: bytes / NODES, unit: 'bytes', aim: { of: 'value', max: 20 * 1024 } }),
  ];
}
