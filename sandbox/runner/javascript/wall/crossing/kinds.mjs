/**
 * The kinds of objects that cross the wall, and how each is read and made: its base (what the kind itself holds), its own
 * properties, and its slots, by which a change is seen. Nothing here knows of the other side.
 */
import { builtin } from '../../shared/builtin.mjs';
import { CannotCross, intrinsicName } from './plain.mjs';

const { types } = builtin('node:util');

const { getPrototypeOf, getOwnPropertyDescriptor, isExtensible, hasOwn, is } = Object;
const { ownKeys } = Reflect;
const { isArray } = Array;
const sourceOf = Function.prototype.call.bind(Function.prototype.toString);
export const tagOf = Function.prototype.call.bind(Object.prototype.toString);
const MAX_ITEMS = 1_000_000;
export const HOLE = Symbol('hole');
const INSPECT = Symbol.for('nodejs.util.inspect.custom');
const ITERATORS = new Set(
  'Generator,AsyncGenerator,Array Iterator,Map Iterator,Set Iterator,String Iterator,RegExp String Iterator,Iterator Helper'
    .split(',')
    .map((name) => `[object ${name}]`),
);
/** Builtin prototypes whose methods work on an object that is made with `Object.create`. */
const SAFE = new Set(['Object.prototype', 'EventEmitter.prototype']);
/** Kinds whose builtin behaviour is the suite's own: nothing may stand before it. */
export const CONTAINERS = new Set('amsdrbw');
/** Kinds that are only used from afar. */
export const REMOTE = new Set('xgp');

/** What an object is: a letter. */
export function kindOf(value) {
  if (types.isProxy(value)) return 'x';
  if (typeof value === 'function') return 'f';
  if (isArray(value)) return 'a';
  if (types.isMap(value)) return 'm';
  if (types.isSet(value)) return 's';
  if (types.isDate(value)) return 'd';
  if (types.isRegExp(value)) return 'r';
  if (types.isNativeError(value)) return 'e';
  if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) return 'b';
  if (types.isBoxedPrimitive(value)) return 'w';
  if (types.isPromise(value)) return 'p';
  if (types.isModuleNamespaceObject(value)) return 'o';
  if (types.isGeneratorObject(value) || (ITERATORS.has(tagOf(value)) && typeof value.next === 'function'))
    return 'g';
  return isOrdinary(value) ? 'o' : 'x';
}

function isOrdinary(value) {
  if (typeof getOwnPropertyDescriptor(value, 'constructor')?.value === 'function') return true;
  for (let proto = getPrototypeOf(value); proto !== null; proto = getPrototypeOf(proto)) {
    if (types.isProxy(proto)) return false;
    const name = intrinsicName(proto);
    if (name !== undefined) return SAFE.has(name) || name.endsWith('Error.prototype');
  }
  return true;
}

/** How a function can be used: `class`, `plain` (also with `new`) or `method`. */
export function formOf(value) {
  if (/^class\b/u.test(sourceOf(value).slice(0, 6))) return 'class';
  const isPlain = hasOwn(value, 'prototype') && !types.isGeneratorFunction(value);
  return isPlain ? 'plain' : 'method';
}

/** What an object held when it last crossed: two lists that are equal item by item mean no change. */
export function slotsOf(value, kind) {
  const slots = [levelOf(value)];
  switch (kind) {
    case 'a':
      if (value.length > MAX_ITEMS) throw new CannotCross('an array of too many items');
      slots.push(getPrototypeOf(value), value.length);
      for (let at = 0; at < value.length; at += 1) {
        const item = value[at];
        slots.push(item === undefined && !hasOwn(value, at) ? HOLE : item);
      }
      return slots;
    case 'm':
      slots.push(value.size);
      for (const [key, item] of mapEntries(value)) slots.push(key, item);
      break;
    case 's':
      slots.push(value.size);
      for (const item of setValues(value)) slots.push(item);
      break;
    case 'd':
      slots.push(timeOf(value));
      break;
    case 'r':
      slots.push(value.lastIndex);
      break;
    case 'b':
      slots.push(bytesOf(value).toString('latin1'));
      return slots;
  }
  slots.push(getPrototypeOf(value));
  for (const key of keysOf(value, kind)) {
    const found = getOwnPropertyDescriptor(value, key);
    if (found === undefined) continue;
    slots.push(key, flagsOf(found));
    if (found.get === undefined && found.set === undefined) slots.push(found.value);
    else slots.push(found.get, found.set);
  }
  return slots;
}

/** How far an object is closed: 0 open, 1 no new properties, 2 sealed, 3 frozen. */
export function levelOf(value) {
  if (isExtensible(value)) return 0;
  return Object.isFrozen(value) ? 3 : Object.isSealed(value) ? 2 : 1;
}

/** Closes an object that far. */
export function close(value, level) {
  if (level === 3) Object.freeze(value);
  else if (level === 2) Object.seal(value);
  else if (level === 1) Object.preventExtensions(value);
}

/** True if two lists of slots tell of no change. */
export function isSame(left, right) {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (!is(left[at], right[at])) return false;
  return true;
}

/** Own keys that cross. */
export function keysOf(value, kind) {
  const keys = ownKeys(value);
  switch (kind) {
    case 'a':
      return keys.length === value.length + 1 ? [] : keys.filter((key) => key !== 'length' && !isIndex(key));
    case 'f':
      return keys.filter((key) => isFunctionKey(value, key));
    case 'e':
      return keys.filter((key) => key !== 'stack');
    case 'r':
      return keys.filter((key) => key !== 'lastIndex');
    case 'b':
      return [];
    case 'w':
      return keys.filter((key) => key !== 'length' && !isIndex(key));
    default:
      return keys.includes(INSPECT) ? keys.filter((key) => key !== INSPECT) : keys;
  }
}

const isIndex = (key) => typeof key === 'string' && /^\d+$/u.test(key);

function isFunctionKey(value, key) {
  if (key === 'length' || key === 'name' || key === 'arguments' || key === 'caller' || key === INSPECT)
    return false;
  if (key !== 'prototype') return true;
  const form = formOf(value);
  if (form !== 'plain') return form === 'class';
  const proto = value.prototype;
  const isBare =
    typeof proto === 'object' &&
    proto !== null &&
    getPrototypeOf(proto) === Object.prototype &&
    ownKeys(proto).length === 1;
  return !isBare || /^[A-Z]/u.test(nameOf(value));
}

/** Attributes of a property: 1 not enumerable, 2 read-only, 4 fixed, 8 accessor. */
export function flagsOf(found) {
  const isAccessor = found.get !== undefined || found.set !== undefined;
  return (
    (found.enumerable ? 0 : 1) +
    (found.writable || isAccessor ? 0 : 2) +
    (found.configurable ? 0 : 4) +
    (isAccessor ? 8 : 0)
  );
}

export function nameOf(value) {
  const name = getOwnPropertyDescriptor(value, 'name')?.value;
  return typeof name === 'string' ? name.slice(0, 200) : '';
}

export function lengthOf(value) {
  const length = getOwnPropertyDescriptor(value, 'length')?.value;
  return typeof length === 'number' ? length : 0;
}

// Subclasses may have methods of their own names.
const bind = (method) => Function.prototype.call.bind(method);
export const mapEntries = bind(Map.prototype.entries);
export const setValues = bind(Set.prototype.values);
export const timeOf = bind(Date.prototype.getTime);

/** A view of the bytes of a buffer, or of what a view shows of it. */
export function bytesOf(value) {
  if (types.isArrayBuffer(value)) return Buffer.from(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
