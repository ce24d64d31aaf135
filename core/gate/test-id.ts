/** Identity of tests: their text form, sets of them, and what a `covers` entry names (gate.md parts 3 and 4). */
import type { TestId } from '../../schemas/runner-report.ts';

/** `tests/a/test_x.py::Group::name`, with `#2` behind it for the third of equal name. */
export function idText(id: TestId): string {
  const base = [id.file, ...id.nesting, id.name].join('::');
  return id.ordinal === 0 ? base : `${base}#${id.ordinal}`;
}

/** Ids of `left` that `right` lacks. */
export function idsMissing(left: readonly TestId[], right: readonly TestId[]): TestId[] {
  const known = new Set(right.map(idKey));
  return left.filter((id) => !known.has(idKey(id)));
}

/** True when both hold the same ids, in any order. */
export function sameIds(left: readonly TestId[], right: readonly TestId[]): boolean {
  return (
    left.length === right.length &&
    idsMissing(left, right).length === 0 &&
    idsMissing(right, left).length === 0
  );
}

/** Unambiguous key: names may hold `::`. */
export function idKey(id: TestId): string {
  return JSON.stringify([id.file, id.nesting, id.name, id.ordinal]);
}

/** Sorted by their text, so that reports do not depend on the order of running. */
export function sortedIds(ids: readonly TestId[]): TestId[] {
  return ids.toSorted((left, right) => compareText(idKey(left), idKey(right)));
}

/** How closely a `covers` entry names a test: 3 the test, 2 the test with any parameters, 1 its file, 0 the whole suite; null not at all. */
export function coversRank(entry: string, id: TestId): 3 | 2 | 1 | 0 | null {
  if (entry === '*') return 0;
  if (entry === id.file) return 1;
  const text = idText(id);
  if (entry === text || entry === id.name) return 3;
  const plain = text.replace(/(\[.*\])?(#\d+)?$/su, '');
  const named = [plain, id.name.replace(/\[.*\]$/su, ''), [...id.nesting, id.name].join('::')];
  return named.includes(entry) || plain.endsWith(`::${entry}`) ? 2 : null;
}

/** Order by code units: the same on every machine. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
