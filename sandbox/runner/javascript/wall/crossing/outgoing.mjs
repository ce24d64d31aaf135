/**
 * The half of the encoding that tells: each object that crosses has a number in the session, and what it holds travels
 * beside the messages when it has changed since it last did.
 */
import { builtin } from '../../shared/builtin.mjs';
import { flagsOf, formOf, isSame, keysOf, kindOf, lengthOf, levelOf, REMOTE, slotsOf } from './kinds.mjs';
import { CannotCross, encodePlain, encodeSymbol, intrinsicName } from './plain.mjs';
import { encodeBase } from './shapes.mjs';

const { types } = builtin('node:util');
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const MAX_OBJECTS = 200_000;
/** Objects that are compared before each message even if it does not name them: those that were used last. */
const HOT_MAX = 128;
const HOT_SLOTS = 20_000;
const BARE_MAX = 64;
const { ownKeys } = Reflect;

export class Outgoing {
  objects = new Map();
  settled = [];
  drops = [];
  numbers = new WeakMap();
  symbols = new Map();
  next;
  hot = new Set();
  /** Functions without properties of their own, and how many keys they have: compared from when something is put on them. */
  bare = new Map();
  round = 0;
  heap = [];
  queue = [];
  undo = [];
  isWeak;
  /** Grows with each test; dead functions that a test names again live through it. */
  era = 0;
  hasDead = false;
  gone = new FinalizationRegistry((number) => this.collected(number));

  /**
   * `parity` of own numbers; `isWeak`: objects are kept only as long as this side uses them, and the other side is told.
   * `use(record, verb, name, self, args)` carries a use of a remote object across; `pull(number)` asks for an object again.
   * Optional: `admit(kind, value, proto)` says which prototype an object that came gets, `admitProps(record, properties)`
   * refuses properties, `isVeiled(value, kind)` says that an error goes without what it holds, `isBare(value)` that a function
   * goes with no more than how many arguments it takes, `onSettled()` hears of a promise,
   * `onNamed(record)` of an object of the other side's that is named to it,
   * `onHanded(error)` of a rejection that the other side is told, `onGiven(error)` of one that it tells,
   * `onChange(record, value)` of a known object before it is changed, `onCame(record, value)` of an object that has come or changed, `onResult(record, value)` of what a promise gives.
   */
  constructor({ parity, isWeak, ...rest }) {
    this.next = parity;
    this.isWeak = isWeak;
    Object.assign(this, { parity, ...rest });
  }

  /** The record of an object that has crossed, or undefined. */
  record(value) {
    return this.numbers.get(value);
  }

  valueOf(record) {
    return record.hold ?? record.ref?.deref();
  }

  // -- encoding ---------------------------------------------------------------------------------------------------

  begin() {
    this.round += 1;
    this.heap = [];
    this.queue = [];
    this.undo = [];
  }

  /** JSON form of a value. @throws {CannotCross} */
  enc = (value) => {
    const plain = value === null ? null : encodePlain(value);
    if (plain !== null || value === null) return plain;
    if (typeof value === 'symbol') return encodeSymbol(value) ?? this.symbol(value);
    const known = this.numbers.get(value);
    if (known !== undefined) {
      if (!known.isOwn) this.onNamed?.(known);
      if (this.hasDead) this.give(known);
      if (known.kind === 'p' && !known.isOwn) this.handOver(known, value);
      if (known.walked !== this.round) this.queue.push(known);
      return ['@', known.number];
    }
    const name = intrinsicName(value);
    if (name !== undefined) return ['I', name];
    if (value === globalThis || value === process) throw new CannotCross('the global object');
    const record = this.register(this.next, value, this.isBare?.(value) ? 'f' : kindOf(value), true);
    record.isBare = record.kind === 'f' && this.isBare?.(value) === true;
    this.next += 2;
    this.undo.push(() => this.forget(record.number));
    record.isNew = true;
    this.queue.push(record);
    return ['@', record.number];
  };

