// Records histories of real runs for the replay test: node --import tsx scripts/record-histories.mjs NAME...
// Each scenario runs on a Temporal server of its own with scripted activities. A recorded file is never edited by hand;
// it is recorded anew only when a change of the workflows is meant to break old runs (RULES_VERSION in workers/queues.ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { onOrderServer } from '../test/support/order-world.ts';
import { startTestServer } from '../test/support/server.ts';
import { seeded, seedNode } from '../test/support/stage-world.ts';
import { quietWorkers } from '../test/support/worker-bundle.ts';
import { onServer } from '../test/support/worker.ts';

const FOLDER = join(import.meta.dirname, '../test/histories');
const one = seeded([seedNode('a')]);
const chain = seeded([seedNode('a'), seedNode('b', { structural: ['a'] })]);
const never = new Promise(() => undefined);

/** Name, world, and what happens to the stage while it runs. */
const scenarios = [
  { name: 'happy', world: { first: chain } },
  { name: 'joined-commits', world: { first: chain } },
  { name: 'joined-openings', world: { first: chain } },
  { name: 'commits-later', world: { first: one, behaviour: { commitsLater: true } } },
  { name: 'redispatch', world: { first: chain, behaviour: { accepts: firstBuilderFails() } } },
  { name: 'retry', world: { first: one, behaviour: { modelFault: firstAttemptFails } } },
  {
    name: 'halt',
    world: { first: one, behaviour: { beforeModel: () => never } },
    act: async (stage) => {
      await stage.until(() => stage.eventsOf('dispatched').length === 1);
      await stage.say({ kind: 'halt', text: 'lunch' });
    },
  },
  {
    name: 'parked',
    world: { first: one, behaviour: { message: () => 'ask' }, humanWaitMs: 1_000 },
  },
  {
    name: 'continue-as-new',
    world: {
      first: chain,
      behaviour: { message: (_at, turn) => (turn < 6 ? 'work' : 'submit') },
      historyBounds: { stageSoftMax: 30, stageHardMax: 60, agentMax: 25 },
    },
  },
];

/** The same of work orders: the second is told something, the third is cancelled in the middle of a step. */
const orders = [
  { name: 'order-passed', world: { passesAt: 2 } },
  {
    name: 'order-advised',
    world: {
      passesAt: 2,
      during: async (step, order, iteration) => {
        if (step !== 'buildIteration' || iteration !== 1) return;
        await order.tell({ kind: 'advice', id: 'a1', by: 'tester', text: 'Look at the tests' });
        await order.handle.signal('order', 7);
      },
    },
  },
  {
    name: 'order-cancelled',
    world: {
      passesAt: 2,
      during: async (step, order) => {
        if (step !== 'snapshotIteration') return;
        await order.tell({ kind: 'cancel', by: 'tester', reason: 'lunch' });
      },
    },
  },
  { name: 'order-continued', world: { passesAt: 4, input: { historyEventsMax: 60 } } },
];

quietWorkers();
const server = await startTestServer();
try {
  for (const { name, world, act } of scenarios.filter((each) => process.argv.includes(each.name))) {
    await onServer({ server, ...world }, async (stage) => {
      await act?.(stage);
      await stage.handle.result();
      await save('buildStage', name, stage, stage.handle.workflowId);
      const [author] = stage.children();
      await save('runAgent', name, stage, author);
    });
  }
  for (const { name, world } of orders.filter((each) => process.argv.includes(each.name))) {
    await onOrderServer({ server, ...world }, async (order) => {
      await order.handle.result();
      await save('workOrder', name.slice('order-'.length), order, order.handle.workflowId);
    });
  }
} finally {
  await server.stop();
}

/** Every run of the workflow's chain; the last one has the scenario's plain name. */
async function save(workflow, name, stage, workflowId) {
  let { runId } = await stage.client.workflow.getHandle(workflowId).describe();
  for (let back = 0; runId; back += 1) {
    const json = withoutMachine(await stage.history(workflowId, runId));
    const file = join(FOLDER, workflow, back === 0 ? `${name}.json` : `${name}-${back}-before.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${json}\n`);
    process.stdout.write(`${file.slice(FOLDER.length + 1)}\n`);
    const [started] = JSON.parse(json).events;
    runId = started.workflowExecutionStartedEventAttributes.continuedExecutionRunId;
  }
}

/** Names of processes and paths of the machine say nothing to a replay. */
function withoutMachine(json) {
  const drop = { identity: 'recorder', stackTrace: '' };
  const named = json.replaceAll(hostname(), 'host');
  return JSON.stringify(JSON.parse(named, (key, value) => drop[key] ?? value));
}

function firstBuilderFails() {
  const seen = new Set();
  return ({ nodeId, role, dispatchId }) => {
    if (nodeId !== 'a' || role !== 'builder') return true;
    seen.add(dispatchId);
    return [...seen].indexOf(dispatchId) > 0;
  };
}

function firstAttemptFails(_at, _turn, attempt) {
  return attempt === 1 ? new Error('connection reset') : null;
}
