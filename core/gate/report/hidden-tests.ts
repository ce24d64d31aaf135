/**
 * The part of a locked suite that no builder is told of (gate.md part 12): a table of all that was told answers the other part wrong.
 * Chosen by the suite's hash, which no builder sees; every clause and export keeps tests that are told, so that work can be mended.
 */
import type { LockedSuite } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import { idKey } from '../test-id.ts';

/** One test of so many is never told. */
const ONE_OF = 4;

type LockedTest = LockedSuite['tests'][number];

/** Keys (`idKey`) of the tests that are never told. They run after all others: no result that is told can know of their calls. */
export function hiddenTests(locked: LockedSuite): ReadonlySet<string> {
  const left = new Map<string, number>();
  for (const test of locked.tests)
    for (const about of aboutOf(test)) left.set(about, (left.get(about) ?? 0) + 1);
  const hidden = new Set<string>();
  for (const candidates of candidatesOf(locked)) {
    for (const test of candidates) {
      if (hidden.size >= Math.floor(locked.tests.length / ONE_OF)) return hidden;
      const abouts = aboutOf(test);
      if (abouts.some((about) => (left.get(about) ?? 0) <= 1)) break;
      for (const about of abouts) left.set(about, (left.get(about) ?? 0) - 1);
      hidden.add(idKey(test.id));
    }
  }
  return hidden;
}

/** The ids themselves, for a runner that can run them last. */
export function hiddenIds(locked: LockedSuite): readonly TestId[] {
  const hidden = hiddenTests(locked);
  return locked.tests.flatMap(({ id }) => (hidden.has(idKey(id)) ? [id] : []));
}

/**
 * Rows of tests, each as far as it goes. Our runner of Python can run any test last; `node:test` runs those of a file as they stand,
 * so that there only the last ones of each file can be hidden.
 */
function candidatesOf({ suiteHash, tests }: LockedSuite): readonly (readonly LockedTest[])[] {
  const ranked = tests
    .map((test) => ({ test, rank: fnv1a(`${suiteHash}\n${idKey(test.id)}`) }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ test }) => test);
  if (tests.every(({ id }) => id.file.endsWith('.py'))) return ranked.map((test) => [test]);
  const files = [...new Set(ranked.map(({ id }) => id.file))];
  return files.map((file) => tests.filter(({ id }) => id.file === file).toReversed());
}

function aboutOf({ clauses, reached }: LockedTest): readonly string[] {
  return [...new Set([...clauses.map((id) => `clause ${id}`), ...reached.map((name) => `export ${name}`)])];
}

/** FNV-1a, 32 bits: it has to be the same on every machine, and need keep no secret but the suite's hash. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  // Its last step leaves equal ends close together.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}
