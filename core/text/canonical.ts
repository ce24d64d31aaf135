/** One text for one value: keys sorted by code unit, no spaces, no undefined. What is hashed and compared. */

/** Plain JSON only. @throws {TypeError} for what JSON cannot hold (NaN, functions, bigints). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The same order, two spaces of indent, a newline at the end: for files that people read. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new TypeError(`Cannot write ${String(value)} as JSON: numbers must be finite`);
  }
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : sorted(item)));
  if (typeof value !== 'object') throw new TypeError(`Cannot write a ${typeof value} as JSON`);
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}
