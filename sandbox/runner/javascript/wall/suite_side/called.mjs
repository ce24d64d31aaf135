/**
 * Which declared exports a test called or read, by what crossed: `name`, `Class` for what was built or read, `Class.member` for
 * methods and properties. What hooks of a group did counts for the first test behind them.
 */
import { builtin } from '../../shared/builtin.mjs';
import { isObject, memberOf } from '../crossing/members.mjs';

const { isProxy } = builtin('node:util').types;
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const NAMES_MAX = 500;
const NAME_MAX = 300;
const CHAIN_MAX = 20;

export class Called {
  #membrane;
  /** What the wall itself asks, no test has. */
  isPaused = false;
  #names = new Set();
  /** Names of functions by their number. */
  #functions = new Map();
  /** Names and declared members of classes, by what their instances are made from. */
  #classes = new Map();

  constructor(membrane) {
    this.#membrane = membrane;
  }

  /** An exported function, class or object; `members` are those that the contract declares. */
  learn(name, value, members) {
    this.#function(value, name);
    const proto = typeof value === 'function' ? getOwnPropertyDescriptor(value, 'prototype')?.value : null;
    if (isObject(proto)) {
      this.#classes.set(proto, { name, members });
      this.#members(proto, name);
    }
    this.#members(value, name);
  }

  #members(value, name) {
    for (const [key, found] of Object.entries(Object.getOwnPropertyDescriptors(value)))
      if (key !== 'constructor') for (const each of usesOf(found)) this.#function(each, `${name}.${key}`);
  }

  #function(value, name) {
    const record = typeof value === 'function' ? this.#membrane.record(value) : undefined;
    if (record === undefined) return;
    if (!this.#functions.has(record.number)) this.#functions.set(record.number, new Set());
    this.#functions.get(record.number).add(name.slice(0, NAME_MAX));
  }

  /** A use of a function of the code, by a test or a hook. */
  use(record, self) {
    for (const name of this.#functions.get(record.number) ?? []) this.#add(name);
    if (isObject(self)) this.#read(self, record);
  }

  /** A value that a call gave. */
  gave(value) {
    if (isObject(value)) this.#read(value, null);
  }

  /** An object's class, the member that was used, and those that are data or a builtin's: no use of them is seen. */
  #read(value, used) {
    let proto = value;
    for (let steps = 0; steps < CHAIN_MAX && (proto = protoOf(proto)) !== null; steps += 1) {
      const known = this.#classes.get(proto);
      if (known === undefined) continue;
      this.#add(known.name);
      for (const key of known.members) {
        const records = usesOf(memberOf(value, key))
          .map((each) => this.#membrane.record(each))
          .filter((record) => record !== undefined);
        if (records.length === 0 || records.includes(used)) this.#add(`${known.name}.${key}`);
      }
    }
  }

  #add(name) {
    if (!this.isPaused && this.#names.size < NAMES_MAX) this.#names.add(name);
  }

  /** Names since this was last asked. */
  take() {
    const found = [...this.#names];
    this.#names.clear();
    return found;
  }
}

const usesOf = (found) => [found?.value, found?.get, found?.set].filter((each) => typeof each === 'function');

/** No proxy is asked for what it is made from: that would cross. */
function protoOf(value) {
  return isProxy(value) ? null : getPrototypeOf(value);
}
