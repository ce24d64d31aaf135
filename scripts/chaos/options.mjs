// What `npm run chaos` is asked for.
import { parseArgs } from 'node:util';

export const USAGE = `usage: npm run chaos [-- options]
  --runs N        sessions to kill and resume (default 10)
  --seed N        repeats the kill instants of an earlier run (default: A7_CHAOS_SEED, else a new one, which is printed)
  --kills N       kills a session, at most (default 2)
  --parallel N    sessions at once (default 2)
  --orders        work orders instead of sessions: one killed at every step, then --runs times four at once
`;

/** `{kind: 'run' | 'orders', runs, seed, kills, parallel}`, or why not. */
export function readOptions(args) {
  const number = { type: 'string' };
  const flag = { type: 'boolean' };
  const options = { runs: number, seed: number, kills: number, parallel: number, orders: flag, help: flag };
  try {
    const { values } = parseArgs({ args, options });
    if (values.help) return { kind: 'help' };
    return {
      kind: values.orders ? 'orders' : 'run',
      runs: positive('runs', values.runs ?? '10'),
      seed: values.seed === undefined ? null : positive('seed', values.seed),
      kills: positive('kills', values.kills ?? '2'),
      parallel: positive('parallel', values.parallel ?? '2'),
    };
  } catch (error) {
    return { kind: 'wrong', message: error.message };
  }
}

function positive(name, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0: current value is "${text}"`);
}
