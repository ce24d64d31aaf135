/** How an object of each kind is told and made anew: what the kind itself holds, without its own properties. */
import { builtin } from '../../shared/builtin.mjs';
import { bytesOf, formOf, lengthOf, mapEntries, nameOf, setValues, tagOf, timeOf } from './kinds.mjs';
import { CannotCross } from './plain.mjs';

const { types } = builtin('node:util');

const { getPrototypeOf, getOwnPropertyDescriptor, hasOwn, is } = Object;
const { isArray } = Array;

/** What the kind itself holds, encoded. */
export function encodeBase(value, kind, enc) {
  switch (kind) {
    case 'a':
      return Array.from(value, (item, at) => (item === undefined && !hasOwn(value, at) ? ['h'] : enc(item)));
    case 'm':
      return [...mapEntries(value)].flatMap(([key, item]) => [enc(key), enc(item)]);
    case 's':
      return [...setValues(value)].map(enc);
    case 'd':
      return [enc(timeOf(value))];
    case 'r':
      return [value.source, value.flags, value.lastIndex];
    case 'b':
      return [typeName(value), bytesOf(value).toString('base64')];
    case 'w':
      return [enc(value.valueOf())];
    case 'f':
      return [nameOf(value), lengthOf(value), formOf(value)];
    case 'g':
      return [tagOf(value).startsWith('[object Async') ? 'async' : 'sync'];
    case 'x':
      return [typeof value === 'function' ? 'function' : isArray(value) ? 'array' : 'object'];
    default:
      return [];
  }
}

/** A new object of a kind with a base, not yet filled; functions and remote kinds are made elsewhere. */
export function makeShell(kind, base, dec) {
  switch (kind) {
    case 'o':
      return {};
    case 'a':
      return [];
    case 'm':
      return new Map();
    case 's':
      return new Set();
    case 'd':
      return new Date(dec(base[0]));
    case 'r':
      return new RegExp(base[0], base[1]);
    case 'b':
      return binary(base[0], Buffer.from(base[1], 'base64'));
    case 'w':
      return Object(dec(base[0]));
    case 'e':
      return new Error();
    default:
      throw new CannotCross('an object of an unknown kind');
  }
}

/** Puts what the kind itself holds into an object. */
export function fillBase(value, kind, base, dec) {
  switch (kind) {
    case 'a':
      return fillArray(value, base, dec);
    case 'm': {
      const items = base.map(dec);
      mapClear(value);
      for (let at = 0; at < items.length; at += 2) mapSet(value, items[at], items[at + 1]);
      return;
    }
    case 's': {
      const items = base.map(dec);
      setClear(value);
      for (const item of items) setAdd(value, item);
      return;
    }
    case 'd':
      setTime(value, dec(base[0]));
      return;
    case 'r':
      value.lastIndex = base[2];
      return;
    case 'b': {
      const bytes = Buffer.from(base[1], 'base64');
      if (bytes.length !== value.byteLength) throw new CannotCross('bytes of another length');
      bytesOf(value).set(bytes);
    }
  }
}

function fillArray(value, base, dec) {
  if (value.length !== base.length) value.length = base.length;
  for (let at = 0; at < base.length; at += 1) {
    const part = base[at];
    if (isArray(part) && part[0] === 'h') {
      if (hasOwn(value, at)) delete value[at];
      continue;
    }
    const item = dec(part);
    if (!hasOwn(value, at) || !is(value[at], item))
      Object.defineProperty(value, at, { value: item, writable: true, enumerable: true, configurable: true });
  }
}

function binary(type, bytes) {
  if (type === 'Buffer') return Buffer.from(bytes);
  const plain = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  if (type === 'ArrayBuffer') return plain;
  if (type === 'DataView') return new DataView(plain);
  const make = /^(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array$/u.test(type) ? globalThis[type] : undefined;
  if (make === undefined) throw new CannotCross('bytes of an unknown kind');
  return new make(plain);
}

function typeName(value) {
  if (Buffer.isBuffer(value)) return 'Buffer';
  return types.isArrayBuffer(value)
    ? 'ArrayBuffer'
    : types.isTypedArray(value)
      ? typedName(value)
      : 'DataView';
}

const typedName = Function.prototype.call.bind(
  getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get,
);

// Subclasses may have methods of their own names.
const bind = (method) => Function.prototype.call.bind(method);
const setTime = bind(Date.prototype.setTime);
const mapClear = bind(Map.prototype.clear);
const mapSet = bind(Map.prototype.set);
const setClear = bind(Set.prototype.clear);
const setAdd = bind(Set.prototype.add);
