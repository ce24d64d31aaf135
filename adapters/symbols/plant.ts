/** What is put in front of the first statement of a test (core/repository/counter-proof.ts). */
import type { Dice, Edit } from '../../core/ports/expectations.ts';

/** A test as it is written, with an assertion that fails at its start, and with one that holds. */
export interface Plant {
  readonly nesting: readonly string[];
  readonly name: string;
  readonly plant: Edit;
  readonly neutral: Edit;
  /** Whether nothing of the repository's own lies around it. */
  readonly isPlain: boolean;
}

/** Two numbers of three digits that are not equal. */
export function twoNumbers(dice: Dice): readonly [string, string] {
  const one = dice(900);
  const other = (one + 1 + dice(899)) % 900;
  return [String(100 + one), String(100 + other)];
}
