/**
 * What the contract declares of values: where it names a plain type, no object that only acts like one takes its place
 * (gate.md part 11). An object is asked from afar for what the suite does with it, and so sees what the suite holds against
 * it: `result.includes('b')` tells it what is wanted.
 */
import { builtin } from '../../shared/builtin.mjs';
import { isObject, memberOf } from '../crossing/members.mjs';
import { misfit, partsOf, resolved } from './fits.mjs';

const { types: is } = builtin('node:util');
const { getOwnPropertyDescriptor } = Object;
/** What a generator returns at its end is no item. */
const LAST_STEP = { kind: 'object', members: { done: { kind: 'literal', of: true } } };
const DEPTH_MAX = 60;

export class Results {
  types = {};
  #session;
  // Shape of an object that stands where one is declared; it is looked at again whenever it has changed.
  #expected = new WeakMap();
  // Params of the suite's functions, and what functions, getters, iterators, promises and proxies of the code are declared to give.
  #lent = new WeakMap();
  #functions = new WeakMap();
  #items = new WeakMap();
  #promised = new WeakMap();
  #proxies = new WeakMap();
  #settled = new WeakMap();
  #changed = [];

  constructor(session) {
    this.#session = session;
  }

  /** Learns what an exported function is declared to take and give, or what the instances of a class are. */
  learn(record, value, shape) {
    const found = this.#shape(shape);
    if (found === null) return;
    if (found.kind === 'function') this.#functions.set(record, found);
    else if (found.kind === 'object') {
      this.#functions.set(record, { made: found, params: [], rest: null, returns: null });
      if (value.prototype !== null && typeof value.prototype === 'object')
        this.#members(value.prototype, found);
    }
  }

  /** Before a call: what the functions that it is given are declared to be called with. */
  lend(record, args) {
    const found = this.#functions.get(record);
    if (found === undefined) return;
    for (const [at, arg] of args.entries()) {
      const shape = typeof arg === 'function' ? this.#shape(paramOf(found, at)) : null;
      if (shape !== null && shape.kind === 'function') this.#lent.set(arg, shape);
    }
  }

  /** When the code calls a function of the suite. */
  called(value, args) {
    const found = this.#lent.get(value);
    if (found !== undefined)
      for (const [at, arg] of args.entries()) this.require(arg, paramOf(found, at), false);
  }

  /** After a use: what it gave, and what it has made of its arguments. */
  check(record, verb, name, args, value) {
    const found = this.#functions.get(record);
    if (verb === 'new') this.#isMade(record, value);
    if (found !== undefined && (verb === 'call' || verb === 'new')) {
      this.require(value, verb === 'new' ? (found.made ?? null) : found.returns);
      for (const [at, arg] of args.entries()) this.require(arg, paramOf(found, at), false);
    } else if (verb === 'iterate' && name === 'next') this.#stepped(record, value);
    else if (verb === 'trap' && name === 'get') this.#read(record, args[0], value);
  }

  /** What a declared class makes is of that class. A proxy is asked for each of its members, and held to those. */
  #isMade(record, value) {
    const proto = this.#session.membrane.valueOf(record)?.prototype;
    if (!this.#session.declared.has(proto) || is.isProxy(value) || isPrototypeOf(proto, value)) return;
    this.#session.fault('A constructor gave an object of another class');
  }

