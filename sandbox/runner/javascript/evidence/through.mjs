/**
 * Plays tests through on a stub (gate.md part 12): no assertion of `node:assert` ends a test, so that all that it would call is
 * called. Nothing is judged by the outcomes of such a run; it tells what tests reach, and how often.
 */
import assert from 'node:assert';
import { syncBuiltinESMExports } from 'node:module';

/** Longest that such a test may take. */
export const LIMIT_MS = 2_000;
const CALLING = new Set(['throws', 'doesNotThrow']);
const AWAITING = new Set(['rejects', 'doesNotReject']);
const KEPT = new Set(['AssertionError', 'CallTracker', 'strict']);

/** From here on assertions run what they are given, and never fail. */
export function playThrough() {
  const done = new Map();
  for (const owner of [assert, assert.strict]) {
    for (const key of Object.keys(owner)) {
      const original = owner[key];
      if (KEPT.has(key) || typeof original !== 'function') continue;
      if (!done.has(original)) done.set(original, quiet(key));
      owner[key] = done.get(original);
    }
  }
  syncBuiltinESMExports();
}

function quiet(key) {
  if (CALLING.has(key))
    return (body, check) => {
      tried(body);
      looked(check);
    };
  if (AWAITING.has(key))
    return async (body, check) => {
      looked(check);
      try {
        await (typeof body === 'function' ? body() : body);
      } catch {
        // Whether it fails is not asked.
      }
    };
  return () => undefined;
}

/** What looks at the error is played, too: a class is read, and `(error) => error instanceof TimeoutError` is called. */
function looked(check) {
  tried(() => check.prototype);
  tried(() => check(new Error('a7')));
}

function tried(body) {
  try {
    if (typeof body === 'function') body();
  } catch {
    // Whether it throws is not asked.
  }
}
