/** Whether a changed value of the code's own class is another one: assertions that say it is the same. */
import type { Edit } from '../../core/ports/expectations.ts';
import { within } from './changed-literal.ts';
import type { SyntaxNode } from './syntax.ts';

/** Instead of each number and each text. */
const FAR = [
  ['0', 'q'],
  ['900719', 'a text of another length'],
] as const;

/** Says of the value and the changed one that they are equal, both ways. */
export const equalHere = (was: string, is: string): string =>
  `(${was}) == (${is}) and not (${was}) != (${is})`;

/** The same of values that no class which tells any two of its values apart calls equal. */
export function equalFar(
  node: SyntaxNode,
  edits: readonly Edit[],
  equal: (was: string, is: string) => string,
): string {
  const far = FAR.map(([number, text]) =>
    within(
      node,
      edits.map((edit) => ({
        ...edit,
        by: /\d/u.test(edit.by) ? number : /^(?:True|False)$/u.test(edit.by) ? edit.by : text,
      })),
    ),
  );
  const [first = '', ...more] = far.map((is) => equal(node.text(), is));
  return [first, ...more.map((each) => each.replace(/^True, /u, ''))].join(' and ');
}
