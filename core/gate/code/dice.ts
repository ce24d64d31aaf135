/** Draws that nobody can foresee, and that a seed repeats. */
import type { Dice } from '../../ports/expectations.ts';

const HASH_DIGITS = 12;

/** @param seed drawn for this run. @param hash hexadecimal digits of a text. */
export function diceOf(seed: string, hash: (text: string) => string): Dice {
  let thrown = 0;
  return (count) => {
    thrown += 1;
    const digits = hash(`${seed} ${String(thrown)}`).slice(-HASH_DIGITS);
    return count < 2 ? 0 : Number.parseInt(digits, 16) % count;
  };
}
