/**
 * Where suite and code share a process, the functions that carry a verdict stay those of Node: code that replaces one of
 * `node:assert` or `node:test` gets the error that a frozen property gives. It closes the plain ways, not all: only the
 * glass wall keeps the code away from the suite.
 */
import assert from 'node:assert';
import runner, { mock } from 'node:test';

/** Before suite and code are loaded. */
export function holdVerdictFunctions() {
  const counted = mock.fn(() => {}).mock;
  const owners = [
    assert,
    assert.strict,
    assert.AssertionError,
    assert.AssertionError.prototype,
    runner,
    runner.test,
    runner.describe,
    Object.getPrototypeOf(mock),
    Object.getPrototypeOf(counted),
  ];
  for (const owner of new Set(owners)) holdAll(owner);
}

/** What is there can be neither replaced nor removed; names may still be added. */
function holdAll(owner) {
  for (const key of Reflect.ownKeys(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, key);
    if (!found.configurable) continue;
    Object.defineProperty(
      owner,
      key,
      'value' in found ? { configurable: false, writable: false } : { configurable: false },
    );
  }
}
