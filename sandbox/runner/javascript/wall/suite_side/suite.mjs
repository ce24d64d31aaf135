/**
 * The suite's end of the wall: makes calls, serves what they ask back, and names every fault (gate.md parts 10 and 11). A
 * fault is the builder's: the call did not end in time, its process ended, what it sent is no message, a value cannot cross.
 * It is told to `onFault` at once, so that no `catch` of a test can hide it.
 */
import { crossed } from '../../shared/failure.mjs';
import { admit, admitProps, readPlace } from './admit.mjs';
import { Apart } from './apart.mjs';
import { Called } from './called.mjs';
import { Changes } from './changes.mjs';
import { SuiteGlobals } from '../crossing/globals.mjs';
import { Kept } from './kept.mjs';
import { builtin } from '../../shared/builtin.mjs';
import { formOf, keysOf } from '../crossing/kinds.mjs';
import { CannotCross } from '../crossing/plain.mjs';
import { Results } from './results.mjs';
import { beside, Session } from '../crossing/session.mjs';
import { now } from '../../shared/time.mjs';
import { WireEnded, WireError } from '../crossing/wire.mjs';

const { types } = builtin('node:util');
const turn = setImmediate;
const later = setTimeout;
/** Turns of the loop that follow each other at once; then they come at intervals that grow to NAP_MAX_MS. */
const TURNS = 20;
const NAP_MAX_MS = 5;
const NO_WAY_IN = new Set([
  'constructor',
  '__proto__',
  '__defineGetter__',
  '__defineSetter__',
  'caller',
  'callee',
  'arguments',
]);

class A7TestTimeout extends Error {}
class BuilderFault extends Error {}
/** The builder's process ended by itself: what it would have answered is not known. */
class BuilderEnded extends BuilderFault {}

export class SuiteSession extends Session {
  onFault = () => {};
  onStray = () => {};
  dead = null;
  #deadKind = BuilderFault;
  declared = new Set();
  /** Numbers of the functions that the modules of the contracts export. */
  exported = new Set();
  results = new Results(this);
  kept = new Kept(this);
  called = new Called(this.membrane);
  changes = new Changes(this);
  apart = new Apart(this.membrane);
  /** Opened where something is to be built apart. */
  twin = null;
  globals = new SuiteGlobals();
  last = null;
  #callLimitMs;
  #ends = Number.POSITIVE_INFINITY;
  #mark = Number.POSITIVE_INFINITY;
  #toldMs = 0;
  #turns = 0;
  #isPumping = false;
  // What data of the other side's answered: it stays so until something is done there.
  #reads = new Map();

  constructor(wire, callLimitMs) {
    super(wire, {
      parity: 2,
      isWeak: true,
      admit: (kind, value, proto) => admit(this.declared, kind, value, proto),
      admitProps: (record, wanted) =>
        admitProps(this.membrane, this.declared, record, wanted, this.kept.named),
      isBare: isCallback,
      isVeiled: (value, kind) => kind === 'e' && this.kept.isOurs(value),
      onHanded: (error) => this.kept.hand(error),
      onGiven: (error) => this.kept.back(error),
      onSettled: () => this.#pump(),
      onChange: (record, value) => this.changes.judge(record, value),
      onCame: (record, value) => this.#came(record, value),
      onResult: (record, value) => this.results.settled(record, value),
    });
    this.#callLimitMs = callLimitMs;
  }

