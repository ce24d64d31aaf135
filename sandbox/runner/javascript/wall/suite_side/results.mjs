/**
 * What the contract declares of values: where it names a plain type, no object that only acts like one takes its place
 * (gate.md part 11). An object is asked from afar for what the suite does with it, and so sees what the suite holds against
 * it: `result.includes('b')` tells it what is wanted.
 */
import { builtin } from '../../shared/builtin.mjs';
import { dataOf, isObject, mapItems, memberOf, ownItems, setItems } from '../crossing/members.mjs';

const { types: is } = builtin('node:util');
const { getOwnPropertyDescriptor } = Object;
const { isArray } = Array;
const KINDS = {
  set: is.isSet,
  map: is.isMap,
  date: is.isDate,
  regexp: is.isRegExp,
  bytes: (value) => ArrayBuffer.isView(value) || is.isAnyArrayBuffer(value),
  function: (value) => typeof value === 'function',
};
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
    if (found !== undefined) for (const [at, arg] of args.entries()) this.require(arg, paramOf(found, at));
  }

  /** After a use: what it gave, and what it has made of its arguments. */
  check(record, verb, name, args, value) {
    const found = this.#functions.get(record);
    if (found !== undefined && (verb === 'call' || verb === 'new')) {
      this.require(value, verb === 'new' ? (found.made ?? null) : found.returns);
      for (const [at, arg] of args.entries()) this.require(arg, paramOf(found, at));
    } else if (verb === 'iterate' && name === 'next') this.#stepped(record, value);
    else if (verb === 'trap' && name === 'get') this.#read(record, args[0], value);
  }

  /** An object has come or changed; it may be half filled yet. */
  came(record, value) {
    if (this.#expected.has(value)) this.#changed.push(value);
  }

  recheck() {
    while (this.#changed.length > 0) {
      const value = this.#changed.pop();
      this.require(value, this.#expected.get(value));
    }
  }

  /** What a promise has given. */
  settled(record, value) {
    if (this.#promised.has(record)) this.require(value, this.#promised.get(record));
    else if (isObject(value)) this.#settled.set(record, value);
  }

  /** Faults where a value is not as declared; else remembers what is declared of what it holds. */
  require(value, shape) {
    if (!isObject(value) || shape === undefined || shape === null) return;
    if (!this.#fits(value, shape, 0)) this.#session.fault('A value is not of the declared type');
    this.#follow(value, shape, 0);
  }

  #shape(shape) {
    let found = shape ?? null;
    for (let steps = 0; found !== null && found.kind === 'named'; steps += 1)
      found = steps > 9 ? null : (this.types[found.name] ?? null);
    return found;
  }

  /** Another plain value is for the suite to judge; an object could act like one. */
  #fits(value, declared, depth) {
    const shape = this.#shape(declared);
    if (shape === null || !isObject(value) || depth > DEPTH_MAX) return true;
    if (shape === 'value') return false;
    const each = (item, of) => this.#fits(item, of, depth + 1);
    switch (shape.kind) {
      case 'array':
        return (
          isArray(value) &&
          (is.isProxy(value) || shape.of === null || ownItems(value).every((item) => each(item, shape.of)))
        );
      case 'tuple':
        return (
          isArray(value) &&
          (is.isProxy(value) || ownItems(value).every((item, at) => each(item, shape.of[at] ?? null)))
        );
      case 'set':
        return is.isSet(value) && [...setItems(value)].every((item) => each(item, shape.of));
      case 'map':
        return (
          is.isMap(value) &&
          [...mapItems(value)].every(([key, item]) => each(key, shape.keys) && each(item, shape.of))
        );
      case 'either':
        return shape.of.some((one) => each(value, one));
      case 'record':
        return is.isProxy(value) || dataOf(value).every(([, item]) => each(item, shape.of));
      case 'object':
        return (
          is.isProxy(value) ||
          dataOf(value).every(
            ([key, item]) => !Object.hasOwn(shape.members, key) || each(item, shape.members[key]),
          )
        );
      case 'iterates':
        return is.isProxy(value) || !isArray(value) || ownItems(value).every((item) => each(item, shape.of));
      default:
        return KINDS[shape.kind]?.(value) ?? true;
    }
  }

  /** Remembers what is declared of an object's parts. */
  #follow(value, declared, depth) {
    const shape = this.#shape(declared);
    if (shape === null || shape === 'value' || !isObject(value) || depth > DEPTH_MAX) return;
    const record = this.#session.membrane.record(value);
    if (record?.kind === 'x') this.#proxies.set(record, shape);
    if (is.isProxy(value)) return;
    if (shape.kind === 'either') {
      const fitting = shape.of.filter((one) => this.#fits(value, one, depth));
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
    if (shape.kind === 'array') for (const item of ownItems(value)) this.#follow(item, shape.of, depth);
    else if (shape.kind === 'tuple')
      for (const [at, item] of ownItems(value).entries()) this.#follow(item, shape.of[at], depth);
    else if (shape.kind === 'set') for (const item of setItems(value)) this.#follow(item, shape.of, depth);
    else if (shape.kind === 'map')
      for (const [, item] of mapItems(value)) this.#follow(item, shape.of, depth);
    else if (shape.kind === 'record')
      for (const [, item] of dataOf(value)) this.#follow(item, shape.of, depth);
    else if (shape.kind === 'object') {
      for (const [key, item] of dataOf(value))
        if (Object.hasOwn(shape.members, key)) this.#follow(item, shape.members[key], depth);
      this.#members(value, shape);
    }
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
    if (own?.kind === 'p') this.#await(value, own, { kind: 'object', members: { value: of } });
    else this.require(getOwnPropertyDescriptor(value, 'value')?.value, of);
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

const paramOf = ({ params, rest }, at) => (at < params.length ? params[at] : rest);
