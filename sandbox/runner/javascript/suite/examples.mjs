/**
 * Evaluates a contract's examples against code in the sandbox (gate.md part 3); same report as the suite runners.
 *
 * Standard input, JSON: {nonce, reportPath, workDir?, testTimeoutMs, contentFile, names?, defaultName?, examples: [{call, returns} | {call, raises}]}.
 * Each example is a test named `example <index>` in the file `<examples>`. The call is a person's expression over the
 * exports that the contract declares: what else the module exports stands before no name of it, such as `Array`; the result is compared here by exact rules, so that an object of the builder's cannot say that it is equal.
 * A call that never yields the processor ends with the sandbox's wall limit.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { failureMaker, plainFailure } from '../shared/failure.mjs';
import { openReport } from '../shared/report.mjs';
import { after } from '../shared/time.mjs';
import { acceptTypes } from '../shared/types.mjs';

const MAX_DEPTH = 50;
const SETTLE_MS = 300;
const { getPrototypeOf, keys, prototype } = Object;
const { isArray } = Array;
const { setTimeout: startTimer } = globalThis;
const isOwn = Function.prototype.call.bind(prototype.hasOwnProperty);
const timeOf = Function.prototype.call.bind(Date.prototype.getTime);
const isoText = Function.prototype.call.bind(Date.prototype.toISOString);
const { isTypedArray: isTyped } = types;
const AsyncFunction = getPrototypeOf(async () => {}).constructor;
const { exit } = process;
const reallyExit = exit.bind(process);

const config = JSON.parse(readFileSync(0, 'utf8'));
const workDir = realpathSync(config.workDir ?? '/work');
const { emit, finish } = openReport(config.reportPath, config.nonce, 'examples');
config.nonce = '';
process.chdir(workDir);
acceptTypes(config.contentFile);
const failure = failureMaker(workDir, []);
const wall = config.wall === undefined ? null : await openSide(config.wall);
await main();

async function main() {
  const ids = config.examples.map((_, index) => ({
    file: '<examples>',
    nesting: [],
    name: `example ${index}`,
    ordinal: 0,
  }));
  emit({ kind: 'collected', ids });
  let isLate = false;
  const late = (found) => {
    isLate = true;
    emit({ kind: 'late_error', reason: 'uncaught', failure: found });
  };
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => late(failure(error)));
  if (wall !== null) wall.session.onStray = (error) => late(failure(error));
  const scope = await load();
  let isGreen = scope !== null;
  for (const [index, example] of scope === null ? [] : config.examples.entries()) {
    const startedMs = performance.now();
    const found = await judge(example, scope);
    isGreen = isGreen && found === null;
    const outcome = found === null ? 'passed' : 'failed';
    emit({
      kind: 'test',
      id: ids[index],
      outcome,
      phase: 'call',
      failure: found,
      reached: [],
      durationMs: performance.now() - startedMs,
    });
  }
  await settled();
  if ((process.exitCode ?? 0) !== 0)
    late(plainFailure('ExitCode', `The code set the exit code ${process.exitCode}`));
  finish(ids.length, scope === null ? 0 : ids.length);
  reallyExit(isGreen && !isLate ? 0 : 1);
}

/** What the code began is given time to fail: until nothing is left to do, at most SETTLE_MS. */
function settled() {
  return new Promise((resolve) => {
    process.once('beforeExit', resolve);
    startTimer(resolve, SETTLE_MS).unref();
  });
}

/** Declared exports of the module by name; null if it does not import. */
async function load() {
  try {
    const path = join(workDir, config.contentFile);
    const isCommon = path.endsWith('.cjs');
    const module = await within(
      wall !== null
        ? wall.wallModule(0, isCommon ? 'require' : 'import')
        : isCommon
          ? createRequire(path)(path)
          : import(pathToFileURL(path).href),
    );
    const scope = {};
    for (const source of [module.default, module]) {
      if (typeof source === 'object' && source !== null)
        for (const name of config.names ?? keys(source)) if (name in source) scope[name] = source[name];
    }
    const name = config.defaultName ?? module.default?.name;
    if (module.default !== undefined && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name))
      scope[name] ??= module.default;
    delete scope.default;
    return scope;
  } catch (error) {
    emit({ kind: 'collect_error', file: config.contentFile, failure: failure(error) });
    return null;
  }
}

