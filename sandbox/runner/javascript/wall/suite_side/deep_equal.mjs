/**
 * Two objects whose state is private are deeply equal to `node:assert`, whatever they hold: code with private fields would pass every
 * such assertion. Here what the contract declares of them, and their getters tell, must be equal, too.
 */
import { builtin } from '../../shared/builtin.mjs';
import { dataOf, isObject, mapItems } from '../crossing/members.mjs';

const { isDeepStrictEqual, types } = builtin('node:util');
const { getPrototypeOf } = Object;
const DEPTH_MAX = 20;

/** Before the suite is loaded. */
export function compareMembers(results) {
  const assert = builtin('node:assert');
  const done = new Map();
  for (const owner of [assert, assert.strict])
    for (const name of ['deepEqual', 'deepStrictEqual']) {
      const own = owner[name];
      if (!done.has(own)) done.set(own, withMembers(own, results, assert.AssertionError));
      owner[name] = done.get(own);
    }
  builtin('node:module').syncBuiltinESMExports();
}

function withMembers(own, results, AssertionError) {
  const wrapped = (...args) => {
    own(...args);
    const [actual, expected, message] = args;
    const name = new Comparison(results).differing(actual, expected, 0);
    if (name === null) return;
    if (message instanceof Error) throw message;
    const text = message ?? `Expected values to be deeply equal: their "${name}" is not the same`;
    // With the operator `deepStrictEqual` Node writes a message of its own.
    throw new AssertionError({
      message: text,
      actual,
      expected,
      operator: 'deepEqual',
      stackStartFn: wrapped,
    });
  };
  return Object.defineProperty(wrapped, 'name', { value: own.name });
}

class Comparison {
  #results;
  #seen = new Set();

  constructor(results) {
    this.#results = results;
  }

  /** Name of a declared member that differs, or null. */
  differing(left, right, depth) {
    if (!isObject(left) || !isObject(right) || left === right || depth > DEPTH_MAX) return null;
    if (types.isProxy(left) || types.isProxy(right) || this.#seen.has(left)) return null;
    this.#seen.add(left);
    if (getPrototypeOf(left) === getPrototypeOf(right))
      for (const name of this.#results.hiddenOf(left)) {
        const [one, other] = [left[name], right[name]];
        if (!isDeepStrictEqual(one, other) || this.differing(one, other, depth + 1) !== null) return name;
      }
    for (const [one, other] of pairsOf(left, right)) {
      const found = this.differing(one, other, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
}

/** What both hold under the same name or key. */
function pairsOf(left, right) {
  if (types.isMap(left) && types.isMap(right)) {
    const others = new Map(mapItems(right));
    return [...mapItems(left)].map(([key, item]) => [item, others.get(key)]);
  }
  const others = new Map(dataOf(right));
  return dataOf(left).map(([key, item]) => [item, others.get(key)]);
}
