/** Commands that a person copies from a message into a shell: what is put into them is one word there, whatever it holds. */

/** Words that every shell takes as they are. */
const PLAIN = /^[\p{L}\p{N}_./:@+-][\p{L}\p{N}_./:@=+-]*$/u;

/** One word of a shell: `shop` stays, `my shop` becomes `'my shop'`. */
export function inShell(word: string): string {
  return PLAIN.test(word) ? word : quoted(word);
}

/** One word of a shell, always in quotes: for scripts that we write. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A text with a command in it, each value as one word: typed`a7-rt status ${dir}`. */
export function typed(parts: TemplateStringsArray, ...words: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...words.map((word) => inShell(String(word))));
}
