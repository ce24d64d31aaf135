/** Has green code judged by a suite that expects something else, on the tier that judged it (core/gate/code/changed-suite.ts). */
import { ownNames } from '../../core/contract/own-names.ts';
import {
  countOf,
  drawChanges,
  edited,
  followed,
  followsFinding,
  oncePerTest,
  type ChangedTest,
  type CounterProofFacts,
} from '../../core/gate/code/changed-suite.ts';
import { isPlatform } from '../../core/gate/code/two-judges.ts';
import { isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { diceOf } from '../../core/gate/code/dice.ts';
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { Finding, LockedSuite } from '../../schemas/report.ts';
import type { TestId } from '../../schemas/runner-report.ts';
import { textOf, type JudgeInput } from './judged.ts';
import type { ReportedEnd } from './room.ts';

/** One run of the suite with these files; of these tests, one process each, where `each` names them. */
export type RunWith = (
  name: string,
  files: readonly SandboxFile[],
  each?: readonly TestId[],
) => Promise<ReportedEnd>;

export interface CounterProof extends CounterProofFacts {
  readonly ends: readonly ReportedEnd[];
}

/** A run of a changed suite, with how it ended. */
export interface ChangedEnd extends ReportedEnd {
  readonly changes: readonly ChangedTest[];
}

/** One run in which every test that can be changed expects something else. */
export async function counterProof(
  input: JudgeInput,
  locked: LockedSuite,
  run: RunWith,
): Promise<CounterProof> {
  const changes = changesOf(input, diceFor(input));
  if (changes.length === 0) return { ends: [], finding: null, count: countOf([], locked) };
  const end = await run('suite-changed', withChanges(input.files, changes));
  return proofOf(input, locked, [{ ...end, changes }], run);
}

/** What these runs have shown; a further one where the code's own class may call the changed value equal to what it was. */
export async function proofOf(
  input: JudgeInput,
  locked: LockedSuite,
  runs: readonly ChangedEnd[],
  run: RunWith,
): Promise<CounterProof> {
  const lost = runs.find(({ execution }) => isPlatform(execution));
  if (lost !== undefined) return { ends: runs, finding: findingOf(lost), count: null };
  const count = countOf(runs, locked);
  const found = followed(runs);
  const firm = found.filter(({ doubt }) => doubt === null);
  const doubted = oncePerTest(found.filter(({ doubt }) => doubt !== null));
  if (firm.length > 0 || doubted.length === 0)
    return { ends: runs, finding: followsFinding(runs, firm, locked), count };
  const files = withEdits(input.files, doubted, ({ doubt }) => doubt);
  const second = await run('suite-doubted', files);
  const ends = [...runs, second];
  if (isPlatform(second.execution)) return { ends, finding: findingOf(second), count: null };
  const isSame = new Set(followed([{ ...second, changes: doubted }]));
  const rest = doubted.filter((change) => !isSame.has(change));
  const vague = [...isSame].filter(({ far }) => far !== undefined && far !== null);
  if (rest.length > 0 || vague.length === 0)
    return { ends, finding: followsFinding(runs, rest, locked), count };
  const third = await run(
    'suite-far',
    withEdits(input.files, vague, ({ far }) => far ?? null),
  );
  if (isPlatform(third.execution)) return { ends: [...ends, third], finding: findingOf(third), count: null };
  const blind = followed([{ ...third, changes: vague }]);
  return { ends: [...ends, third], finding: followsFinding(runs, blind, locked), count };
}

export function diceFor({ context: { parts } }: JudgeInput): Dice {
  return diceOf(parts.nonce(), (text) => parts.hash(text));
}

export const withChanges = (files: readonly SandboxFile[], changes: readonly ChangedTest[]): SandboxFile[] =>
  withEdits(files, changes, ({ edits }) => edits);

export function findingOf({ execution }: ReportedEnd): Finding | null {
  return execution.kind === 'unusable' ? execution.finding : null;
}

/** One change of each test that has something to change; nobody can foresee which. */
export function changesOf({ context, files }: JudgeInput, dice: Dice): readonly ChangedTest[] {
  const { parts, request } = context;
  const { contract, dependencies = [] } = request;
  const { language } = contract;
  const own = ownNames(
    language,
    [contract, ...dependencies].flatMap(({ interface: { exports } }) => exports),
  );
  return files
    .filter(({ path }) => isSuiteFile(path, contract) && isTestFile(path, language))
    .flatMap((file) => {
      const found = parts.symbols.expectations(language, file.path, textOf(file), own, dice);
      return drawChanges(file.path, found, dice);
    });
}

function withEdits(
  files: readonly SandboxFile[],
  changes: readonly ChangedTest[],
  editsOf: (change: ChangedTest) => readonly Edit[] | Edit | null,
): SandboxFile[] {
  return files.map((file) => {
    const edits = changes
      .filter((change) => change.file === file.path)
      .flatMap((change) => editsOf(change) ?? []);
    if (edits.length === 0) return file;
    return { ...file, bytes: new TextEncoder().encode(edited(textOf(file), edits)) };
  });
}
