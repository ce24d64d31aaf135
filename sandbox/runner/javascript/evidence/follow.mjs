/**
 * Child side of the variant `followed`: what a test calls and what it asserts, as far as values can be followed (decision 0019;
 * suite_follow_calls.py is the same for Python). Assertions of `node:assert` tell what they are made of and never fail.
 */
import assert from 'node:assert';
import { syncBuiltinESMExports } from 'node:module';
import { described, isData, leaves, resolvedOf } from './follow_data.mjs';

const EVENTS_MAX = 2_000;
const EXPECTING = new Set(['throws', 'rejects']);
const RUNNING = new Set(['doesNotThrow', 'doesNotReject']);
const KEPT = new Set(['AssertionError', 'CallTracker', 'fail', 'strict']);

/** The follower of one file's run. `others`: exports that give other values, `*` for all. */
export function follower({ others = [] }) {
  const state = { test: null, carried: new Set(), raising: 0 };
  const isOther = (name) => others.includes('*') || others.includes(name);
  return {
    isOther,
    begin: () => {
      state.test = calls(state.carried);
      state.carried = new Set();
      return state.test.told;
    },
    finish: () => (state.test = null),
    give: (name, value, self, args) => {
      if (state.test === null) state.carried.add(name);
      else state.test.call(name, value, partsOf(self, args), state.raising === 0);
    },
    link: (name, self, args) => state.test?.link(name, partsOf(self, args)),
    quietAssertions: () => quietAssertions(state),
  };
}

/** One test. `excused`: exports of which it cannot be told; `after`: calls that may tell what an earlier one did. */
function calls(carried) {
  const told = { events: [], excused: [...carried], first: {}, given: {}, after: {} };
  const makers = new Map();
  const used = new Map();
  const groups = new Map();
  const groupOf = (each) => {
    let found = each;
    while (groups.has(found)) found = groups.get(found);
    return found;
  };
  const join = (objects) => {
    for (const [at, other] of objects.slice(1).entries()) {
      const [one, two] = [groupOf(objects[at]), groupOf(other)];
      if (one !== two) groups.set(one, two);
    }
  };
  const tell = (name, parts) => {
    const own = new Set(parts.filter(isObject).map(groupOf));
    const data = new Set(parts.filter(isName).map(described));
    for (const [earlier, { objects, keys, isBare }] of used) {
      if (earlier === name) continue;
      const isAbout =
        isBare ||
        parts.length === 0 ||
        [...keys].some((key) => data.has(key)) ||
        [...objects].some((each) => own.has(groupOf(each)));
      if (isAbout) told.after[earlier] = [...new Set([...(told.after[earlier] ?? []), name])];
    }
    told.events.push({ kind: 'call', seen: [name, ...parts.map(described)], holds: false, about: [] });
  };
  return {
    told,
    call: (name, value, parts, isSure) => {
      tell(name, parts);
      const inner = resolvedOf(value);
      told.first[name] ??= told.events.length;
      told.given[name] ??= described(inner);
      if (!isSure || !isData(inner) || told.events.length > EVENTS_MAX) told.excused.push(name);
      const objects = parts.filter(isObject);
      if (isObject(value)) {
        if (!makers.has(value)) makers.set(value, name);
        join([...objects, value]);
      }
      const entry = used.get(name) ?? { objects: new Set(), keys: new Set(), isBare: false };
      for (const each of objects) entry.objects.add(each);
      for (const each of parts.filter(isName)) entry.keys.add(described(each));
      entry.isBare ||= parts.length === 0;
      used.set(name, entry);
    },
    link: (name, parts) => {
      tell(name, parts);
      join(parts.filter(isObject));
    },
    assertion: (values) => {
      const event = { kind: 'assertion', seen: [], holds: false, isMade: false, about: [] };
      for (const value of values) {
        event.seen.push(described(value), ...leaves(value));
        if (!isObject(value)) continue;
        if (makers.has(value)) {
          event.isMade = true;
          event.about.push(makers.get(value));
        }
        for (const [name, { objects }] of used) if (objects.has(value)) event.about.push(name);
      }
      if (told.events.length <= EVENTS_MAX) told.events.push(event);
      return event;
    },
  };
}

/** What a call is about: its object, its arguments, what lists among them hold. */
function partsOf(self, args) {
  const given = [...(self === undefined ? [] : [self]), ...args];
  return given.flatMap((each) => (Array.isArray(each) ? [each, ...each] : [each]));
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Plain arguments by which two calls may be about the same: `set(key)`, then `get(key)`. */
function isName(value) {
  return (typeof value === 'string' || typeof value === 'number') && Boolean(value);
}

function quietAssertions(state) {
  const done = new Map();
  for (const owner of [assert, assert.strict]) {
    for (const key of Object.keys(owner)) {
      const original = owner[key];
      if (KEPT.has(key) || typeof original !== 'function') continue;
      if (!done.has(original)) done.set(original, quiet(state, key, original));
      owner[key] = done.get(original);
    }
  }
  syncBuiltinESMExports();
}

function quiet(state, key, original) {
  if (EXPECTING.has(key) || RUNNING.has(key)) return (body) => expected(state, body, EXPECTING.has(key));
  return (...args) => {
    const event = state.test?.assertion(args.slice(0, 2));
    try {
      original(...args);
      if (event !== undefined) event.holds = true;
    } catch {
      // Whether it fails is told; the test goes on.
    }
  };
}

/** What is called here for its error is called in earnest, what only must not fail is not. */
function expected(state, body, isForError) {
  if (typeof body !== 'function') {
    if (isForError) state.test?.assertion([body]);
    return Promise.resolve(body).catch(() => {});
  }
  if (isForError) state.raising += 1;
  try {
    return Promise.resolve(body()).catch(() => {});
  } catch {
    return Promise.resolve();
  } finally {
    if (isForError) state.raising -= 1;
  }
}
