// One long agent task with a model that answers at once: what the harness takes for a turn, and what a turn leaves in history.
import { openBare } from './support/bare.mjs';
import { figure, percentile, steps } from './support/figures.mjs';
import { activityMarks, eventsOf } from './support/history.mjs';
import { startInstantModel } from './support/instant-model.mjs';
import { newSession, serve } from './support/lab.mjs';
import { contractsText, honestAnswer } from './support/project.mjs';

const TURNS = 220;
const ACTIVITIES_A_TURN = 2;
const NODE = 'bench.n1';

/** Time of a turn against as many no-op activities, and history per turn early and late. */
export async function measure(lab, { quick, once }) {
  const turns = once ? 24 : quick ? 40 : TURNS;
  const model = await startInstantModel((place) => longTask(place, turns));
  const contracts = contractsText(1);
  const config = `agent_max_turns = ${turns + 5}\nmax_unpriced_tokens = 1000000000\nmax_cost = 1000\n`;
  const dir = await newSession(lab, 'turns', { contracts, model, config });
  const bare = await openBare(lab);
  const served = await serve(lab, dir);
  try {
    const before = await bareTurns(lab, bare, turns / 2);
    await served.drive([NODE]);
    const after = await bareTurns(lab, bare, turns / 2);
    const builder = await builderOf(served);
    const marks = activityMarks(await eventsOf(lab.client, builder), 'callModel').slice(0, turns);
    return [...timeFigures(marks, [...before, ...after]), ...historyFigures(marks, turns)];
  } finally {
    await served.close();
    await bare.close();
    await model.close();
  }
}

/** The builder reads its file again and again, and changes it at every fourth turn. */
function longTask(place, turns) {
  if (place.role !== 'builder' || place.turn > turns) return honestAnswer(place);
  const content = `def n1() -> int:\n    return ${place.turn}\n`;
  const write = ['write_file', { path: 'bench/n1.py', content }];
  return {
    toolCalls: [place.turn % 4 === 1 ? write : ['read_file', { path: 'bench/n1.py' }]],
  };
}

async function bareTurns(lab, bare, turns) {
  const workflowId = await bare.run(turns * ACTIVITIES_A_TURN);
  const marks = activityMarks(await eventsOf(lab.client, workflowId), 'noop');
  const begins = marks.filter((_mark, index) => index % ACTIVITIES_A_TURN === 0);
  return steps(begins.map((mark) => mark.timeMs));
}

async function builderOf({ session, workflowId }) {
  const { lines } = await session.ledger.read();
  const dispatched = lines.filter((line) => line.type === 'dispatched').map((line) => line.data.record);
  const { dispatchId } = dispatched.find((record) => record.role === 'builder');
  const { run } = lines.find((line) => line.type === 'run_opened');
  return `${workflowId}/${dispatchId}/r${run}`;
}

function timeFigures(marks, bareMs) {
  const turnMs = steps(marks.map((mark) => mark.timeMs));
  const row = (label, share, aim) =>
    figure({
      measure: `agent turn, ${label} of ${turnMs.length}`,
      value: percentile(turnMs, share),
      unit: 'ms',
      baseline: {
        name: `${ACTIVITIES_A_TURN} no-op activities of a bare workflow`,
        value: percentile(bareMs, share),
      },
      aim,
    });
  return [row('p50', 0.5, { of: 'ratio', max: 1.5 }), row('p95', 0.95, null)];
}

function historyFigures(marks, turns) {
  const early = turnHistory(marks, 10);
  const late = turnHistory(marks, turns - 20);
  return [
    figure({
      measure: 'agent history per turn, turn 10',
      value: early.events,
      unit: 'events',
      aim: { of: 'value', max: 12 },
    }),
    figure({
      measure: 'agent history per turn, turn 10',
      value: early.bytes,
      unit: 'bytes',
      aim: { of: 'value', max: 4096 },
    }),
    figure({
      measure: `agent history per turn, turn ${turns - 20}`,
      value: late.bytes,
      unit: 'bytes',
      baseline: { name: 'turn 10', value: early.bytes },
      aim: { of: 'ratio', max: 1.05 },
    }),
  ];
}

/** Events and bytes from one turn's model call to the next one's. The first turn's call is a part of the opening. */
function turnHistory(marks, turn) {
  const [from, to] = [marks[turn - 2], marks[turn - 1]];
  return { events: to.eventId - from.eventId, bytes: to.bytes - from.bytes };
}