  /** An object has come or changed; it may be half filled yet. */
  came(record, value) {
    if (this.#expected.has(value)) this.#changed.push(value);
  }

  /** Readonly members of an object, by its declared type. */
  fixedOf(value) {
    return this.#expected.get(value)?.fixed ?? [];
  }

  /** Names of declared members that only getters tell. */
  hiddenOf(value) {
    const shape = this.#expected.get(value);
    if (shape?.kind !== 'object') return [];
    return Object.keys(shape.members).filter(
      (key) => !Object.hasOwn(value, key) && memberOf(value, key)?.get !== undefined,
    );
  }

  recheck() {
    while (this.#changed.length > 0) {
      const value = this.#changed.pop();
      const isOwn = this.#session.membrane.record(value)?.isOwn === true;
      this.require(value, this.#expected.get(value), !isOwn);
    }
  }

  /** What a promise has given. */
  settled(record, value) {
    if (this.#promised.has(record)) this.require(value, this.#promised.get(record));
    else this.#settled.set(record, value);
  }

  /** Faults where a value is not as declared; else remembers what is declared of what it holds. */
  require(value, shape, isExact = true) {
    if (shape === undefined || shape === null) return;
    const found = misfit(value, shape, this.types, isExact);
    if (found !== null) this.#session.fault(`A value is not of the declared type: ${found}`);
    this.#follow(value, shape, 0);
  }

  #shape(shape) {
    return resolved(shape, this.types);
  }

  /** Remembers what is declared of an object's parts. */
  #follow(value, declared, depth) {
    const shape = this.#shape(declared);
    if (shape === null || !isObject(value) || depth > DEPTH_MAX) return;
    const record = this.#session.membrane.record(value);
    if (record?.kind === 'x') this.#proxies.set(record, shape);
    if (is.isProxy(value)) return;
    if (shape.kind === 'either') {
      const fitting = shape.of.filter((one) => misfit(value, one, this.types, true) === null);
      if (fitting.length === 1) this.#follow(value, fitting[0], depth + 1);
      return;
    }
    if (this.#expected.get(value) === shape && depth > 0) return;
    if (shape.kind === 'promise') this.#await(value, record, shape.of);
    else if (shape.kind === 'function' && record !== undefined && !record.isOwn)
      this.#functions.set(record, shape);
    else if (shape.kind === 'iterates') this.#iterates(value, record, shape);
    else {
      this.#expected.set(value, shape);
      this.#parts(value, shape, depth + 1);
    }
  }

  #parts(value, shape, depth) {
    for (const [part, of] of partsOf(value, shape)) this.#follow(part, of, depth);
    if (shape.kind === 'object') this.#members(value, shape);
  }

  /** Methods and getters of an object or of what it is made from. */
  #members(value, shape) {
    for (const [name, member] of Object.entries(shape.members)) {
      const found = memberOf(value, name);
      const use = found?.get ?? (typeof found?.value === 'function' ? found.value : undefined);
      const record = use === undefined ? undefined : this.#session.membrane.record(use);
      if (record === undefined || record.isOwn || this.#functions.has(record)) continue;
      const of = this.#shape(member);
      if (found.get !== undefined) this.#functions.set(record, { params: [], rest: null, returns: member });
      else if (of !== null && of.kind === 'function') this.#functions.set(record, of);
    }
  }

  #await(value, record, of) {
    if (record === undefined) return;
    const then = is.isPromise(value) ? undefined : memberOf(value, 'then')?.value;
    const thenable = typeof then === 'function' ? this.#session.membrane.record(then) : undefined;
    const settle = { kind: 'function', params: [of], rest: null, returns: null };
    if (thenable !== undefined && !thenable.isOwn)
      this.#functions.set(thenable, { params: [settle], rest: null, returns: null });
    this.#promised.set(record, of);
    if (this.#settled.has(record)) this.require(this.#settled.get(record), of);
  }

  #iterates(value, record, shape) {
    if (record?.kind === 'g') this.#items.set(record, shape.of);
    for (const key of [Symbol.iterator, Symbol.asyncIterator]) {
      const use = memberOf(value, key)?.value;
      const made = typeof use === 'function' ? this.#session.membrane.record(use) : undefined;
      if (made !== undefined && !made.isOwn)
        this.#functions.set(made, { params: [], rest: null, returns: shape });
    }
  }

  #stepped(record, value) {
    if (!this.#items.has(record) || !isObject(value)) return;
    const of = this.#items.get(record);
    const own = this.#session.membrane.record(value);
    const step = { kind: 'either', of: [LAST_STEP, { kind: 'object', members: { value: of } }] };
    if (own?.kind === 'p') this.#await(value, own, step);
    else this.require(value, step);
  }

  /** What a proxy of an array is asked for by the name of a builtin method is that method: it reads the items and decides itself. */
  builtinOf(record, verb, name, key) {
    if (verb !== 'trap' || name !== 'get' || this.#proxies.get(record)?.kind !== 'array') return undefined;
    const found = typeof key === 'string' || typeof key === 'symbol' ? Array.prototype[key] : undefined;
    return typeof found === 'function' && key !== 'constructor' ? found : undefined;
  }

  /** What a proxy where an object is declared gives for its members. */
  #read(record, key, value) {
    const shape = this.#proxies.get(record);
    if (shape === undefined || typeof key !== 'string') return;
    if (shape.kind === 'array' && /^\d+$/u.test(key)) this.require(value, shape.of);
    if (shape.kind === 'object' && Object.hasOwn(shape.members, key)) this.require(value, shape.members[key]);
    if (shape.kind === 'record') this.require(value, shape.of);
  }
}

const isPrototypeOf = Function.prototype.call.bind(Object.prototype.isPrototypeOf);

const paramOf = ({ params, rest }, at) => (at < params.length ? params[at] : rest);
