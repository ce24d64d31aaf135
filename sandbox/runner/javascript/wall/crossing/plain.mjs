/** What crosses the wall by value: primitives, and the objects that both sides have of themselves (gate.md part 10). */
import { builtin } from '../../shared/builtin.mjs';

const { EventEmitter } = builtin('node:events');
const { types } = builtin('node:util');

/** A value that has no form in the encoding. */
export class CannotCross extends Error {}

const MAX_DIGITS = 1_000_000;
const ASSERTION = 'AssertionError';
const { is, getOwnPropertyDescriptor, getPrototypeOf } = Object;

const NUMBERS = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};
const SYMBOLS = new Map();
for (const name of Object.getOwnPropertyNames(Symbol))
  if (typeof Symbol[name] === 'symbol') SYMBOLS.set(name, Symbol[name]);
const SYMBOL_NAMES = new Map([...SYMBOLS].map(([name, value]) => [value, name]));

const INTRINSICS = new Map();
const NAMES = new Map();
for (const name of (
  'Object Function Array Map Set WeakMap WeakSet WeakRef Promise Date RegExp Error EvalError RangeError ReferenceError SyntaxError ' +
  'TypeError URIError AggregateError Symbol Number String Boolean BigInt ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array ' +
  'Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array Buffer URL ' +
  'URLSearchParams EventTarget Event AbortController AbortSignal DOMException TextEncoder TextDecoder Proxy'
).split(' '))
  add(name, globalThis[name]);
add('EventEmitter', EventEmitter);
for (const [name, made] of [
  ['Generator', function* () {}],
  ['AsyncGenerator', async function* () {}],
  ['Async', async () => {}],
]) {
  add(`${name}Function`, getPrototypeOf(made).constructor);
  if (name !== 'Async') note(`${name}.prototype`, getPrototypeOf(made.prototype));
}
note('TypedArray', getPrototypeOf(Uint8Array));
note('TypedArray.prototype', getPrototypeOf(Uint8Array.prototype));

function add(name, value) {
  if (value === undefined) return;
  note(name, value);
  if (value.prototype !== undefined) note(`${name}.prototype`, value.prototype);
}

function note(name, value) {
  INTRINSICS.set(name, value);
  if (!NAMES.has(value)) NAMES.set(value, name);
}

/**
 * Name of an object that both sides have, or undefined. `node:assert` is loaded with the first thing that may be of it: it
 * brings streams with it, which take longer to load than all that is here.
 */
export function intrinsicName(value) {
  const name = NAMES.get(value);
  if (name === undefined && !INTRINSICS.has(ASSERTION) && isAssertion(value)) learnAssertions();
  return name ?? NAMES.get(value);
}

function isAssertion(value) {
  if (types.isProxy(value)) return false;
  const made = typeof value === 'function' ? value : getOwnPropertyDescriptor(value, 'constructor')?.value;
  if (typeof made !== 'function' || types.isProxy(made)) return false;
  return getOwnPropertyDescriptor(made, 'name')?.value === ASSERTION;
}

function learnAssertions() {
  add(ASSERTION, builtin('node:assert').AssertionError);
}

/** JSON form of a primitive other than a symbol. */
export function encodePlain(value) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value) && !is(value, -0)) return value;
      return ['n', is(value, -0) ? '-0' : String(value)];
    case 'undefined':
      return ['u'];
    case 'bigint': {
      const digits = value.toString(16);
      if (digits.length > MAX_DIGITS) throw new CannotCross('a number of too many digits');
      return ['B', digits];
    }
    default:
      return null;
  }
}

/** JSON form of a symbol that has a name, or null. */
export function encodeSymbol(value) {
  const known = SYMBOL_NAMES.get(value);
  if (known !== undefined) return ['y', known];
  const key = Symbol.keyFor(value);
  return key === undefined ? null : ['Y', key];
}

/** Value of a form with one of these tags. @throws {CannotCross} for others. */
export function decodePlain(part) {
  const [tag, text] = part;
  if (tag === 'u') return undefined;
  if (typeof text !== 'string') throw new CannotCross('a form without its text');
  switch (tag) {
    case 'n':
      if (Object.hasOwn(NUMBERS, text)) return NUMBERS[text];
      break;
    case 'B': {
      if (!/^-?[0-9a-f]{1,1000000}$/u.test(text)) break;
      return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
    }
    case 'y':
      if (SYMBOLS.has(text)) return SYMBOLS.get(text);
      break;
    case 'Y':
      return Symbol.for(text);
    case 'I':
      if (!INTRINSICS.has(text) && text.startsWith(ASSERTION)) learnAssertions();
      if (INTRINSICS.has(text)) return INTRINSICS.get(text);
      break;
  }
  throw new CannotCross('a value of an unknown kind');
}