  /** What changed, to travel with a message; ends it. */
  finish() {
    let slots = 0;
    this.wake();
    for (const record of [...this.hot].reverse()) {
      const value = this.valueOf(record);
      if (value === undefined || this.hot.size > HOT_MAX * 2 || slots > HOT_SLOTS) this.hot.delete(record);
      else {
        this.check(record, value);
        slots += record.slots.length;
      }
    }
    for (let at = 0; at < this.queue.length; at += 1) this.walk(this.queue[at]);
    this.undo = [];
    return this.heap;
  }

  /** Forgets a message that could not be encoded. */
  abandon() {
    for (const undo of this.undo.reverse()) undo();
    this.begin();
  }

  walk(record) {
    if (record.walked === this.round) return;
    record.walked = this.round;
    const value = this.valueOf(record);
    if (value === undefined) return;
    if (record.isNew) {
      record.isNew = false;
      record.checked = this.round;
      if (record.kind === 'p') this.watch(record, value);
      if (!REMOTE.has(record.kind) && !record.isBare) record.slots = slotsOf(value, record.kind);
      this.heap.push(this.entry(record, value));
      record.isCold =
        REMOTE.has(record.kind) ||
        record.isBare ||
        isPrototype(value) ||
        types.isModuleNamespaceObject(value) ||
        (record.kind === 'f' && record.slots.length <= 2);
    } else if (!record.isCold) this.check(record, value);
    if (record.isCold) return;
    this.touch(record);
    for (const slot of record.slots) {
      if ((typeof slot !== 'object' || slot === null) && typeof slot !== 'function') continue;
      const child = this.numbers.get(slot);
      if (child !== undefined && !child.isCold && child.walked !== this.round) this.queue.push(child);
    }
  }

  /** A function that a module exports may be given properties later: a count of its calls, what it has kept. */
  attend(value) {
    const record = this.numbers.get(value);
    if (record?.isOwn && record.isCold && record.kind === 'f' && this.bare.size < BARE_MAX)
      this.bare.set(record, ownKeys(value).length);
  }

  /** Takes those into the comparison that have been given any. */
  wake() {
    for (const [record, count] of this.bare) {
      const value = this.valueOf(record);
      if (value !== undefined && ownKeys(value).length === count) continue;
      this.bare.delete(record);
      record.isCold = false;
      if (value !== undefined) this.touch(record);
    }
  }

  /** An object that nobody changes is compared no longer. */
  cool(value) {
    const record = this.numbers.get(value);
    if (record === undefined) return;
    record.isCold = true;
    this.hot.delete(record);
  }

  touch(record) {
    this.hot.delete(record);
    this.hot.add(record);
    if (this.hot.size > HOT_MAX) for (const oldest of this.hot) return this.hot.delete(oldest);
  }

  check(record, value) {
    if (record.checked === this.round || record.isNew) return;
    record.checked = this.round;
    const slots = slotsOf(value, record.kind);
    if (isSame(slots, record.slots)) return;
    const before = record.slots;
    this.undo.push(() => (record.slots = before));
    record.slots = slots;
    this.heap.push(this.entry(record, value));
  }

  entry(record, value) {
    const { number, kind } = record;
    if (record.isBare) return [number, kind, bareBase(value), [], this.enc(bareProto(value)), 0];
    if (REMOTE.has(kind)) return [number, kind, encodeBase(value, kind, this.enc), [], null, 0];
    const props = [];
    if (this.isVeiled?.(value, kind))
      return [number, kind, [], ['message', 1, 'An assertion failed'], ['I', 'Error.prototype'], 0];
    for (const key of keysOf(value, kind)) {
      const found = getOwnPropertyDescriptor(value, key);
      if (found === undefined) continue;
      const flags = flagsOf(found);
      props.push(typeof key === 'string' ? key : this.enc(key), flags);
      if (flags & 8) props.push(this.enc(found.get), this.enc(found.set));
      else props.push(this.enc(found.value));
    }
    const proto = getPrototypeOf(value);
    return [number, kind, encodeBase(value, kind, this.enc), props, this.enc(proto), levelOf(value)];
  }

