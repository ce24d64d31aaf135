// `run`, once to its end, or killed in the middle and run again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readLines } from './model-endpoint.mjs';

const POLL_MS = 50;
/** Share of the nodes that are on the branch when everything is killed. */
const KILL_AT_SHARE = 0.4;

/** Exit code of `run`. */
export async function build({ commands, dir, args }) {
  const { code, signal } = await commands.start(['run', dir, ...args]).ended;
  if (signal !== null) throw new Error(`the run was ended by ${signal}`);
  return code;
}

/** Kills the run and the Temporal server without warning once some nodes are committed, then runs again. */
export async function buildWithKill(run) {
  const { commands, dir, home, args, model } = run;
  const first = commands.start(['run', dir, ...args]);
  const { nodes } = await commands.json(['status', dir]);
  const wanted = Math.max(1, Math.floor(nodes.length * KILL_AT_SHARE));
  const early = await Promise.race([first.ended, untilCommitted(dir, wanted)]);
  if (early !== undefined)
    throw new Error(`the run ended with exit code ${early.code} before it could be killed`);
  const server = serverPid(home);
  first.child.kill('SIGKILL');
  process.kill(server, 'SIGKILL');
  await first.ended;
  const before = model.paid();
  say(
    `\nKilled (SIGKILL) with ${committed(dir).length} of ${nodes.length} nodes committed: the run with its worker,`,
  );
  say(`process ${first.child.pid}, and the Temporal server, process ${server}.`);
  say(callsLine('Calls paid so far', before));
  const code = await build(run);
  const after = model.paid();
  say(callsLine('\nCalls paid in all', after));
  if (after !== null) say(twiceLine(after, before));
  return code;
}

/** Nodes whose code is on the branch, by the ledger. */
export function committed(dir) {
  const lines = readLines(join(dir, 'events.jsonl'));
  return lines
    .filter((line) => line.type === 'committed' && line.data.kind === 'code')
    .map((line) => line.data.nodeId);
}

async function untilCommitted(dir, count) {
  while (committed(dir).length < count) await delay(POLL_MS);
}

function serverPid(home) {
  const { pid } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'));
  if (!Number.isInteger(pid) || pid < 2) throw new Error('the home names no server process');
  return pid;
}

function callsLine(name, calls) {
  return calls === null ? `${name}: see "a7-rt status"` : `${name}: ${calls.paid}`;
}

function twiceLine({ paid, twice }, before) {
  const rest = `${before.paid} before the kill and ${paid - before.paid} after it`;
  return twice === 0
    ? `Paid twice: none. The ${paid} calls, ${rest}, are all different ones.`
    : `Asked again: ${twice}. A call was under way at the kill, so its outcome is unknown: it was repaid once, and "a7-rt status" names it.`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
