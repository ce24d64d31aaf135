/** The known word that a person probably meant. */

/** The nearest of `words`, if it is near enough to be a slip of the fingers; else null. Ties: the first. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | null = null;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === null || distance < best.distance))
      best = { word: candidate, distance };
  }
  return best?.word ?? null;
}

/** `Did you mean "exports"?`, or undefined. */
export function suggestNearest(word: string, words: readonly string[]): string | undefined {
  const nearest = nearestWord(word, words);
  return nearest === null ? undefined : `Did you mean "${nearest}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
