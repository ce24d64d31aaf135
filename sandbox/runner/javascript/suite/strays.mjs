/**
 * Child side: errors that reached the process and that no test has shown. `node:test` is silent about those that belong
 * to no test, and ends the process for those that come before its first test (gate.md part 5, row 1).
 */
import { begun, send, settings } from './channel.mjs';
import { failureOf } from '../shared/failure.mjs';

const SEEN_MAX = 100;

const failure = failureOf(settings);
const exit = process.reallyExit.bind(process);
const state = { seen: [], isFlushed: false };

/** Records every error from now on. */
export function watchStrays() {
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, take);
}

/** A failed test shows this error: it is no stray one. */
export function claimStray(error) {
  state.seen = state.seen.filter((seen) => !Object.is(seen, error));
}

/** Tells what is left. The first error after that is told at once and ends the process: nobody else would hear of it. */
export function flushStrays() {
  for (const error of state.seen) tell('late', error);
  state.isFlushed = true;
}

function take(error) {
  if (state.isFlushed) {
    tell('late', error);
    exit(1);
  }
  if (state.seen.length >= SEEN_MAX || state.seen.some((earlier) => Object.is(earlier, error))) return;
  state.seen.push(error);
  if (begun.length === 0) tell('before_tests', error);
}

function tell(kind, error) {
  send({ kind, failure: failure(error) });
}
