/**
 * Which objects a suite builds of the code's classes and never gives to the code: what it expects. Where a call came after one of
 * them, the code could have answered with what was constructed last; so a second run builds those in another process (twin.mjs). They
 * are known by their place among all that the suite builds. What a class or module is asked without any argument may be
 * about all that the test has built so far (`Item.all()`), so that counts as given.
 */
import { isObject } from '../crossing/members.mjs';

const BUILT_MAX = 10_000;
const DEPTH_MAX = 6;
const { getOwnPropertyDescriptors, getPrototypeOf } = Object;

export class Apart {
  #membrane;
  #built = [];
  #uses = [];
  /** What no call came after yet. */
  #fresh = [];
  /** From where on the running test has built, and up to where that counts as given; null outside of tests. */
  #since = null;
  #asked = 0;

  constructor(membrane) {
    this.#membrane = membrane;
    membrane.onNamed = (record) => this.#named(record);
  }

  /** A use of the code by the suite begins. Gives the place of what it builds. */
  begin(record, verb, self, args, isExported) {
    const isNew = verb === 'new' && isExported && this.#built.length < BUILT_MAX;
    const isRead = record.isAccessor === true && args.length === 0;
    const parts = [];
    const isFree = isNew && args.every((arg) => this.#isFree(arg, parts, 0));
    this.#uses.push({ isFree, isRead });
    if (isNew) {
      const isOutside = this.#since === null;
      const entry = { number: record.number, parts, isFree, isOutside, isGiven: false, isFollowed: false };
      this.#fresh.push(entry);
      return this.#built.push(entry) - 1;
    }
    if (isRead) return -1;
    for (const entry of this.#fresh.splice(0)) entry.isFollowed = true;
    if (verb === 'call' && args.length === 0 && !isInstance(self)) this.#ask();
    return -1;
  }

  /** What the running test has built counts as given. */
  #ask() {
    const { length } = this.#built;
    for (let at = Math.max(this.#since ?? length, this.#asked); at < length; at += 1)
      this.#built[at].isGiven = true;
    this.#asked = length;
  }

  end() {
    this.#uses.pop();
  }

  /** What was built at a place. Who gives an object twice has given it. */
  gave(at, value) {
    const record = at < 0 ? undefined : this.#membrane.record(value);
    if (record === undefined) return;
    if (record.built === undefined) record.built = this.#built[at];
    else record.built.isGiven = this.#built[at].isGiven = true;
  }

  beginTest() {
    this.#since = this.#built.length;
  }

  endTest() {
    this.#since = null;
    this.#fresh = this.#fresh.filter(({ isOutside }) => isOutside);
  }

  /** Places and classes of what was never given, though a call came after it. What is built of others is judged with them. */
  list() {
    const groups = this.#built.map((_each, at) => at);
    const groupOf = (at) => (groups[at] === at ? at : (groups[at] = groupOf(groups[at])));
    const places = new Map(this.#built.map((entry, at) => [entry, at]));
    for (const [at, { parts }] of this.#built.entries())
      for (const part of parts) groups[groupOf(at)] = groupOf(places.get(part));
    const lost = new Set();
    const followed = new Set();
    for (const [at, entry] of this.#built.entries()) {
      if (!entry.isFree || entry.isGiven) lost.add(groupOf(at));
      if (entry.isFollowed) followed.add(groupOf(at));
    }
    return this.#built.flatMap(({ number }, at) =>
      followed.has(groupOf(at)) && !lost.has(groupOf(at)) ? [[at, number]] : [],
    );
  }

  #named(record) {
    const use = this.#uses.at(-1);
    if (record.built !== undefined && use?.isFree !== true && use?.isRead !== true)
      record.built.isGiven = true;
  }

  /** True for what another process can be given as well: plain data of the suite's, and objects that are free themselves. */
  #isFree(value, parts, depth) {
    if (!isObject(value)) return typeof value !== 'symbol';
    const record = this.#membrane.record(value);
    if (record?.built !== undefined) return parts.push(record.built) > 0;
    if (typeof value === 'function' || (record !== undefined && !record.isOwn) || depth > DEPTH_MAX)
      return false;
    if (value instanceof Date) return true;
    if (value instanceof Map || value instanceof Set)
      return [...value].flat(1).every((item) => this.#isFree(item, parts, depth + 1));
    const proto = getPrototypeOf(value);
    if (proto !== Array.prototype && proto !== Object.prototype && proto !== null) return false;
    return Object.values(getOwnPropertyDescriptors(value)).every(
      (found) => 'value' in found && this.#isFree(found.value, parts, depth + 1),
    );
  }
}

const isInstance = (self) => typeof self === 'object' && self !== null;
