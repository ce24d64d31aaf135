/** Names that a contract's code gives a suite: what builds values of its classes, and what makes other ones. */
import type { Language } from '../../schemas/ids.ts';
import { declaredName } from './declaration.ts';

export interface OwnNames {
  readonly classes: readonly string[];
  /** Functions: what they give depends on what they are asked. */
  readonly makers: readonly string[];
}

export function ownNames(language: Language, exports: readonly string[]): OwnNames {
  const declared = exports.flatMap((text) => declaredName(language, text) ?? []);
  const of = (kind: string): string[] =>
    declared.filter((each) => each.kind === kind).map(({ name }) => name);
  return { classes: of('class'), makers: of('function') };
}
