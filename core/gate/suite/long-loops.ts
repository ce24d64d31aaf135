/**
 * Loops of a JavaScript or TypeScript suite that call the code so often that no wall could carry it: a crossed call costs some
 * 100 µs, so the honest code of a test that makes a million would meet the test's limit (gate.md part 11). Bounds are read
 * where the text says them; nothing is run.
 */

/** From this many rounds on a suite is judged in one process: a test's limit of 10 s is 60,000 to 100,000 calls. */
export const ROUNDS_MAX = 30_000;

export interface LongLoop {
  readonly rounds: number;
  /** Where the innermost loop begins in the text. */
  readonly index: number;
}

interface Loop {
  readonly rounds: number;
  readonly index: number;
  readonly end: number;
}

const PRODUCT = /^[\d_.e]+(?:\s*\*\s*[\d_.e]+)*$/u;
const FOR = /\bfor\s*\(\s*(?:let|var)\s+(\w+)\s*=\s*[^;]*;\s*(?:\1\s*<=?\s*([^;]+)|[^;]*);/gu;

/** @param code a source whose comments and literals are blanked. */
export function longLoops(code: string): LongLoop[] {
  const loops = [...code.matchAll(FOR)].map((match): Loop => {
    const end = endOfBody(code, endOfHead(code, code.indexOf('(', match.index)));
    return { rounds: valueOf(match[2] ?? '', code), index: match.index, end };
  });
  return loops
    .map((loop) => ({
      index: loop.index,
      rounds: roundsOf(loop, loops),
      body: code.slice(loop.index, loop.end),
    }))
    .filter(({ rounds, body }) => rounds >= ROUNDS_MAX && callsSomething(body))
    .map(({ rounds, index }) => ({ rounds, index }));
}

/** Its own rounds times those of all loops around it. */
function roundsOf(loop: Loop, loops: readonly Loop[]): number {
  const around = loops.filter((other) => other.index < loop.index && loop.end <= other.end);
  return around.reduce((product, other) => product * other.rounds, loop.rounds);
}

/** What a bound of numbers, or of a constant made of them, says; 1 where the text does not say it. */
function valueOf(text: string, code: string): number {
  const bare = text
    .trim()
    .replace(/\s*[-+]\s*\d+$/u, '')
    .trim();
  if (PRODUCT.test(bare))
    return bare.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '').trim()), 1);
  const name = /^\w+$/u.exec(bare)?.[0];
  const set =
    name === undefined ? null : new RegExp(`\\bconst\\s+${name}\\b[^=;\\n]*=([^;\\n]+)`, 'u').exec(code);
  const value = set?.[1]?.trim() ?? '';
  return PRODUCT.test(value) ? valueOf(value, '') : 1;
}

function callsSomething(body: string): boolean {
  return /[\w)\]]\s*\(/u.test(body.slice(body.indexOf('(') + 1));
}

function endOfHead(code: string, open: number): number {
  return closing(code, open, '(', ')');
}

/** A block, or a statement up to its semicolon or line. */
function endOfBody(code: string, from: number): number {
  const start = from + (/^\s*/u.exec(code.slice(from))?.[0].length ?? 0);
  if (code[start] === '{') return closing(code, start, '{', '}');
  const next = /^for\b/u.test(code.slice(start)) ? endOfHead(code, code.indexOf('(', start)) : null;
  if (next !== null) return endOfBody(code, next);
  const stop = code.slice(start).search(/;|\n/u);
  return stop < 0 ? code.length : start + stop + 1;
}

function closing(code: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === open) depth += 1;
    if (code[at] === close && (depth -= 1) === 0) return at + 1;
  }
  return code.length;
}
