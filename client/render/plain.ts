/** Text that somebody else wrote, before it meets a terminal: models, suites and code under test may try to steer it. */

/** Control characters beside new lines and tabs, and what turns the direction of writing round. */
const STEERING = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** What JSON leaves as it is. */
const RAW_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with `?` for what would steer a terminal. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(STEERING, '?');
}

/** The same for every text of a value. */
export function plainOf<T>(value: T): T {
  return plain(value) as T;
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

/** JSON for a program, which a person may see in a terminal, too: the same value, without a character that steers. */
export function jsonText(value: unknown): string {
  const escaped = (each: string): string => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replaceAll(RAW_IN_JSON, escaped);
}
