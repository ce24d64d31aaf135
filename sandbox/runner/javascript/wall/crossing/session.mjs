/**
 * The exchange that both sides share: one request is under way at a time, and while it is, the other side may ask back.
 * A request is [0, verb, number, name, self, args], or [5, number, ...args] for a call with nothing but plain values; an answer
 * [1, value], [2, thrown], [3, why a value cannot cross] or [4], which the watch of a call's limit writes. What both sides are told
 * beside it is an object at the end, if there is anything: no form of a value is an object.
 */
import { CannotCross } from './plain.mjs';
import { Membrane } from './membrane.mjs';
import { TooLarge } from './wire.mjs';

const MAX_NESTED = 200;

export class Session {
  /** `options` are those of Membrane without `use` and `pull`. */
  constructor(wire, options) {
    this.wire = wire;
    this.depth = 0;
    this.membrane = new Membrane({
      ...options,
      use: ({ number }, verb, name, self, args) =>
        this.use(this.membrane.objects.get(number) ?? { number }, verb, name, self, args),
      pull: (number) => this.ask('pull', number, '', undefined, []),
    });
  }

  /** Uses an object of the other side. */
  use(record, verb, name, self, args) {
    return this.outcome(this.ask(verb, record.number, name, self, args));
  }

  /** The answer to a request, its objects made known. */
  ask(verb, number, name, self, args) {
    if (this.depth >= MAX_NESTED) throw new CannotCross('calls that are nested too deeply');
    if (verb === 'call' && self === undefined && this.isQuiet() && args.every(isPlain))
      this.wire.send([5, number, ...args]);
    else
      this.wire.send(
        this.encoded(() => [0, verb, number, name, this.membrane.enc(self), args.map(this.membrane.enc)]),
      );
    this.depth += 1;
    try {
      for (;;) {
        const message = this.wire.receive();
        if (message[0] !== 0 && message[0] !== 5) return this.taken(message);
        this.serve(message);
      }
    } finally {
      this.depth -= 1;
    }
  }

  /** Value or exception of an answer. */
  outcome([kind, part]) {
    if (kind === 1) return this.membrane.dec(part);
    if (kind === 2) throw this.membrane.dec(part);
    throw new CannotCross(typeof part === 'string' ? part.slice(0, 300) : 'a message of an unknown kind');
  }

  /** A message with what both sides are told beside it. */
  encoded(make) {
    const { membrane } = this;
    membrane.begin();
    try {
      const parts = make();
      const settled = membrane.settled.map(([number, isGood, value]) => [
        number,
        isGood,
        membrane.enc(value),
      ]);
      const more = this.more(settled);
      const heap = membrane.finish();
      if (heap.length > 0) more.h = heap;
      membrane.settled = [];
      for (const _any in more) return [...parts, more];
      return parts;
    } catch (error) {
      membrane.abandon();
      throw error;
    }
  }

  /** True if a message of plain values is all that there is to tell. */
  isQuiet() {
    const { settled, drops, hot, bare } = this.membrane;
    if (bare.size > 0) this.membrane.wake();
    return settled.length === 0 && drops.length === 0 && hot.size === 0;
  }

  more(settled) {
    const more = {};
    if (settled.length > 0) more.s = settled;
    if (this.membrane.drops.length > 0) more.d = this.membrane.drops.splice(0);
    return more;
  }

  /** Takes what came beside a message. */
  taken(message) {
    const more = beside(message);
    if (more === null) return message;
    for (const number of more.d ?? []) this.membrane.forget(number);
    if (more.h !== undefined) this.membrane.takeHeap(more.h);
    if (more.s !== undefined) this.membrane.takeSettled(more.s);
    return message;
  }

  /** Answers a request that was made while one of ours is under way. */
  serve(message) {
    this.send(() => this.answer(message));
  }

  send(act) {
    let make;
    let plain = null;
    try {
      const value = act();
      if (isPlain(value)) plain = [1, value];
      make = () => [1, this.membrane.enc(value)];
    } catch (error) {
      make = this.thrown(error);
    }
    try {
      this.wire.send(plain !== null && this.isQuiet() ? plain : this.encoded(make));
    } catch (error) {
      if (!(error instanceof CannotCross || error instanceof TooLarge || error instanceof RangeError))
        throw error;
      this.wire.send(this.encoded(() => [3, error.message]));
    }
  }

  thrown(error) {
    return error instanceof CannotCross ? () => [3, error.message] : () => [2, this.membrane.enc(error)];
  }

  /** Carries out what the other side asked for. */
  answer(message) {
    this.taken(message);
    const { dec } = this.membrane;
    const [, verb, number, name, self, args] = message[0] === 5 ? full(message) : message;
    const record = this.membrane.objects.get(number);
    if (record === undefined || !(record.isOwn || verb === 'pull'))
      throw new TypeError('an object that was never given');
    if (verb === 'pull') {
      record.isNew = true;
      return this.membrane.valueOf(record);
    }
    return this.carryOut(record, verb, name, dec(self), args.map(dec));
  }

  carryOut(record, verb, name, self, args) {
    const value = this.membrane.valueOf(record);
    if (record.kind === 'f' || record.kind === 'x') {
      if (verb === 'call') return Reflect.apply(value, self, args);
      if (verb === 'new') return Reflect.construct(value, args);
    }
    if (record.kind === 'g' && verb === 'iterate' && ['next', 'return', 'throw'].includes(name))
      return value[name](...args);
    if (record.kind === 'x' && verb === 'trap' && TRAPS.has(name)) return Reflect[name](value, ...args);
    throw new TypeError('this object cannot be used so');
  }
}

const { isFinite } = Number;
const { is } = Object;
const { isArray } = Array;

/** A value whose form is itself. */
export function isPlain(value) {
  const kind = typeof value;
  return kind === 'number'
    ? isFinite(value) && !is(value, -0)
    : kind === 'string' || kind === 'boolean' || value === null;
}

/** What is told beside a message, or null. */
export function beside(message) {
  const last = message.at(-1);
  return typeof last === 'object' && last !== null && !isArray(last) ? last : null;
}

/** A call with nothing but plain values, as any other request. */
function full([, number, ...args]) {
  if (beside(args) !== null) args.pop();
  return [0, 'call', number, '', undefined, args];
}

const TRAPS = new Set([
  'get',
  'set',
  'has',
  'deleteProperty',
  'getPrototypeOf',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'defineProperty',
]);
