/** Which paths a snapshot's record names, and how many there are. */
import type { OrderSnapshot } from '../../schemas/order.ts';

const NAMED_MAX = 5_000;

/** The first of them by name, and the number where that is not all. */
export function namedChanges(paths: readonly string[]): Pick<OrderSnapshot, 'changed' | 'changedCount'> {
  const changed = paths.slice(0, NAMED_MAX);
  return paths.length === changed.length ? { changed } : { changed, changedCount: paths.length };
}

/** How many paths were changed. */
export function countOfChanges({
  changed,
  changedCount,
}: Pick<OrderSnapshot, 'changed' | 'changedCount'>): number {
  return changedCount ?? changed.length;
}
