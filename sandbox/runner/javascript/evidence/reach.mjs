/**
 * Which declared exports a test reached on stubs (gate.md parts 3 and 12): what ran is recorded, no word of a source counts. Calls
 * tell of themselves. Classes and enums of a stub tell when they are read; reads of a constant see reads.mjs.
 */
const MAX_REACHED = 500;
const CALLED = new Set(['function', 'method']);
/** What an export is handed is looked into this deep for functions of the contract. */
const GIVEN_DEPTH = 4;

/** State of one file's run; `install` gives stubs their marker. `variant` is for the stub `wrong`. */
export function reachRecorder({
  second = false,
  loose = false,
  closed = false,
  silent = [],
  raising = [],
  through = false,
} = {}) {
  const kinds = new Map();
  const atImport = new Set();
  const state = { current: null, carried: new Set(), isImporting: true, calls: 0 };
  const constants = new Map();
  const classes = new Map();
  const functions = new Map();

  /** A call of it. True while the file is loaded, where it gives a wrong value on every stub (decision 0096). */
  const reach = (name) => {
    state.calls += 1;
    if (state.current !== null) {
      if (state.current.size < MAX_REACHED) state.current.add(name);
    } else if (state.isImporting) {
      atImport.add(name);
    } else state.carried.add(name);
    return state.isImporting;
  };
  /** Who asks what an object holds that an export gave need not name its class. */
  const made = (name) => {
    if (state.current !== null) reach(name);
  };
  /** Reading a function's name is not yet a call of it. */
  const read = (name) => {
    if (kinds.has(name) && !CALLED.has(kinds.get(name))) made(name);
  };
  const declare = (declared) => {
    for (const [name, kind] of Object.entries(declared)) kinds.set(name, kind);
  };
  return {
    install: () => {
      const marker = Object.freeze({
        reach,
        made,
        declare,
        watched: (name, value) => {
          const tell = () => {
            made(name);
            for (const base of basesOf(value, classes)) state.current?.add(base);
          };
          const proxy = watched(value, tell);
          classes.set(value, name).set(proxy, name);
          return proxy;
        },
        constants: (values) => {
          for (const [name, value] of Object.entries(values)) constants.set(name, value);
        },
        constant: (name) => {
          made(name);
          return constants.get(name);
        },
        functions: (values) => {
          for (const [name, value] of Object.entries(values)) functions.set(value, name);
        },
        /** What an export is handed: a function of the contract among it is used, if not called by the test. */
        given: (values) => {
          for (const each of within(values, GIVEN_DEPTH))
            if (functions.has(each)) state.current?.add(functions.get(each));
        },
        namespace: (space) =>
          new Proxy(space, {
            get: (target, key) => {
              read(key);
              return Reflect.get(target, key);
            },
          }),
        second,
        loose,
        through,
        isClosed: () => closed && state.current !== null,
        silent: Object.freeze([...silent]),
        raising: Object.freeze([...raising]),
      });
      Object.defineProperty(globalThis, Symbol.for('a7.reach'), { value: marker });
    },
    imported: () => (state.isImporting = false),
    begin: () => {
      // What hooks of a group reached belongs to the first test behind them, what loading the file did to all of them.
      state.current = new Set([...state.carried, ...atImport].slice(0, MAX_REACHED));
      state.carried = new Set();
      state.calls = 0;
      return state.current;
    },
    /** How often the test called an export. */
    finish: () => {
      state.current = null;
      return state.calls;
    },
  };
}

/** What lists and plain objects hold. */
function within(value, depth) {
  const proto = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  const isPlain = Array.isArray(value) || proto === Object.prototype || proto === null;
  if (!isPlain || depth === 0) return [value];
  const parts = Object.values(Object.getOwnPropertyDescriptors(value)).slice(0, MAX_REACHED);
  return parts.flatMap((part) => within(part.value, depth - 1));
}

/** Who uses a class uses those that it is derived from. */
function basesOf(value, classes) {
  const found = [];
  if (typeof value === 'function')
    for (let base = Object.getPrototypeOf(value); base !== null; base = Object.getPrototypeOf(base))
      if (classes.has(base)) found.push(classes.get(base));
  return found;
}

/** A class or an enum that tells when something of it is read: `x instanceof C`, `assert.throws(f, C)`, `Colour.Red`. */
function watched(value, tell) {
  const proxy = new Proxy(value, {
    get: (target, key, receiver) => {
      tell();
      return Reflect.get(target, key, receiver);
    },
    has: (target, key) => {
      tell();
      return Reflect.has(target, key);
    },
    ownKeys: (target) => {
      tell();
      return Reflect.ownKeys(target);
    },
  });
  // `x.constructor === C` holds as without.
  if (typeof value === 'function' && typeof value.prototype === 'object')
    Object.defineProperty(value.prototype, 'constructor', {
      value: proxy,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  return proxy;
}
