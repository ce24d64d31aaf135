// Canonical JSON and hashes, written anew: keys sorted by code unit, no spaces.
import { createHash } from 'node:crypto';

export const GENESIS = `sha256:${'0'.repeat(64)}`;

export function sha256(text) {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort((left, right) => (left < right ? -1 : 1))
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** The value, or undefined where the text is no JSON. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
