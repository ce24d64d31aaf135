/** Values as texts, so that two runs of a test can be compared (follow.mjs). */
const DEPTH_MAX = 6;
const TEXT_MAX = 2_000;
const LEAVES_MAX = 50;
const PLAIN = new Set([Object.prototype, Array.prototype, Map.prototype, Set.prototype, null]);

/** What a promise of a stub gives: it says so under this name. */
const RESOLVED = Symbol.for('a7.resolved');

export function resolvedOf(value) {
  const promised = typeof value === 'object' && value !== null && RESOLVED in value;
  return promised ? value[RESOLVED] : value;
}

/** Data that tells by itself what it is. */
export function isData(value, depth = 0) {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > DEPTH_MAX || !PLAIN.has(Object.getPrototypeOf(value))) return false;
  return inside(value).every((part) => isData(part, depth + 1));
}

/** The same text for the same data; of what is no data, its kind. */
export function described(value) {
  return isData(value) ? textOf(value).slice(0, TEXT_MAX) : `<${kindOf(value)}>`;
}

/** The texts of all that lies in a value. */
export function leaves(value, depth = 0) {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null || !isData(value)) return [];
  return inside(value)
    .flatMap((part) => [described(part), ...leaves(part, depth + 1)])
    .slice(0, LEAVES_MAX);
}

function inside(value) {
  if (value instanceof Map) return [...value].flat();
  return value instanceof Set ? [...value] : Object.values(value);
}

function textOf(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  const pairs =
    value instanceof Map
      ? [...value]
      : value instanceof Set
        ? [...value].map((each) => [each])
        : Object.entries(value);
  return `{${pairs.map((pair) => pair.map(textOf).join(': ')).join(', ')}}`;
}

function kindOf(value) {
  if (typeof value !== 'object') return typeof value;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' ? name : 'object';
}
