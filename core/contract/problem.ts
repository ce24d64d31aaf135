/** A fault in a person's contracts, said with action, rule and value; the loader adds line and column. */
import type { DocumentPath } from '../../schemas/problems.ts';

export interface ContractProblem {
  /** Place in the document in its normal form (`nodes`, index, field ...). */
  readonly path: DocumentPath;
  readonly message: string;
  /** What to write instead, where that can be known. */
  readonly suggestion?: string;
}

/** `nodes[3].interface.exports[0]`, for people. Empty path: `the document`. */
export function formatPath(path: DocumentPath): string {
  if (path.length === 0) return 'the document';
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** A problem; leaves `suggestion` out where there is none. */
export function contractProblem(
  path: DocumentPath,
  message: string,
  suggestion?: string | null,
): ContractProblem {
  return suggestion === undefined || suggestion === null ? { path, message } : { path, message, suggestion };
}
