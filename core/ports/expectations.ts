/** What the tests of a suite expect, as places of its text that can be changed (core/gate/code/changed-suite.ts). */

/** Another text for a part of a file. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** One thing that a test expects, changed so that no code which passes the test as it was can pass it now. */
export interface Expectation {
  readonly nesting: readonly string[];
  readonly name: string;
  /** Which of the tests of this name it is about; null for all of them. */
  readonly ordinals: readonly number[] | null;
  /** What is expected now. */
  readonly edits: readonly Edit[];
  /** Of a table that makes a test of each row: the edits of each. */
  readonly rows?: readonly { readonly ordinal: number; readonly edits: readonly Edit[] }[];
  /**
   * Where what is expected is built by the code's own class: the assertion that it equals what was expected before. A class may
   * call both the same, as one that clamps does; then the change is none.
   */
  readonly doubt: Edit | null;
  /** The assertion that it equals values far from it, too; null where that cannot be said. */
  readonly far?: Edit | null;
  /** A value, which code could learn; a truth is only denied, which shows whether assertions count at all. */
  readonly kind: 'value' | 'truth';
}

/** The next number of a row that nobody can foresee: at least 0, below `count`. */
export type Dice = (count: number) => number;

/** A test of a repository, with what makes it fail whatever the code does (core/repository/counter-proof.ts). */
export interface FailingTest {
  readonly nesting: readonly string[];
  readonly name: string;
  /** Makes it expect something else; null where it spells out nothing that could be changed. */
  readonly value: Pick<Expectation, 'edits' | 'ordinals'> | null;
  /** A failed assertion at its start, in its own words. */
  readonly plant: readonly Edit[];
  /** The same with an assertion that holds: another text of the same test. */
  readonly neutral: readonly Edit[];
  /** False where it is wrapped into something of the repository's own, which may take failures away. */
  readonly isPlain: boolean;
}

/** Every test of a file that can be made to fail; none for a file of a language that is not known. */
export type FailingTestsOf = (file: string, text: string, dice: Dice) => readonly FailingTest[];
