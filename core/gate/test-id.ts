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

/**
 * How closely a `covers` entry names a test: 3 the test, 2 the test with any parameters, 1 its group or file, 0 the whole suite; null
 * not at all. People write `group > test`, `group::test`, `group / test`, the bare title, a file or the end of its path.
 */
export function coversRank(entry: string, id: TestId): 3 | 2 | 1 | 0 | null {
  const told = entry.trim();
  if (told === '*') return 0;
  if (told === idText(id) || told === id.name) return 3;
  const plain = id.name.replace(/\[.*\]$/su, '');
  const places = [id.file, ...id.nesting];
  const forms = SEPARATORS.map((separator) => told.split(separator));
  if (forms.some((parts) => [plain, id.name].some((name) => endsWith([...places, name], parts)))) return 2;
  const isGroup = forms.some((parts) =>
    id.nesting.some((_each, at) => endsWith(places.slice(0, at + 2), parts)),
  );
  return isGroup || isFile(told, id.file) ? 1 : null;
}

const SEPARATORS = ['::', /\s*(?:>|›|»)\s*/u, ' / '] as const;

/** Whether `parts` are the last of `all`: a file by the end of its path, and names without their spaces around. */
function endsWith(all: readonly string[], parts: readonly string[]): boolean {
  const last = all.slice(-parts.length);
  return (
    parts.length <= all.length &&
    parts.every((part, at) => {
      const own = last[at] ?? '';
      const isPlace = parts.length === all.length && at === 0;
      return part.trim() === own.trim() || (isPlace && isFile(part.trim(), own));
    })
  );
}

function isFile(told: string, file: string): boolean {
  return (
    told !== '' && (told === file || file.endsWith(`/${told.replace(/^\.\//u, '')}`) || told === `./${file}`)
  );
}

/** Order by code units: the same on every machine. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
