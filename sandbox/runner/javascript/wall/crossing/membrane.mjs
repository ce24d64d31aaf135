/**
 * One side's end of the encoding: each object that crosses has a number in the session, both sides hold an object of that
 * number, and what it holds travels beside the messages when it has changed. So identity, cycles and mutation are those of
 * one process. Functions, iterators, promises and what no copy can stand for are used from afar (gate.md part 10).
 */
import { close, keysOf, REMOTE, slotsOf } from './kinds.mjs';
import { isPrototype, Outgoing } from './outgoing.mjs';
import { CannotCross, decodePlain } from './plain.mjs';
import { fillBase, makeShell } from './shapes.mjs';
import { functionStub, iteratorStub, proxyStub } from './stubs.mjs';

const { getPrototypeOf, setPrototypeOf } = Object;
const { isArray } = Array;

/** What is told is in Outgoing; here is what is taken. */
export class Membrane extends Outgoing {
  /** Value of a JSON form. @throws {CannotCross} */
  dec = (part) => {
    if (!isArray(part)) {
      if (typeof part === 'object' && part !== null) throw new CannotCross('a form without a tag');
      return part;
    }
    if (part[0] === '@') return this.#object(part[1]);
    if (part[0] === 'z') return this.#foreignSymbol(part[1], part[2]);
    return decodePlain(part);
  };

  #object(number) {
    const record = this.objects.get(number);
    if (record === undefined) throw new CannotCross('an object that was never given');
    const value = this.valueOf(record);
    if (value !== undefined) return value;
    this.pull(number);
    return this.valueOf(record);
  }

  #foreignSymbol(number, text) {
    if (!Number.isSafeInteger(number) || typeof text !== 'string')
      throw new CannotCross('a symbol without a number');
    let value = this.symbols.get(number);
    if (value === undefined) {
      if (number % 2 === this.parity % 2) throw new CannotCross('a symbol that was never given');
      value = Symbol(text);
      this.symbols.set(value, number);
      this.symbols.set(number, value);
    }
    return value;
  }

  /** Makes or updates the objects of a message. */
  takeHeap(heap) {
    const fresh = [];
    const found = heap.map((entry) => {
      const [number, kind, base] = entry;
      const known = this.objects.get(number);
      let value = known && this.valueOf(known);
      if (known !== undefined && known.kind !== kind) throw new CannotCross('an object of another kind');
      if (value !== undefined) {
        if (known.isOwn && (known.isCold || kind === 'f'))
          throw new CannotCross('an object that is not to be changed');
        this.onChange?.(known, value);
        return [known, value, entry];
      }
      if (known === undefined && (!Number.isSafeInteger(number) || number % 2 === this.parity % 2))
        throw new CannotCross('an object that was never given');
      const record = known ?? { number };
      value = this.#shell(record, kind, base);
      if (known === undefined) Object.assign(record, this.register(number, value, kind, false));
      else this.#revive(record, value);
      const kept = this.objects.get(number);
      kept.resolve = record.resolve;
      fresh.push([kept, value, entry]);
      return [kept, value, entry];
    });
    for (const [record, value, entry] of fresh)
      if (!REMOTE.has(record.kind)) this.#adopt(record, value, entry[4]);
    for (const [record, value, entry] of found)
      if (!REMOTE.has(record.kind)) this.#fill(record, value, entry);
    for (const [record, value] of found) {
      if (REMOTE.has(record.kind)) continue;
      this.onCame?.(record, value);
      record.slots = slotsOf(value, record.kind);
      record.isCold ||= isPrototype(value) || (record.kind === 'f' && record.slots.length <= 2);
      if (!record.isCold) this.touch(record);
    }
  }

  #revive(record, value) {
    record.ref = new WeakRef(value);
    this.numbers.set(value, record);
    this.gone.register(value, record.number);
  }

  #shell(record, kind, base) {
    const use = (verb, name, self, args) => this.use(record, verb, name, self, args);
    switch (kind) {
      case 'f':
        return functionStub(base, use);
      case 'g':
        return iteratorStub(base[0] === 'async', use);
      case 'x':
        return proxyStub(base[0], use);
      case 'p':
        return new Promise((resolve, reject) => (record.resolve = [reject, resolve]));
      default:
        return makeShell(kind, base, this.dec);
    }
  }

  #adopt(record, value, proto) {
    const wanted = this.dec(proto);
    const allowed = this.admit === undefined ? wanted : this.admit(record.kind, value, wanted);
    if (allowed !== getPrototypeOf(value)) setPrototypeOf(value, allowed);
  }

  #fill(record, value, [, kind, base, props, , level]) {
    fillBase(value, kind, base, this.dec);
    const wanted = new Map();
    for (let at = 0; at < props.length;) {
      const key = typeof props[at] === 'string' ? props[at] : this.dec(props[at]);
      const flags = props[at + 1];
      const attributes = { enumerable: !(flags & 1), configurable: !(flags & 4) };
      if (flags & 8)
        wanted.set(key, { ...attributes, get: this.dec(props[at + 2]), set: this.dec(props[at + 3]) });
      else wanted.set(key, { ...attributes, writable: !(flags & 2), value: this.dec(props[at + 2]) });
      at += flags & 8 ? 4 : 3;
    }
    this.admitProps?.(record, wanted);
    const present = keysOf(value, kind);
    const isOrdered =
      present.length <= wanted.size &&
      [...wanted.keys()].every((key, at) => at >= present.length || key === present[at]);
    if (!isOrdered) for (const key of present) if (key !== 'prototype') Reflect.deleteProperty(value, key);
    for (const [key, attributes] of wanted)
      if (!Reflect.defineProperty(value, key, attributes))
        throw new CannotCross('a property that cannot be set');
    close(value, level);
  }

  /** Settles the promises that a message tells of. */
  takeSettled(list) {
    for (const [number, isGood, part] of list) {
      const record = this.objects.get(number);
      if (record?.resolve === undefined) throw new CannotCross('a promise that was never given');
      const [reject, resolve] = record.resolve;
      record.resolve = undefined;
      const value = this.dec(part);
      try {
        if (isGood) this.onResult?.(record, value);
        else this.onGiven?.(value);
      } finally {
        // Who waits for it goes on, also where it is a fault: that was told.
        (isGood ? resolve : reject)(value);
      }
    }
  }
}
