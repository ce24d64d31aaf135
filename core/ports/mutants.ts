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
  /** The type that a removed `raise` would have raised. */
  readonly raises: string | null;
}

/** An export as its declaration says; `Class.member` for members. */
export interface DeclaredExport {
  readonly name: string;
  /** The declared type of what it gives; null where none is declared. */
  readonly returns: string | null;
  readonly isAsync: boolean;
  /** True: that it does nothing is tried even where it gives nothing. */
  readonly isUncalled?: boolean;
}

/** A source in which one export does nothing and always gives the same value of its declared type. */
export interface HardCoded {
  readonly file: string;
  /** Where it is defined in the unchanged file. */
  readonly line: number;
  readonly exportName: string;
  /** The value as source text: ours, nothing of the judged party. */
  readonly value: string;
  readonly text: string;
}
