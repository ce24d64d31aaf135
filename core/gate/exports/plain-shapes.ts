/** Shapes of types that hold no objects: `number`, `'up'`, `-1`. */
import type { PlainType, Shape } from './shape.ts';

const PLAIN: ReadonlySet<string> = new Set('number string boolean bigint symbol undefined null'.split(' '));

/** The shape of a plain type that begins with a token, or null; `next` gives the number behind a minus. */
export function plainShape(token: string, next: () => string): Shape {
  if (PLAIN.has(token)) return { kind: 'plain', of: token as PlainType };
  if (token === 'true' || token === 'false') return { kind: 'literal', of: token === 'true' };
  if (token.startsWith('`')) return { kind: 'plain', of: 'string' };
  if (/^['"]/u.test(token)) return quoted(token);
  const digits = token === '-' ? `-${next()}` : token;
  if (!/^-?\d/u.test(digits)) return null;
  if (digits.endsWith('n')) return { kind: 'plain', of: 'bigint' };
  return { kind: 'literal', of: Number(digits.replaceAll('_', '')) };
}

/** A type that may be left out. */
export function orMissing(shape: Shape): Shape {
  return shape === null ? null : { kind: 'either', of: [shape, { kind: 'plain', of: 'undefined' }] };
}

/** The text itself, unless something in it is spelled another way. */
function quoted(token: string): Shape {
  return token.includes('\\') ? { kind: 'plain', of: 'string' } : { kind: 'literal', of: token.slice(1, -1) };
}
