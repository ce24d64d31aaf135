/**
 * The one answer that a suite gets from an export, and that export made to give it always (decision 0068). The changed source
 * asks a function of the global object, `(name, isAsync, work)`, what stands in the place of `work()`.
 */
import { builtin } from '../shared/builtin.mjs';

const { isPromise } = builtin('node:util').types;
const ASK = Symbol.for('a7.answers');
const BYTES_MAX = 4096;
const exports = new Map();
const open = new Set();
/** Loaded where it is needed: every child has this module. */
const v8 = {};

/** `export` null: answers are noted. Else that export does nothing and gives `kept`, whatever it is asked. */
export function watchAnswers({ export: given, kept }) {
  Object.assign(v8, builtin('node:v8'));
  const bytes = kept === null ? null : Buffer.from(kept, 'base64');
  const ask =
    given === null
      ? noted
      : (name, isAsync, work) => {
          if (name !== given) return work();
          globalThis[Symbol.for('a7.ran')] = true;
          const { value, isPromised } = v8.deserialize(bytes);
          return isPromised && !isAsync ? Promise.resolve(value) : value;
        };
  Object.defineProperty(globalThis, ASK, { value: ask });
}

/** What was noted, for the process that has all test files. */
export function toldAnswers() {
  return [...exports].map(([name, { answers, errors }]) => ({
    name,
    answers: [...answers],
    errors: [...errors],
  }));
}

function noted(name, _isAsync, work) {
  // Of a call within a call of the same export the suite sees nothing.
  if (open.has(name)) return work();
  if (!exports.has(name)) exports.set(name, { answers: new Map(), errors: new Set() });
  const found = exports.get(name);
  const gave = (value, isPromised) => {
    // Two are as good as many.
    if (found.answers.size < 2) found.answers.set(serialized({ value, isPromised }), isTrivial(value));
    return value;
  };
  const threw = (error) => {
    found.errors.add(String(error?.constructor?.name));
    throw error;
  };
  open.add(name);
  try {
    const answer = work();
    return isPromise(answer) ? answer.then((value) => gave(value, true), threw) : gave(answer, false);
  } catch (error) {
    return threw(error);
  } finally {
    open.delete(name);
  }
}

/** An answer that cannot be kept is one that nobody else could give. */
function serialized(value) {
  try {
    const bytes = v8.serialize(value);
    return bytes.length <= BYTES_MAX ? bytes.toString('base64') : null;
  } catch {
    return null;
  }
}

/** What code gives that has not been written: the nothing of a type, one of two. */
function isTrivial(value) {
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'object' || value === null) return !value;
  if (value instanceof Map || value instanceof Set) return value.size === 0;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
