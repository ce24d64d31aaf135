/** Has green code that shares its process with the suite judged by two halves of a changed one (core/gate/code/halves.ts). */
import { followsFinding, isOf } from '../../core/gate/code/changed-suite.ts';
import {
  drawHalves,
  drawMissed,
  halfFinding,
  isGreenAlone,
  missedIn,
  type Halves,
  type Missed,
} from '../../core/gate/code/halves.ts';
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

/** What both halves have shown. */
export interface HalvesProof {
  readonly counter: CounterProof;
  /** Finds out about unchanged tests that were red, once it is known that the whole suite is green under these conditions; null where none was. */
  readonly askAlone: (() => Promise<CounterProof>) | null;
}

/** Null where nothing can be changed: then the locked suite itself is run once more. */
export async function halvesProof(
  input: JudgeInput,
  locked: LockedSuite,
  run: RunWith,
): Promise<HalvesProof | null> {
  const dice = diceFor(input);
  const changes = changesOf(input, dice);
  if (changes.length === 0) return null;
  const halves = drawHalves(changes, dice);
  const runs = await Promise.all(
    halves.map(async (half, at): Promise<ChangedEnd> => {
      const end = await run(`suite-half-${String(at + 1)}`, withChanges(input.files, half));
      return { ...end, changes: half };
    }),
  );
  const counter = await proofOf(input, locked, runs, run);
  if (counter.finding !== null) return { counter, askAlone: null };
  const missed = runs.flatMap(({ execution, changes: own }, at) =>
    missedIn(execution, own, locked).map((id): Missed => ({ id, half: at === 0 ? 0 : 1 })),
  );
  const askAlone = async (): Promise<CounterProof> =>
    addAlone(counter, drawMissed(missed, halves, dice), { input, locked, run, halves });
  return { counter, askAlone: missed.length === 0 ? null : askAlone };
}

interface Asking {
  readonly input: JudgeInput;
  readonly locked: LockedSuite;
  readonly run: RunWith;
  readonly halves: Halves;
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
  { id, half }: Missed,
  number: number,
  { input, locked, run, halves }: Asking,
): Promise<Pick<CounterProof, 'ends' | 'finding'> & { readonly isLost: boolean }> {
  const ends = await Promise.all(
    halves.map((changes, at) =>
      run(`suite-alone-${String(number)}-${String(at + 1)}`, withChanges(input.files, changes), id),
    ),
  );
  const lost = ends.find(({ execution }) => isPlatform(execution));
  if (lost !== undefined) return { ends, finding: findingOf(lost), isLost: true };
  const asItWas = ends[half];
  const isGreen = asItWas !== undefined && isGreenAlone(asItWas.execution, id);
  if (!isGreen) return { ends, finding: halfFinding(id, locked), isLost: false };
  const other = half === 0 ? 1 : 0;
  const firm = halves[other].filter((change) => change.doubt === null && isOf(id, change));
  const runs = ends.slice(other, other + 1).map((end) => ({ ...end, changes: firm }));
  return { ends, finding: followsFinding(runs, firm, locked), isLost: false };
}
