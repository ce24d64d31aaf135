/** A fault in a person's contracts, said with action, rule and value; the loader adds line and column. */
import type { DocumentPath } from '../../schemas/problems.ts';

export interface ContractProblem {
  /** Place in the document in its normal form (`nodes`, index, field ...). */
  readonly path: DocumentPath;
  readonly message: string;
  /** What to write instead, where that can be known. */
  readonly suggestion?: string;
}

/** A problem; leaves `suggestion` out where there is none. */
export function contractProblem(
  path: DocumentPath,
  message: string,
  suggestion?: string | null,
): ContractProblem {
  return suggestion === undefined || suggestion === null ? { path, message } : { path, message, suggestion };
}
