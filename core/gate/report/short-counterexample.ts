/** A counterexample as a builder may read it: what its own code made is cut to shape and 40 characters, so that no result can carry a record of all calls. */
import type { Counterexample } from '../../../schemas/gate-wall.ts';

const CHARS_MAX = 40;
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gu;
const VERB = /^(\w+) ([\s\S]*)$/u;

/** `returns 'aaaa…' (a text, 210 characters)`; texts within the call, which may be earlier results, are cut, too. */
export function shortCounterexample({ call, result }: Counterexample): Counterexample {
  const [, verb = '', value = ''] = VERB.exec(result) ?? [];
  return {
    call: call.replaceAll(TEXT, (text) => (text.length <= CHARS_MAX + 2 ? text : cut(text))),
    result:
      verb === '' || value.length <= CHARS_MAX ? result.slice(0, 2 * CHARS_MAX) : `${verb} ${shown(value)}`,
  };
}

function shown(value: string): string {
  return `${cut(value)} (${shapeOf(value)}, ${String(value.length)} characters)`;
}

function cut(text: string): string {
  return `${text.slice(0, CHARS_MAX)}…`;
}

function shapeOf(value: string): string {
  if (/^["'`]|^[bru]+["']/u.test(value)) return 'a text';
  if (/^[[(]/u.test(value)) return 'a list';
  if (value.startsWith('{')) return 'an object';
  return /^-?\d/u.test(value) ? 'a number' : 'a value';
}