  symbol(value) {
    let number = this.symbols.get(value);
    if (number === undefined) {
      number = this.next;
      this.next += 2;
      this.symbols.set(value, number);
      this.symbols.set(number, value);
    }
    return ['z', number, String(value.description ?? '').slice(0, 200)];
  }

  watch(record, promise) {
    const settle = (isGood) => (value) => {
      if (!isGood) this.onHanded?.(value);
      this.settled.push([record.number, isGood, value]);
      this.onSettled?.();
    };
    then(promise, settle(1), settle(0));
  }

  /** A promise that goes back to where it came from: from here on its rejection is that side's to handle. */
  handOver(record, promise) {
    if (record.isHandedOver) return;
    record.isHandedOver = true;
    then(promise, undefined, () => {});
  }

  register(number, value, kind, isOwn) {
    if (this.objects.size >= MAX_OBJECTS) throw new CannotCross('too many shared objects');
    const record = { number, kind, isOwn, slots: [], hold: value, ref: undefined, isCold: REMOTE.has(kind) };
    // Own functions are kept: the other side may use them at any time. So are promises, until they are settled.
    if (this.isWeak && !(isOwn && (kind === 'f' || kind === 'g' || kind === 'x')) && kind !== 'p') {
      record.hold = undefined;
      record.ref = new WeakRef(value);
      this.gone.register(value, number);
    }
    this.objects.set(number, record);
    this.numbers.set(value, record);
    return record;
  }

  collected(number) {
    const record = this.objects.get(number);
    if (record === undefined || this.valueOf(record) !== undefined) return;
    this.forget(number);
    this.drops.push(number);
  }

  /** From here on the functions that this side gives away are those of a test. */
  get mark() {
    return this.next;
  }

  /** Own functions with numbers from `mark` on can be called no longer, nor those that were given again since. */
  retire(mark) {
    this.era += 1;
    for (const record of this.objects.values()) {
      if (!record.isOwn || record.hold === undefined || !(record.number >= mark || record.isAgain)) continue;
      record.isDead = this.hasDead = true;
      record.ref = new WeakRef(record.hold);
      this.gone.register(record.hold, record.number);
      record.hold = undefined;
    }
  }

  /** What a value names that this side gives away is given with it, also where an earlier test had given it. */
  give(record) {
    const found = [record];
    for (const each of found) {
      if (!each.isOwn || each.era === this.era) continue;
      each.era = this.era;
      const value = this.valueOf(each);
      if (each.isDead) Object.assign(each, { hold: value, isDead: false, isAgain: true });
      for (const slot of each.slots) {
        if ((typeof slot !== 'object' || slot === null) && typeof slot !== 'function') continue;
        const child = this.numbers.get(slot);
        if (child !== undefined) found.push(child);
      }
    }
  }

  forget(number) {
    const record = this.objects.get(number);
    if (record === undefined) return;
    const value = this.valueOf(record);
    if (value !== undefined) this.numbers.delete(value);
    this.hot.delete(record);
    this.objects.delete(number);
  }
}

/** A function without its name and its own properties. */
const bareBase = (value) => ['', lengthOf(value), formOf(value)];

/** That a function is async may be asked; nothing else of what it is made from crosses. */
function bareProto(value) {
  const proto = types.isProxy(value) ? null : getPrototypeOf(value);
  return proto !== null && intrinsicName(proto) !== undefined ? proto : Function.prototype;
}

const then = Function.prototype.call.bind(Promise.prototype.then);

/** True for an object that a function makes others from. */
export const isPrototype = (value) =>
  typeof value === 'object' && getOwnPropertyDescriptor(value, 'constructor')?.value?.prototype === value;
