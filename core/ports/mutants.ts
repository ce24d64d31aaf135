/** Small changes of a source, made from its syntax (design part 8: what a locked suite notices). */
import type { MutationOperator } from '../../schemas/mutation.ts';

export interface Mutant {
  readonly file: string;
  /** From 1, in the unchanged file. */
  readonly line: number;
  readonly operator: MutationOperator;
  /** What was changed into what, shortened: code of the judged party, for people and managers only. */
  readonly change: string;
  /** The whole file, changed. */
  readonly text: string;
  /** Module-level names that the line serves: its own definition, then those that mention it, nearest first. */
  readonly serves: readonly string[];
  /** The export in whose own text it lies: `name`, or `Class.member`; null outside of both. */
  readonly within: string | null;
  /** The type that a removed `raise` would have raised. */
  readonly raises: string | null;
}
