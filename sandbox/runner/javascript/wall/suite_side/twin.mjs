/**
 * A second process of the code, which shares nothing with the one under test: what a suite expects is built there (apart.mjs). Its
 * objects have the classes that the suite knows; what those tell by getters and methods is asked where the object is.
 */
import { isObject } from '../crossing/members.mjs';

const { getOwnPropertyDescriptors } = Object;

export class Twin {
  #main;
  #session;
  /** Places of what is built here, with the number of its class. */
  #places;
  /** The twin's functions by those of the process under test, and the other way round for what objects are made from. */
  #functions = new Map();
  #protos = new Map();

  /** `modules` are pairs of what both processes export. */
  constructor(main, session, places, modules) {
    this.#main = main;
    this.#session = session;
    this.#places = new Map(places);
    for (const [ours, theirs] of modules) this.#pair(ours, theirs);
    for (const [ours, theirs] of modules)
      for (const name of Reflect.ownKeys(ours)) this.#pair(ours[name], theirs[name]);
    const { admit } = session.membrane;
    session.membrane.admit = (...given) => {
      const proto = admit(...given);
      return this.#protos.get(proto) ?? proto;
    };
  }

  #pair(ours, theirs) {
    if (typeof ours !== 'function' || typeof theirs !== 'function') return;
    this.#functions.set(ours, theirs);
    if (!isObject(ours.prototype) || !isObject(theirs.prototype)) return;
    this.#session.declared.add(theirs.prototype);
    this.#protos.set(theirs.prototype, ours.prototype);
    const found = getOwnPropertyDescriptors(theirs.prototype);
    const own = getOwnPropertyDescriptors(ours.prototype);
    // Symbols, too: `[Symbol.toStringTag]`.
    for (const key of Reflect.ownKeys(own)) {
      if (key === 'constructor') continue;
      const { value, get, set } = own[key];
      for (const [mine, its] of [
        [value, found[key]?.value],
        [get, found[key]?.get],
        [set, found[key]?.set],
      ])
        if (typeof mine === 'function' && typeof its === 'function') this.#functions.set(mine, its);
    }
  }

  /** What the twin makes of a use, as [result]; undefined where the process under test is to be asked. */
  answer(at, record, self, args) {
    const isBuilt = at >= 0 && this.#places.get(at) === record.number;
    const { membrane } = this.#session;
    const isHere =
      isObject(self) && membrane.record(self)?.isOwn === false && this.#main.record(self) === undefined;
    if (!isBuilt && !isHere) return undefined;
    const its = this.#functions.get(this.#main.valueOf(record));
    if (its === undefined) return undefined;
    return [isBuilt ? Reflect.construct(its, args) : Reflect.apply(its, self, args)];
  }
}
