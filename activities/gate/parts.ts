/** Has green code that shares its process with the suite judged by suites of which a part is changed (core/gate/code/parts.ts). */
import { followsFinding, isOf } from '../../core/gate/code/changed-suite.ts';
import {
  dealParts,
  drawMissed,
  partFinding,
  isGreenAlone,
  missedIn,
  missedOf,
  type Parts,
  type Missed,
} from '../../core/gate/code/parts.ts';
import { isPlatform } from '../../core/gate/code/two-judges.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import {
  changesOf,
  diceFor,
  findingOf,
  proofOf,
  withChanges,
  type ChangedEnd,
  type CounterProof,
  type RunWith,
} from './changed-suite.ts';
import type { JudgeInput } from './judged.ts';

/** What the suites have shown. */
export interface PartsProof {
  readonly counter: CounterProof;
  /** Finds out about unchanged tests that were red, once it is known that the whole suite is green under these conditions; null where none was. */
  readonly askAlone: (() => Promise<CounterProof>) | null;
}

/** Null where nothing can be changed: then the locked suite itself is run once more. */
export async function partsProof(
  input: JudgeInput,
  locked: LockedSuite,
  run: RunWith,
): Promise<PartsProof | null> {
  const dice = diceFor(input);
  const changes = changesOf(input, dice);
  if (changes.length === 0) return null;
  const parts = dealParts(changes, dice);
  const runs = await Promise.all(
    parts.map(async (part, at): Promise<ChangedEnd> => {
      const end = await run(`suite-part-${String(at + 1)}`, withChanges(input.files, part));
      return { ...end, changes: part };
    }),
  );
  const counter = await proofOf(input, locked, runs, run);
  if (counter.finding !== null) return { counter, askAlone: null };
  const missed = runs.flatMap(({ execution, changes: own }, at) =>
    missedIn(execution, own, locked).map((id) => missedOf(id, at, parts)),
  );
  const askAlone = async (): Promise<CounterProof> =>
    addAlone(counter, drawMissed(missed, dice), { input, locked, run, parts });
  return { counter, askAlone: missed.length === 0 ? null : askAlone };
}

interface Asking {
  readonly input: JudgeInput;
  readonly locked: LockedSuite;
  readonly run: RunWith;
  readonly parts: Parts;
}

async function addAlone(
  counter: CounterProof,
  drawn: readonly Missed[],
  asking: Asking,
): Promise<CounterProof> {
  let ends = counter.ends;
  for (const [number, missed] of drawn.entries()) {
    const found = await aloneOf(missed, number + 1, asking);
    ends = [...ends, ...found.ends];
    if (found.finding !== null)
      return { ends, finding: found.finding, count: found.isLost ? null : counter.count };
  }
  return { ...counter, ends };
}

/** The same test as it was and changed, each alone in a room: it must be green, and not be green. */
async function aloneOf(
  { id, asItWas, changed }: Missed,
  number: number,
  { input, locked, run, parts }: Asking,
): Promise<Pick<CounterProof, 'ends' | 'finding'> & { readonly isLost: boolean }> {
  const ends = await Promise.all(
    [asItWas, ...(changed === null ? [] : [changed])].map((at) =>
      run(`suite-alone-${String(number)}-${String(at + 1)}`, withChanges(input.files, parts[at] ?? []), id),
    ),
  );
  const lost = ends.find(({ execution }) => isPlatform(execution));
  if (lost !== undefined) return { ends, finding: findingOf(lost), isLost: true };
  const [unchanged, ...others] = ends;
  if (unchanged === undefined || !isGreenAlone(unchanged.execution, id))
    return { ends, finding: partFinding(id, locked), isLost: false };
  const own = changed === null ? [] : (parts[changed] ?? []);
  const firm = own.filter((change) => change.doubt === null && isOf(id, change));
  const runs = others.map((end) => ({ ...end, changes: firm }));
  return { ends, finding: followsFinding(runs, firm, locked), isLost: false };
}
