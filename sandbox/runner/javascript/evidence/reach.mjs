/**
 * Which declared exports a test reached on stubs (gate.md parts 3 and 12): what ran is recorded, no word of a source counts. Calls
 * tell of themselves. Classes and enums of a stub tell when they are read; reads of a constant see reads.mjs.
 */
const MAX_REACHED = 500;
const BUILT = new Set(['class', 'exception']);
const CALLED = new Set(['function', 'method']);

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

  const reach = (name) => {
    state.calls += 1;
    if (state.current !== null) {
      if (state.current.size < MAX_REACHED) state.current.add(name);
    } else if (state.isImporting) {
      // An object that a group makes for its tests is data: its constructor does not fail on stubs, its methods turn tests red.
      if (!BUILT.has(kinds.get(name))) atImport.add(name);
    } else state.carried.add(name);
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
    atImport,
    install: () => {
      const marker = Object.freeze({
        reach,
        made,
        declare,
        watched: (name, value) => watched(value, () => made(name)),
        constants: (values) => {
          for (const [name, value] of Object.entries(values)) constants.set(name, value);
        },
        constant: (name) => {
          made(name);
          return constants.get(name);
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
      // What hooks of a group reached belongs to the first test behind them.
      state.current = new Set(state.carried);
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
