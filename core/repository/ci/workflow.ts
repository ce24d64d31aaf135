/** A CI workflow as it was read, the files it may use, and what became of each of its steps. */
import type { DocumentPath } from '../../../schemas/problems.ts';
import type { KnownTest } from '../known-tests.ts';
import type { IngestedStep } from './actions.ts';
import type { Evaluate } from './expressions.ts';

export interface Workflow {
  /** Path in the repository. */
  readonly file: string;
  readonly value: unknown;
  readonly lineOf: (path: DocumentPath) => number;
  /** What the CI service itself would refuse. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly evaluate: Evaluate;
}

/** Files of the same repository that a workflow may use. */
export interface LocalFiles {
  /** A composite action or a workflow by its path; null where there is none. */
  readonly read: (path: string) => Workflow | null;
  /** What a script of `package.json` stands for; null where there is none of that name. */
  readonly script: (name: string) => KnownTest | null;
}

/** What became of one step of a workflow. */
export interface Accounted {
  readonly outcome: IngestedStep['outcome'];
  readonly what: string;
  readonly why: string;
  readonly from: string;
}