  #came(record, value) {
    this.results.came(record, value);
    this.changes.came(record, value);
  }

  beginTest(limitMs) {
    this.#ends = now() + limitMs;
    this.#mark = this.membrane.mark;
    this.last = null;
    this.apart.beginTest();
  }

  /** What a test gave away dies with it. */
  endTest() {
    this.#ends = Number.POSITIVE_INFINITY;
    this.membrane.retire(this.#mark);
    this.globals.retell();
    this.apart.endTest();
    this.#mark = Number.POSITIVE_INFINITY;
  }

  use(record, verb, name, self, args) {
    const own = verb === 'trap' ? this.results.builtinOf(record, verb, name, args[0]) : undefined;
    if (own !== undefined) return own;
    const held = this.changes.heldBy(record, self);
    if (held !== undefined) return held[0];
    const place = readPlace(record, verb, name, self, args);
    const at = this.apart.begin(record, verb, self, args, this.exported.has(record.number));
    try {
      const apart = this.twin?.answer(at, record, self, args);
      if (apart !== undefined) return apart[0];
      const value = this.#useHere(place, record, verb, name, self, args);
      this.apart.gave(at, value);
      return value;
    } finally {
      this.apart.end();
    }
  }

  #useHere(place, record, verb, name, self, args) {
    if (place === null) {
      if (this.#reads.size > 0) this.#reads.clear();
      if (verb === 'new') this.#hold(record, args);
      else if (!record.isAccessor) this.changes.release();
    } else if (this.#reads.has(place)) return this.#reads.get(place);
    const value = this.#use(record, verb, name, self, args);
    if (typeof place === 'string') this.#reads.set(place, value);
    return value;
  }

  /** The expected value's own constructor must not change what is compared with it; what is asked here no test has asked. */
  #hold(record, args) {
    const { last } = this;
    this.called.isPaused = true;
    try {
      this.changes.hold(record, args, last?.result);
    } finally {
      this.called.isPaused = false;
      this.last = last;
    }
  }

  #use(record, verb, name, self, args) {
    if (verb === 'new' && self !== undefined) this.fault('A class is derived from one of the code');
    const isExported = this.exported.has(record.number);
    const receiver = !isExported || this.membrane.record(self) !== undefined ? self : undefined;
    const note =
      verb === 'call' || verb === 'new' ? { record, verb, self: receiver, args: args.map(kept) } : null;
    this.called.use(record, self);
    this.results.lend(record, args);
    this.kept.name(args);
    let message;
    this.changes.begin(record, verb, self, args);
    try {
      message = this.ask(verb, record.number, name, receiver, args);
    } finally {
      this.changes.end();
    }
    if (note !== null) this.#note(note, message[0] === 2);
    const value = this.#value(message);
    if (note !== null) {
      note.result = kept(value);
      this.called.gave(value);
      this.changes.link(record, verb, self, args, value);
    }
    this.results.check(record, verb, name, args, value);
    return value;
  }

  /** What a test built after its last call is what it expects of that call: it is told only where its constructor throws. */
  #note(note, isThrown) {
    note.isThrown = isThrown;
    const isExpected = note.verb === 'new' ? !isThrown : this.changes.isExpected(note.record, note.self);
    if (isExpected && this.last?.verb === 'call') return;
    this.last = note;
  }

  ask(verb, number, name, self, args) {
    if (this.dead !== null) this.fault(this.dead, this.#deadKind);
    let message;
    try {
      message = super.ask(verb, number, name, self, args);
    } catch (error) {
      if (error instanceof BuilderFault || error instanceof A7TestTimeout) throw error;
      if (error instanceof CannotCross) this.fault(`A value cannot cross: ${error.message}`);
      this.dead =
        error instanceof WireError
          ? `The builder's process is lost: ${error.message}`
          : "The builder's process sent what is no message";
      if (error instanceof WireEnded) this.#deadKind = BuilderEnded;
      this.fault(this.dead, this.#deadKind);
    }
    this.results.recheck();
    this.changes.recheck();
    const [kind] = message;
    if (verb !== 'step') this.#pump();
    if (kind === 1 || kind === 2) return message;
    if (kind === 3) this.fault(`A result cannot cross: ${String(message[1]).slice(0, 300)}`);
    const isLate = kind === 4;
    this.dead = isLate
      ? 'A call did not end in time'
      : kind === 'died'
        ? "The builder's process ended"
        : 'No message';
    if (kind === 'died') this.#deadKind = BuilderEnded;
    this.fault(this.dead, isLate ? A7TestTimeout : this.#deadKind);
  }

  #value(message) {
    try {
      return this.outcome(message);
    } catch (error) {
      if (message[0] === 1) this.fault(`A result cannot cross: ${error.message}`);
      if (error instanceof CannotCross && !(message[0] === 2 && this.membrane.record(error)))
        this.fault(`An error cannot cross`);
      const record = typeof error === 'object' && error !== null ? this.membrane.record(error) : undefined;
      if (record !== undefined && !record.isOwn) crossed.set(error, message[2]);
      if (typeof error === 'object' && error !== null && record === undefined) crossed.set(error, message[2]);
      this.kept.back(error);
      if (this.last !== null) this.last.result = error;
      throw error;
    }
  }

  /** @throws always, after it was told. */
  fault(text, Kind = BuilderFault) {
    const error = new Kind(text);
    this.onFault(error);
    throw error;
  }

  /** How long a call may last; the other side is told when it is not what it was told last. */
  #leftMs() {
    return Math.max(1, Math.round(Math.min(this.#callLimitMs, this.#ends - now())));
  }

  isQuiet() {
    return super.isQuiet() && this.globals.isQuiet() && this.#leftMs() === this.#toldMs;
  }

  more(settled) {
    const more = super.more(settled);
    const left = this.#leftMs();
    if (left !== this.#toldMs) this.#toldMs = more.l = left;
    const globals = this.globals.tell(this.membrane.enc);
    if (globals !== undefined) more.g = globals;
    return more;
  }

  encoded(make) {
    try {
      return super.encoded(make);
    } catch (error) {
      this.globals.retell();
      throw error;
    }
  }

  taken(message) {
    super.taken(message);
    for (const [part, frames] of beside(message)?.e ?? []) {
      const error = this.membrane.dec(part);
      if (typeof error === 'object' && error !== null) crossed.set(error, frames);
      this.onStray(error);
    }
    return message;
  }

  /** Brings a module of the code in. `how` is import or require. */
  bring(path, how) {
    return this.#value(this.ask('import', 0, path, undefined, [how]));
  }

  // -- what the builder's side asks -------------------------------------------------------------------------------

  carryOut(record, verb, name, self, args) {
    if (record.isDead) return undefined;
    const value = this.membrane.valueOf(record);
    if (verb === 'call') this.results.called(value, args);
    if (record.kind === 'f' && verb === 'new' && formOf(value) !== 'class')
      throw new TypeError('this function cannot be used so');
    if (
      record.kind === 'x' &&
      verb === 'trap' &&
      (name === 'get' || name === 'set') &&
      NO_WAY_IN.has(args[0])
    )
      return undefined;
    try {
      return super.carryOut(record, verb, name, self, args);
    } catch (error) {
      this.kept.hand(error);
      throw error;
    }
  }

  // -- awaiting ---------------------------------------------------------------------------------------------------

  /** The code's loop goes on whenever this one does: at once after a call, then for as long as it has anything to do. */
  #pump() {
    this.#turns = 0;
    if (this.#isPumping || this.depth > 0 || this.dead !== null) return;
    this.#isPumping = true;
    queueMicrotask(() => this.#step());
  }

  #step() {
    this.#isPumping = false;
    this.#reads.clear();
    let isBusy;
    try {
      isBusy = this.step();
    } catch {
      return;
    }
    if (!isBusy && this.membrane.settled.length === 0) return;
    this.#isPumping = true;
    this.#turns += 1;
    if (this.#turns < TURNS) turn(() => this.#step());
    else later(() => this.#step(), Math.min(NAP_MAX_MS, 1 + (this.#turns - TURNS) / 20));
  }

  /** One turn of the code's loop; true if it has more to do. */
  step() {
    return this.#value(this.ask('step', 0, '', undefined, [])) === true;
  }
}

/** A function that is no class: it crosses as its arity only, so that its name, text and properties tell nothing of the suite. */
function isCallback(value) {
  if (typeof value !== 'function') return false;
  return types.isProxy(value) || (formOf(value) !== 'class' && !keysOf(value, 'f').includes('prototype'));
}

/** Values that a call may change are shown as they are later; strings are not kept whole. */
const kept = (value) => (typeof value === 'string' ? value.slice(0, 1000) : value);
