/**
 * Stands for `node:test` in a run with another order (gate.md part 5): what a file or a group registers is kept until it is
 * complete, then registered from the last to the first. A file that waits for one of its tests goes on in its own order, and so do
 * those that could be steps: what lies between `before` and `after`, and siblings of one name, which only their order tells apart.
 */
import { builtin } from '../shared/builtin.mjs';

const real = builtin('node:test');
const { compileFunction } = builtin('node:vm');
const FORMS = ['only', 'skip', 'todo'];
/** Frames to look at for the place of a registration: ours, then the suite's. */
const FRAMES = 8;

/** What is being filled: the file's own list, then that of the group whose body runs; null: nothing is kept. */
let open = listOf(false);

/** The file has been loaded. */
export function turnRound() {
  const file = open;
  open = null;
  if (file !== null && !file.isDone) register(file, true);
}

function listOf(hasSteps) {
  return { entries: [], hasSteps, isDone: false };
}

/** A function of `node:test` that registers. The functions that a group is given register, too. */
function turned(own, isGroup) {
  return (...given) => {
    const above = { hasSteps: false };
    const args = isGroup ? given.map((arg) => (typeof arg === 'function' ? body(arg, above) : arg)) : given;
    const entry = { own, args, above, place: callerOf(), name: nameOf(given), result: undefined };
    if (open === null) return called(entry);
    open.entries.push(entry);
    return waiting(open, entry);
  };
}

/** The body of a group: keeps what it registers before its first wait. */
function body(run, above) {
  return function (...given) {
    const outer = open;
    const inner = listOf(above.hasSteps);
    open = inner;
    try {
      return run.apply(this, given);
    } finally {
      open = outer;
      if (!inner.isDone) register(inner, true);
    }
  };
}

function register(list, isTurned) {
  list.isDone = true;
  const { entries, hasSteps } = list;
  const isFree = !hasSteps && new Set(entries.map(({ name }) => name)).size === entries.length;
  const outer = open;
  open = null;
  try {
    for (const entry of isTurned && isFree ? entries.toReversed() : entries) {
      entry.above.hasSteps = hasSteps;
      entry.result = called(entry);
    }
  } finally {
    open = outer;
  }
}

/** What a registration gives. Who waits for it wants its test to run now, and not those behind it. */
function waiting(list, entry) {
  const result = () => {
    if (!list.isDone) register(list, false);
    if (open === list) open = null;
    return entry.result;
  };
  return Object.fromEntries(
    ['then', 'catch', 'finally'].map((name) => [name, (...given) => result()[name](...given)]),
  );
}

/** Hooks belong to where they stand; `before` and `after` make steps of what lies between them. */
function hook(own, makesSteps) {
  return (...given) => {
    if (makesSteps && open !== null) open.hasSteps = true;
    return own(...given);
  };
}

function nameOf(given) {
  return typeof given[0] === 'string'
    ? given[0]
    : (given.find((arg) => typeof arg === 'function')?.name ?? '');
}

/** File and line of the suite that called. */
function callerOf() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_error, sites) => sites;
    const site = new Error().stack.find((each) => each.getFileName() !== import.meta.url);
    return { file: site?.getFileName() ?? '', line: site?.getLineNumber() ?? 1 };
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** `node:test` notes where it was called from: there. */
function called({ own, args, place: { file, line } }) {
  const options = { filename: file, lineOffset: line - 1 };
  return compileFunction('return own(...args)', ['own', 'args'], options)(own, args);
}

/** With the forms for one test or group each. */
function withForms(own, isGroup) {
  const forms = FORMS.map((form) => [form, turned(own[form], isGroup)]);
  return Object.assign(turned(own, isGroup), Object.fromEntries(forms));
}

export const describe = withForms(real.describe, true);
export const suite = describe;
export const before = hook(real.before, true);
export const after = hook(real.after, true);
export const beforeEach = hook(real.beforeEach, false);
export const afterEach = hook(real.afterEach, false);
export const { mock, run, snapshot, assert } = real;

/** In `node:test`, too, `test` and `it` are the module itself. */
export const test = Object.assign(withForms(real.test, false), {
  describe,
  suite,
  before,
  after,
  beforeEach,
  afterEach,
});
for (const [name, found] of Object.entries({ ...real, test, it: test })) test[name] ??= found;
export const it = test;
export const { only, skip, todo } = test;
export { test as default, test as 'module.exports' };
