/** What `lint-contracts` finds: contracts that can be read and seeded, and that will cost attempts. */
import type { DocumentPath } from '../../../schemas/problems.ts';

export type LintCode =
  | 'dangling_assumption'
  | 'undefined_raise'
  | 'example_type'
  | 'guarantee_contradicts'
  | 'prescribes_implementation'
  | 'vague';

export interface LintFinding {
  readonly code: LintCode;
  readonly nodeId: string;
  /** Place in the document in its normal form. */
  readonly path: DocumentPath;
  readonly message: string;
  readonly suggestion: string;
}
