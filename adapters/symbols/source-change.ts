/** One change of a source, as an operator of its language makes it. */
import type { MutationOperator } from '../../schemas/mutation.ts';
import type { SyntaxNode } from './syntax.ts';

/** Replaces the text of one node. */
export interface Change {
  readonly node: SyntaxNode;
  readonly by: string;
  readonly operator: MutationOperator;
  readonly raises?: string;
}
