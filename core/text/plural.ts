/** Counted nouns. */

/** `1 node`, `2 nodes`; `many` where an "s" is not enough: `2 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