/** Null if the example holds, else the failure; a fault of the other side is one whatever became of it. */
async function judge(example, scope) {
  if (wall === null) return judgeValue(example, scope);
  wall.fault = null;
  wall.session.beginTest(config.testTimeoutMs);
  const found = await judgeValue(example, scope);
  wall.session.endTest();
  return wall.fault === null ? found : failure(wall.fault);
}

async function judgeValue(example, scope) {
  let value;
  try {
    const names = keys(scope).filter((name) => /^[A-Za-z_$][\w$]*$/u.test(name));
    // Asynchronous, so that a person may write `await f(1)`.
    const call = new AsyncFunction(...names, `'use strict'; return (${example.call}\n);`);
    value = await within(call(...names.map((name) => scope[name])));
    if (!('raises' in example) && isIterator(value)) value = [...value];
  } catch (error) {
    return 'raises' in example && isA(error, example.raises, scope) ? null : failure(error);
  }
  if ('raises' in example)
    return {
      ...plainFailure('AssertionError', `Missing expected exception: ${example.raises}`),
      assertion: true,
    };
  if (isSame(value, example.returns, 0)) return null;
  return {
    ...plainFailure('AssertionError', `${example.call} must return ${JSON.stringify(example.returns)}`),
    assertion: true,
  };
}

/** The suite's end of the wall. A side that never answers ends this process, which leaves no report. */
async function openSide(settings) {
  const { openWall, wallModule } = await import('../wall/suite_side/open.mjs');
  const { endAfter } = await import('../wall/suite_side/limit.mjs');
  endAfter(settings.budgetMs);
  const session = openWall({ wall: settings, workDir, file: null, readFd: 3, writeFd: 4 });
  const side = { session, wallModule, fault: null };
  session.onFault = (error) => (side.fault ??= error);
  return side;
}

function within(value) {
  let callOff;
  const limit = new Promise((_, reject) => {
    class A7TestTimeout extends Error {}
    callOff = after(config.testTimeoutMs, () =>
      reject(new A7TestTimeout('the example ran longer than its limit')),
    );
  });
  return Promise.race([value, limit]).finally(() => callOff());
}

function isIterator(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isArray(value) &&
    typeof value.next === 'function' &&
    typeof value[Symbol.iterator] === 'function'
  );
}

/** By the class that the name means; by name where nothing defines it. */
function isA(error, wanted, scope) {
  const type = isOwn(scope, wanted) ? scope[wanted] : globalThis[wanted];
  if (typeof type === 'function') return prototype.isPrototypeOf.call(type.prototype, error);
  return error?.constructor?.name === wanted || error?.name === wanted;
}

/** What JSON has no form for: a big number as a number or its digits, a date as `toISOString` gives it. */
function isSpelt(value, expected) {
  if (typeof value === 'bigint')
    return (
      (typeof expected === 'number' &&
        BigInt(Math.trunc(expected)) === value &&
        Number.isInteger(expected)) ||
      `${value}` === expected
    );
  return value instanceof Date && isValid(value) && isoText(value) === expected;
}

function isValid(date) {
  return !Number.isNaN(timeOf(date));
}

/** Equality of a result with a JSON value. `undefined` counts as null; class instances are compared by their own fields. */
function isSame(value, expected, depth) {
  if (depth > MAX_DEPTH) return false;
  if (expected === null) return value === null || value === undefined;
  if (typeof expected !== 'object') return value === expected || isSpelt(value, expected);
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Set) return isSame([...value], expected, depth + 1);
  if (isTyped(value)) return isSame([...value], expected, depth + 1);
  if (value instanceof Map) return isSame(Object.fromEntries(value), expected, depth + 1);
  if (isArray(expected) !== isArray(value)) return false;
  if (isArray(expected))
    return (
      value.length === expected.length && expected.every((item, at) => isSame(value[at], item, depth + 1))
    );
  if (value instanceof Date || getPrototypeOf(value) === Promise.prototype) return false;
  const names = keys(value).filter((name) => value[name] !== undefined);
  return (
    names.length === keys(expected).length &&
    keys(expected).every((name) => isOwn(value, name) && isSame(value[name], expected[name], depth + 1))
  );
}
