/** Has green code that shares its process with the suite judged by suites of which a part is changed (core/gate/code/parts.ts). */
import { askedFinding, dealParts, drawMissed, missedIn, type Parts } from '../../core/gate/code/parts.ts';
import { isPlatform } from '../../core/gate/code/two-judges.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import type { TestId } from '../../schemas/runner-report.ts';
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
  readonly askEach: (() => Promise<CounterProof>) | null;
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
  const runs = await runParts('part', parts, input, run);
  const counter = await proofOf(input, locked, runs, run);
  const missed = counter.finding === null ? missedIn(runs, locked) : [];
  if (missed.length === 0) return { counter, askEach: null };
  const asked = drawMissed(missed, dice);
  return {
    counter,
    askEach: async () => {
      const ends = await runParts('each', parts, input, run, asked);
      const lost = ends.find(({ execution }) => isPlatform(execution));
      const all = [...counter.ends, ...ends];
      if (lost !== undefined) return { ends: all, finding: findingOf(lost), count: null };
      return { ...counter, ends: all, finding: askedFinding(ends, asked, locked) };
    },
  };
}

/** Each of the suites in a room of its own. */
async function runParts(
  name: string,
  parts: Parts,
  input: JudgeInput,
  run: RunWith,
  each?: readonly TestId[],
): Promise<ChangedEnd[]> {
  return Promise.all(
    parts.map(async (changes, at): Promise<ChangedEnd> => {
      const end = await run(`suite-${name}-${String(at + 1)}`, withChanges(input.files, changes), each);
      return { ...end, changes };
    }),
  );
}
