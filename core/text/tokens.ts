/** Token estimate without a tokenizer: for budgets, never for money. */

/** Characters of English text or code that make a token, on the safe side. */
const charsPerToken = 3.5;

/** Estimated tokens of a text; never 0 for a text that is not empty. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

/** Estimated tokens of a value as it is sent: compact JSON. */
export function estimateJsonTokens(value: unknown): number {
  return estimateTokens(JSON.stringify(value));
}
