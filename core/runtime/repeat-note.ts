/** The same failure twice in a row is said so (design part 7). */

/** A line for the model when the reasons did not change since the attempt before. */
export function repeatNote(reasons: readonly string[], lastReasons: string): readonly string[] {
  return reasons.join('\n') === lastReasons
    ? ['These are the same reasons as last time: what you changed did not touch the cause. Try another way.']
    : [];
}
