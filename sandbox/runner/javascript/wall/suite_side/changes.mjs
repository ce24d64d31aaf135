/**
 * Which objects of the code's a use may change. What the suite expects is made by the code's own constructors: one that changed a
 * result which was given before would have the suite compare it with itself. So a constructor changes only what it was given, and a
 * readonly member changes only by a use of its own object, of one that was given it or that handed it out.
 */
import { isObject, memberOf } from '../crossing/members.mjs';
import { levelOf } from '../crossing/kinds.mjs';
import { isPrototype } from '../crossing/outgoing.mjs';

const { getOwnPropertyDescriptor, is } = Object;
const FROZEN = 3;
/** Kinds whose frozen form cannot change at all. */
const CLOSED = new Set('oae');
const PARTNERS_MAX = 1000;
const GETTERS_MAX = 100;
const RESULTS_MAX = 20;

export class Changes {
  #session;
  /** Uses that are under way, the innermost last. */
  #uses = [];
  #readonly = [];
  /** Objects with getters of their own, which could answer otherwise once a constructor has run. */
  #getting = new Set();
  #held = new Map();

  constructor(session) {
    this.#session = session;
  }

  begin(record, verb, self, args) {
    this.#uses.push({ record, verb, self, args, given: undefined });
  }

  end() {
    this.#uses.pop();
  }

  came(record, value) {
    if (record.isOwn || record.kind !== 'o' || this.#getting.size >= GETTERS_MAX) return;
    if (isPrototype(value) || gettersOf(value).length === 0) return;
    this.#getting.add(new WeakRef(value));
  }

  /** The answer of a getter that was asked for before a constructor ran, as [answer]. */
  heldBy(record, self) {
    const owner = this.#held.size > 0 ? this.#record(self) : undefined;
    return owner && this.#held.get(`${record.number} ${owner.number}`);
  }

  release() {
    if (this.#held.size > 0) this.#held.clear();
  }

  /**
   * Before a constructor runs: asks objects of its class what they would say now, and keeps to that until a method is called. Those
   * with getters of their own, and what the last call gave; none that the constructor is given.
   */
  hold(record, args, result) {
    const proto = this.#session.membrane.valueOf(record)?.prototype;
    const results = Array.isArray(result) ? result.slice(0, RESULTS_MAX) : [result];
    const live = [...this.#getting].map((ref) => ref.deref() ?? this.#getting.delete(ref));
    const found = [...new Set([...live, ...results])].filter(
      (value) => isObject(value) && isObject(proto) && isPrototypeOf(proto, value),
    );
    if (found.length === 0) return;
    const given = this.#given({ record, verb: 'new', self: undefined, args });
    for (const value of found) {
      const owner = this.#record(value);
      if (owner === undefined || owner.isOwn || owner.isBuilt || given.has(owner)) continue;
      for (const get of [...gettersOf(value), ...hiddenGettersOf(value, this.#session.results)])
        this.#ask(owner, value, get);
    }
  }

  #ask(owner, value, get) {
    const record = this.#record(get);
    const key = `${record?.number} ${owner.number}`;
    if (record === undefined || this.#held.has(key)) return;
    try {
      this.#held.set(key, [Reflect.apply(get, value, [])]);
    } catch {
      // The test will meet it.
    }
  }

  /** Objects that were given together, or that one hands out, may change together from here on. */
  link(record, verb, self, args, value) {
    const owner = verb === 'new' ? value : self;
    if (!isObject(owner)) return;
    const built = verb === 'new' ? this.#record(value) : undefined;
    if (built !== undefined) built.isBuilt = true;
    for (const arg of args) this.#pair(owner, arg);
    if (verb === 'call' && !record.isAccessor) this.#used([owner, ...args]);
    // What a class computes of arguments is a result like any other; what it tells without any is its own state.
    if (verb === 'call' && !(typeof owner === 'function' && args.length > 0)) this.#pair(owner, value);
  }

  /** True for a getter of an object that nothing was done with since the suite built it. */
  isExpected(record, self) {
    const owner = record.isAccessor ? this.#record(self) : undefined;
    return owner?.isBuilt === true && owner.isUsed !== true;
  }

  #used(values) {
    for (const value of values) {
      const record = this.#record(value);
      if (record !== undefined) record.isUsed = true;
    }
  }

  #pair(one, other) {
    const [left, right] = [this.#record(one), this.#record(other)];
    if (left === undefined || right === undefined || left === right) return;
    for (const [from, to] of [
      [left, right],
      [right, left],
    ]) {
      from.partners ??= new Set();
      if (from.partners.size < PARTNERS_MAX) from.partners.add(to);
    }
  }

  #record(value) {
    return isObject(value) ? this.#session.membrane.record(value) : undefined;
  }

  /** Before an object that crossed earlier is changed. Faults where that cannot be. */
  judge(record, value) {
    if (record.isOwn || record.kind === 'f' || this.#uses.length === 0) return;
    if (CLOSED.has(record.kind) && levelOf(value) === FROZEN)
      this.#session.fault('A value has changed that was frozen');
    const members = this.#session.results.fixedOf(value);
    const isNew = this.#uses.some(({ verb }) => verb === 'new');
    if ((!isNew && members.length === 0) || this.#isGiven(record)) return;
    if (isNew) this.#session.fault('A constructor has changed an object that was not given to it');
    for (const key of members) {
      const found = getOwnPropertyDescriptor(value, key);
      if (found !== undefined && 'value' in found) this.#readonly.push([value, key, found.value]);
    }
  }

  /** When all of a message is taken: readonly members are as they were. */
  recheck() {
    if (this.#readonly.length === 0) return;
    const seen = this.#readonly.splice(0);
    const isChanged = ([value, key, before]) =>
      before !== undefined && !is(getOwnPropertyDescriptor(value, key)?.value, before);
    if (seen.some(isChanged))
      this.#session.fault('A readonly member has changed without a use of its object');
  }

  #isGiven(record) {
    return this.#uses.some((use) => (use.given ??= this.#given(use)).has(record));
  }

  /** All that can be reached from a use's receiver and arguments. */
  #given({ record, verb, self, args }) {
    const start = [self, ...args].map((value) => this.#record(value));
    if (verb === 'new' || verb === 'trap' || verb === 'iterate') start.push(record);
    const found = new Set(start.filter((each) => each !== undefined));
    for (const each of found) {
      for (const partner of each.partners ?? []) found.add(partner);
      for (const slot of each.slots ?? []) {
        const child = this.#record(slot);
        if (child !== undefined) found.add(child);
      }
    }
    return found;
  }
}

const isPrototypeOf = Function.prototype.call.bind(Object.prototype.isPrototypeOf);

const hiddenGettersOf = (value, results) => results.hiddenOf(value).map((key) => memberOf(value, key).get);

const gettersOf = (value) =>
  Object.values(Object.getOwnPropertyDescriptors(value)).flatMap(({ get }) => get ?? []);
