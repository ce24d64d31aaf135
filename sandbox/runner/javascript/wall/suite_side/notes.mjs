/** The last call of a test, as text of known values: what a counterexample may tell (gate.md part 6). */
import { builtin } from '../../shared/builtin.mjs';
import { nameOf } from '../crossing/kinds.mjs';

const { types } = builtin('node:util');

const MAX_TEXT = 300;
const MAX_ITEMS = 12;
const MAX_DEPTH = 4;
const { getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;

/** {call, result} as bounded text, or null. Runs nothing of the builder's: only own data is looked at. */
export function counterexample(session) {
  const { last } = session;
  if (last === null || !('result' in last)) return null;
  try {
    const name = nameOf(session.membrane.valueOf(last.record) ?? (() => {})) || 'the result';
    const isMethod = typeof last.self === 'object' && last.self !== null;
    const target =
      last.verb === 'new' ? `new ${name}` : isMethod ? `<${className(last.self)}>.${name}` : name;
    const args = last.args.slice(0, MAX_ITEMS).map((item) => show(item, 0));
    const result = last.isThrown ? `throws ${raised(last.result)}` : `returns ${show(last.result, 0)}`;
    return { call: bounded(`${target}(${args.join(', ')})`), result: bounded(result) };
  } catch {
    return null;
  }
}

function raised(value) {
  return types.isNativeError(value) ? className(value) : typeof value;
}

function className(value) {
  const made = getOwnPropertyDescriptor(getPrototypeOf(value) ?? {}, 'constructor')?.value;
  return (typeof made === 'function' && nameOf(made)) || 'object';
}

function show(value, depth) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return '<function>';
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  if (depth >= MAX_DEPTH || types.isProxy(value)) return '<object>';
  if (Array.isArray(value)) return `[${items([...value.slice(0, MAX_ITEMS + 1)], depth)}]`;
  if (types.isDate(value)) return `Date(${Date.prototype.getTime.call(value)})`;
  if (types.isRegExp(value)) return '<RegExp>';
  if (types.isSet(value))
    return `Set {${items([...Set.prototype.values.call(value)].slice(0, MAX_ITEMS + 1), depth)}}`;
  if (types.isMap(value)) {
    const pairs = [...Map.prototype.entries.call(value)].slice(0, MAX_ITEMS);
    return `Map {${pairs.map(([key, item]) => `${show(key, depth + 1)} => ${show(item, depth + 1)}`).join(', ')}}`;
  }
  if (types.isPromise(value)) return '<promise>';
  if (types.isNativeError(value)) return `<${className(value)}>`;
  const shown = keys(value)
    .slice(0, MAX_ITEMS)
    .map((key) => `${key}: ${own(value, key, depth)}`);
  const name = className(value);
  return `${name === 'Object' || name === 'object' ? '' : `${name} `}{${shown.join(', ')}}`;
}

function items(values, depth) {
  const shown = values.slice(0, MAX_ITEMS).map((item) => show(item, depth + 1));
  return shown.join(', ') + (values.length > MAX_ITEMS ? ', ...' : '');
}

function own(value, key, depth) {
  const found = getOwnPropertyDescriptor(value, key);
  return found !== undefined && 'value' in found ? show(found.value, depth + 1) : '<getter>';
}

const bounded = (text) => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`).toWellFormed();
