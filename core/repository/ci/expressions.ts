/** Expressions of a CI service in texts and conditions; who evaluates them is given. What no file tells is unknown, and never guessed. */

/** What is known while a workflow is read: the matrix's cell, variables, the event. */
export type CiContext = Readonly<Record<string, unknown>>;

export type Decided =
  { readonly isKnown: true; readonly value: unknown } | { readonly isKnown: false; readonly why: string };

/** Evaluates one expression, without its `${{ }}`. Pure. */
export type Evaluate = (expression: string, context: CiContext) => Decided;

const EXPRESSION = /\$\{\{((?:'(?:[^']|'')*'|[^}']|\}(?!\}))*)\}\}/gu;

/** A text with the values of its expressions in their places. */
export function expandedText(text: string, evaluate: Evaluate, context: CiContext): Decided {
  const unknown: string[] = [];
  const value = text.replaceAll(EXPRESSION, (_, expression: string) => {
    const decided = evaluate(expression.trim(), context);
    if (decided.isKnown) return plainText(decided.value);
    unknown.push(decided.why);
    return '';
  });
  const [why] = unknown;
  return why === undefined ? { isKnown: true, value } : { isKnown: false, why };
}

/** Whether a condition holds; `success()` is implied, since a step that failed ends the judgement. */
export function conditionHolds(
  condition: unknown,
  evaluate: Evaluate,
  context: CiContext,
): { readonly isKnown: true; readonly holds: boolean } | { readonly isKnown: false; readonly why: string } {
  if (typeof condition === 'boolean') return { isKnown: true, holds: condition };
  const text = plainText(condition).trim();
  const whole = /^\$\{\{([\s\S]*)\}\}$/u.exec(text)?.[1] ?? text;
  const decided = evaluate(whole.trim(), context);
  if (!decided.isKnown) return decided;
  const { value } = decided;
  return { isKnown: true, holds: value !== false && value !== null && value !== '' && value !== 0 };
}

/** As the CI service puts values into texts. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
