// How soon work goes on after a kill, and how soon a person is obeyed. Progress is the next call that reaches the model,
// so it is seen without asking any process of the product.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand } from './support/command.mjs';
import { figure, median } from './support/figures.mjs';
import { startInstantModel } from './support/instant-model.mjs';
import { newSession } from './support/lab.mjs';
import { serverPid } from './support/proc.mjs';
import { contractsText } from './support/project.mjs';

const TURNS_MAX = 1000;
const MODEL_MS = 300;
const POLL_MS = 20;
const WAIT_MS = 90_000;
/** A request that is on its way when the kill strikes is no progress. */
const IN_FLIGHT_MS = 50;
/** Calls before a kill strikes, so that caches are warm. */
const CALLS_BEFORE = 4;

/** Medians over rounds; each kills the server, then the worker, attaches, and halts. */
export async function measure(lab, { quick, once }) {
  const rounds = [];
  for (let round = 1; round <= (quick || once ? 1 : 3); round += 1) rounds.push(await oneRound(lab, round));
  const row = (measure, key, maxSeconds, note = null) =>
    figure({
      measure,
      value: median(rounds.map((each) => each[key])) / 1000,
      unit: 's',
      aim: { of: 'value', max: maxSeconds },
      note,
    });
  return [
    row('server killed, to the next model call', 'serverMs', 10),
    row('worker killed and run again, to the next model call', 'workerMs', 15),
    row('a7-rt run on a moving stage, to its first line about it', 'attachMs', 1),
    row('a7-rt halt, from its start to halted in the ledger', 'haltMs', 3),
  ];
}

async function oneRound(lab, round) {
  const calls = [];
  const model = await startInstantModel((place) => {
    calls.push(Date.now());
    return { ...busyTurn(place), delayMs: MODEL_MS };
  });
  const config = `agent_max_turns = ${TURNS_MAX}\n`;
  const dir = await newSession(lab, `recovery-${round}`, { contracts: contractsText(1), model, config });
  const args = ['run', dir, '--model', 'bench', '--base-url', model.url];
  const started = [];
  const start = (words) => {
    const command = startCommand(lab, words);
    started.push(command);
    return command;
  };
  try {
    const first = start(args);
    await until(() => calls.length >= CALLS_BEFORE, 'the first calls');
    const serverMs = await nextCall(calls, () => process.kill(serverPid(lab.home), 'SIGKILL'));
    await untilMore(calls);
    const workerMs = await nextCall(calls, () => {
      first.child.kill('SIGKILL');
      start(args);
    });
    await untilMore(calls);
    const attachMs = await attach(() => start(args));
    await untilMore(calls);
    const haltMs = await halt(dir, () => start(['halt', dir]));
    await Promise.all(started.map((command) => command.ended));
    return { serverMs, workerMs, attachMs, haltMs };
  } finally {
    for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
    await model.close();
  }
}

/** An agent that never ends by itself. */
function busyTurn({ turn }) {
  return { toolCalls: [['record_thought', { thought: `turn ${turn}`, category: 'plan' }]] };
}

/** Time from the strike to the next call that begins after it. */
async function nextCall(calls, strike) {
  strike();
  const struckMs = Date.now();
  const isNew = (atMs) => atMs > struckMs + IN_FLIGHT_MS;
  await until(() => calls.some(isNew), 'a call after the kill');
  return calls.find(isNew) - struckMs;
}

async function attach(run) {
  const startMs = performance.now();
  await run().said(/watch http/);
  return performance.now() - startMs;
}

async function halt(dir, ask) {
  const startMs = Date.now();
  ask();
  let line;
  await until(async () => {
    const text = await readFile(join(dir, 'events.jsonl'), 'utf8');
    line = text.split('\n').find((each) => each.includes('"type":"halted"'));
    return line !== undefined;
  }, 'the halt');
  return Date.parse(JSON.parse(line).at) - startMs;
}

function untilMore(calls) {
  const wanted = calls.length + CALLS_BEFORE;
  return until(() => calls.length >= wanted, 'more calls');
}

async function until(isTrue, what) {
  const deadline = Date.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Cannot see ${what} within ${WAIT_MS / 1000} s`);
    await delay(POLL_MS);
  }
}
