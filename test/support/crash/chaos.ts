/** Random kills: worker or server, at random instants, all of them given by one seed. */
import { errorCode } from '../../../core/text/error-text.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Facts, findings, sessionFacts } from './facts.ts';
import { type Running, type TestSession, type Yard, readLedger, serverPid, succeed } from './yard.ts';

export interface Kill {
  readonly victim: 'worker' | 'server';
  /** Share of what is left of a run, counted in lines of its ledger. */
  readonly at: number;
}

/** A run without kills: what the others are compared with, and how long its ledger is in the end. */
export interface Measured {
  readonly facts: Facts;
  readonly lines: number;
}

/** Between two looks at a ledger; the instant of a kill is random within it. */
const LOOK_MS = 20;
/** A kill comes at most this long after its line. */
const AFTER_MAX_MS = 250;

/** One chaos run, in words for people. */
export interface ChaosOutcome {
  readonly plan: string;
  readonly findings: readonly string[];
}

/** `A7_CHAOS_SEED`, else a new one. */
export function chaosSeed(env: NodeJS.ProcessEnv = process.env): number {
  const given = Number(env['A7_CHAOS_SEED'] ?? '');
  return Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 2 ** 31) + 1;
}

/** The kills of run `index`: the same for the same seed, whatever ran before. */
export function planKills(seed: number, index: number, count: number): readonly Kill[] {
  const random = randomOf(seed * 1_000 + index);
  return Array.from({ length: count }, () => ({
    victim: random() < 0.7 ? 'worker' : 'server',
    at: random(),
  }));
}

/** Makes the run without kills. It starts the server. */
export async function measureUndisturbed(yard: Yard): Promise<Measured> {
  const session = await yard.session('undisturbed');
  await succeed(session.run());
  return { facts: sessionFacts(session.dir), lines: session.lines().length };
}

/** Runs a session under its kills until everything is sealed, then looks for what is wrong. */
export async function chaosRun(
  yard: Yard,
  session: TestSession,
  kills: readonly Kill[],
  undisturbed: Measured,
): Promise<ChaosOutcome> {
  const told: string[] = [];
  let running = session.run();
  for (const { victim, at } of kills) {
    const lines = session.lines().length;
    const place = at * Math.max(0, undisturbed.lines - lines);
    const line = lines + Math.floor(place);
    const isOver = await isOverBefore(running, session, line, (place % 1) * AFTER_MAX_MS);
    told.push(`${victim} after line ${String(line)}${isOver ? ' (over before)' : ''}`);
    if (isOver) break;
    if (victim === 'server') killServer(yard.home);
    else {
      running.child.kill('SIGKILL');
      await running.ended;
      running = session.run();
    }
  }
  const plan = `${session.dir.split('/').at(-1) ?? ''}: ${told.join(', ')}`;
  try {
    await succeed(running);
    return { plan, findings: await findings(yard.home, session, undisturbed.facts) };
  } catch (error) {
    return { plan, findings: [String(error)] };
  }
}

/** Waits for a line of the ledger and a moment more; true when the run ends before. */
async function isOverBefore(
  running: Running,
  { dir }: TestSession,
  line: number,
  afterMs: number,
): Promise<boolean> {
  const ended = running.ended.then(() => true);
  const path = join(dir, 'events.jsonl');
  for (let bytes = -1; ;) {
    const grown = statSync(path).size;
    if (grown !== bytes && readLedger(dir).length >= line) break;
    bytes = grown;
    if (await Promise.race([ended, delay(LOOK_MS, false, { ref: false })])) return true;
  }
  return Promise.race([ended, delay(afterMs, false, { ref: false })]);
}

/** Numbers from 0 to 1, by a fixed rule (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Sessions share the server: another one's strike may have killed it a moment before. */
function killServer(home: string): void {
  try {
    process.kill(serverPid(home), 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
