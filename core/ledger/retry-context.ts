/** A failure is told by several events: returned, then poisoned or suspended by it. It is remembered once. */
import type { RetryContext } from '../../schemas/chronicle.ts';

/** Characters by which two texts of one failure are compared: the later one may be cut. */
const COMPARED_CHARS = 1000;

/** The list without items that only repeat the one before, perhaps with words around it. */
export function eachFailureOnce(items: readonly RetryContext[]): RetryContext[] {
  return items.reduce<RetryContext[]>((kept, item) => {
    const last = kept.at(-1);
    const isSame =
      last !== undefined &&
      last.attempt === item.attempt &&
      item.error.includes(last.error.slice(0, COMPARED_CHARS));
    return isSame ? kept : [...kept, item];
  }, []);
}
