/**
 * What a suite replaces of the global scope for itself and the code: chance, the time, timers, what is printed. Where it has, the
 * code's own is replaced by a call of the suite's, which is told beside the messages. Suites that replace anything else are judged
 * in one process (core/gate/suite/script-scan.ts).
 */
import { builtin } from '../../shared/builtin.mjs';
import { dateBy } from '../../shared/vary.mjs';

const STARTED = ['setTimeout', 'setInterval', 'setImmediate'];
const TIMERS = new Set([...STARTED, 'clearTimeout', 'clearInterval', 'clearImmediate']);
/** Of the whole of `Date`, only the time that it tells is the suite's. */
const WHOLE = 'Date';
/** Owner and name, by number in messages. What promises timers is replaced with them. */
const PLACES = [
  ['Math', 'random'],
  ['Date', 'now'],
  ['globalThis', WHOLE],
  ['globalThis', 'fetch'],
  ...['log', 'info', 'warn', 'error', 'debug'].map((name) => ['console', name]),
  ...[...TIMERS].map((name) => ['globalThis', name]),
];
const PROMISED = 'node:timers/promises';
const ALL_PLACES = [...PLACES, ...STARTED.map((name) => [PROMISED, name])];

function ownerOf(owner) {
  if (owner === PROMISED) return builtin(owner);
  return owner === 'globalThis' ? globalThis : globalThis[owner];
}

/** The suite's side: what it has replaced, and what of it was told. */
export class SuiteGlobals {
  #places = PLACES.map(([owner, name], at) => ({
    ...{ at, of: ownerOf(owner), name, own: ownerOf(owner)[name], isTold: false, forward: undefined },
  }));
  #promised = STARTED.map((name, at) => ({
    ...{ at: PLACES.length + at, name, isTold: false, forward: undefined },
    like: this.#places.find((place) => place.name === name),
  }));
  /** What was told is dead, or may not have come over. */
  #isStale = false;

  retell() {
    this.#isStale = true;
  }

  isQuiet() {
    if (this.#isStale) return false;
    for (const place of this.#places) if (isReplaced(place) !== place.isTold) return false;
    return true;
  }

  /** What the other side is to know: [number, form of a function or null] of each place; undefined where it knows all. */
  tell(enc) {
    if (this.isQuiet()) return undefined;
    const told = [];
    for (const place of [...this.#places, ...this.#promised]) {
      const is = isReplaced(place.like ?? place);
      if (is === place.isTold && !(is && this.#isStale)) continue;
      told.push([place.at, is ? enc((place.forward ??= forwardOf(place))) : null]);
      place.isTold = is;
    }
    this.#isStale = false;
    return told.length > 0 ? told : undefined;
  }
}

const isReplaced = ({ of, name, own }) => of[name] !== own && typeof of[name] === 'function';

/** Calls what stands there now; nothing where the suite's own is back. */
function forwardOf({ of = builtin(PROMISED), name, like, ...place }) {
  return (...args) => {
    if (!isReplaced(like ?? { of, name, ...place })) return undefined;
    return name === WHOLE ? of[WHOLE].now() : Reflect.apply(of[name], of, args);
  };
}

/** The builder's side: replaces its own, and puts back what stood there. */
export class CodeGlobals {
  #own = new Map();

  /** @throws {TypeError} for what is no list of places. */
  take(list, dec) {
    for (const [at, part] of list) {
      const [owner, name] = ALL_PLACES[at];
      const of = ownerOf(owner);
      const owners = TIMERS.has(name) && of === globalThis ? [of, builtin('node:timers')] : [of];
      if (!this.#own.has(at)) this.#own.set(at, of[name]);
      const own = this.#own.get(at);
      if (part === null) this.#own.delete(at);
      const use = part === null ? null : dec(part);
      const found = use === null ? own : name === WHOLE ? dateBy(own, use) : (...args) => use(...args);
      // Code may hold its own fast: its tests show that.
      for (const each of owners) Reflect.set(each, name, found);
    }
  }
}
