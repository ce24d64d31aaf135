/** What an object holds itself, read without a call to the code. */
import { builtin } from '../../shared/builtin.mjs';

const { types } = builtin('node:util');
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

export const isObject = (value) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
export const setItems = Function.prototype.call.bind(Set.prototype.values);
export const mapItems = Function.prototype.call.bind(Map.prototype.entries);

/** Items of an array; nothing of the code's stands before them. */
export function ownItems(value) {
  return Array.prototype.slice.call(value);
}

/** Own properties that are no accessors. */
export function dataOf(value) {
  return Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([key, found]) =>
    found.get === undefined && found.set === undefined ? [[key, found.value]] : [],
  );
}

export function memberOf(value, name) {
  for (let each = value; each !== null && !types.isProxy(each); each = getPrototypeOf(each)) {
    const found = getOwnPropertyDescriptor(each, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
