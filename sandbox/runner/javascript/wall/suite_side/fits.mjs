/**
 * Whether a value is of a declared type, from what it holds itself: nothing of the code's is called. An array, a set, an object
 * is looked through; of what is used from afar only the kind is known here.
 */
import { builtin } from '../../shared/builtin.mjs';
import { dataOf, isObject, mapItems, ownItems, setItems } from '../crossing/members.mjs';

const { types: is } = builtin('node:util');
const { isArray } = Array;
const DEPTH_MAX = 60;

const BUILTINS = {
  set: is.isSet,
  map: is.isMap,
  date: is.isDate,
  regexp: is.isRegExp,
  bytes: (value) => ArrayBuffer.isView(value) || is.isAnyArrayBuffer(value),
  function: (value) => typeof value === 'function',
};
/** Lists of what is held in a value of a kind, each with what is declared of it. */
const PARTS = {
  array: (value, { of }) => ownItems(value).map((item) => [item, of]),
  iterates: (value, { of }) => (isArray(value) ? ownItems(value).map((item) => [item, of]) : []),
  tuple: (value, { of }) => ownItems(value).map((item, at) => [item, of[at] ?? null]),
  set: (value, { of }) => [...setItems(value)].map((item) => [item, of]),
  map: (value, { keys, of }) =>
    [...mapItems(value)].flatMap(([key, item]) => [
      [key, keys],
      [item, of],
    ]),
  record: (value, { of }) => dataOf(value).map(([, item]) => [item, of]),
  object: (value, { members }) =>
    dataOf(value).flatMap(([key, item]) => (Object.hasOwn(members, key) ? [[item, members[key]]] : [])),
};

/** The shape that a name stands for. */
export function resolved(shape, types) {
  let found = shape ?? null;
  for (let steps = 0; found !== null && found.kind === 'named'; steps += 1)
    found = steps > 9 ? null : (types[found.name] ?? null);
  return found;
}

/** What is held in a value of a shape: [part, its shape]. */
export function partsOf(value, shape) {
  return PARTS[shape.kind]?.(value, shape) ?? [];
}

/**
 * Null if a value fits a shape, else why not. `isExact` holds plain values against it, too; without it only an object counts that
 * stands where a plain value is declared, since it could act like one.
 */
export function misfit(value, shape, types, isExact) {
  return new Fitting(types, isExact).misfit(value, shape, 0);
}

class Fitting {
  #types;
  #isExact;

  constructor(types, isExact) {
    this.#types = types;
    this.#isExact = isExact;
  }

  misfit(value, declared, depth) {
    const shape = resolved(declared, this.#types);
    if (shape === null || depth > DEPTH_MAX) return null;
    if (shape.kind === 'either') return this.#either(value, shape, depth);
    if (!isObject(value)) return this.#isExact && !isPlainOf(value, shape) ? wrong(value, shape) : null;
    if (shape.kind === 'plain' || shape.kind === 'literal') return wrong(value, shape);
    if ((shape.kind === 'array' || shape.kind === 'tuple') && !isArray(value)) return wrong(value, shape);
    if (BUILTINS[shape.kind]?.(value) === false) return wrong(value, shape);
    if (is.isProxy(value) || shape.of === null) return null;
    for (const [part, of] of partsOf(value, shape)) {
      const found = this.misfit(part, of, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }

  #either(value, shape, depth) {
    const found = shape.of.map((one) => this.misfit(value, one, depth + 1));
    return found.includes(null) ? null : found[0];
  }
}

/** Nothing is of every type, as for TypeScript without `strictNullChecks`: contracts rarely say where there may be none. */
function isPlainOf(value, { kind, of }) {
  if (value === undefined || value === null) return true;
  if (kind === 'literal') return value === of;
  return kind === 'plain' && of === plainName(value);
}

const plainName = (value) => (value === null ? 'null' : typeof value);

function wrong(value, { kind, of }) {
  const found = isObject(value) ? 'an object' : plainName(value);
  const wanted = kind === 'plain' ? of : kind === 'literal' ? JSON.stringify(of) : kind;
  return `${found} where the contract declares ${wanted}`;
}
