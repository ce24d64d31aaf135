/** Has green code judged by a suite that expects something else, on the tier that judged it (core/gate/code/changed-suite.ts). */
import { declaredName } from '../../core/contract/declaration.ts';
import {
  countOf,
  drawChanges,
  edited,
  followed,
  followsFinding,
  type ChangedTest,
  type CounterProofFacts,
} from '../../core/gate/code/changed-suite.ts';
import { isPlatform } from '../../core/gate/code/two-judges.ts';
import { isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { diceOf } from '../../core/gate/code/dice.ts';
import type { Edit } from '../../core/ports/expectations.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { Finding, LockedSuite } from '../../schemas/report.ts';
import { textOf, type JudgeInput } from './judged.ts';
import type { ReportedEnd } from './room.ts';

/** One run of the suite with these files. */
export type RunWith = (name: string, files: readonly SandboxFile[]) => Promise<ReportedEnd>;

export interface CounterProof extends CounterProofFacts {
  readonly ends: readonly ReportedEnd[];
}

/** One run, and a second one where the code's own class may call the changed value equal to what it was. */
export async function counterProof(
  input: JudgeInput,
  locked: LockedSuite,
  run: RunWith,
): Promise<CounterProof> {
  const changes = changesOf(input);
  if (changes.length === 0) return { ends: [], finding: null, count: countOf(null, [], locked) };
  const first = await run(
    'suite-changed',
    withEdits(input.files, changes, ({ edits }) => edits),
  );
  if (isPlatform(first.execution)) return { ends: [first], finding: findingOf(first), count: null };
  const count = countOf(first.execution, changes, locked);
  const found = followed(first.execution, changes);
  const firm = found.filter(({ doubt }) => doubt === null);
  const doubted = found.filter(({ doubt }) => doubt !== null);
  if (firm.length > 0 || doubted.length === 0)
    return { ends: [first], finding: followsFinding(first.execution, firm, locked), count };
  const files = withEdits(input.files, doubted, ({ doubt }) => doubt);
  const second = await run('suite-doubted', files);
  const ends = [first, second];
  if (isPlatform(second.execution)) return { ends, finding: findingOf(second), count: null };
  const isSame = new Set(followed(second.execution, doubted));
  const rest = doubted.filter((change) => !isSame.has(change));
  const vague = [...isSame].filter(({ far }) => far !== undefined && far !== null);
  if (rest.length > 0 || vague.length === 0)
    return { ends, finding: followsFinding(first.execution, rest, locked), count };
  const third = await run(
    'suite-far',
    withEdits(input.files, vague, ({ far }) => far ?? null),
  );
  if (isPlatform(third.execution)) return { ends: [...ends, third], finding: findingOf(third), count: null };
  const blind = followed(third.execution, vague);
  return { ends: [...ends, third], finding: followsFinding(first.execution, blind, locked), count };
}

function findingOf({ execution }: ReportedEnd): Finding | null {
  return execution.kind === 'unusable' ? execution.finding : null;
}

/** One change of each test that has something to change; nobody can foresee which. */
function changesOf({ context, files }: JudgeInput): readonly ChangedTest[] {
  const { parts, request } = context;
  const { contract, dependencies = [] } = request;
  const { language } = contract;
  const classes = [contract, ...dependencies].flatMap(({ interface: { exports } }) =>
    exports.flatMap((text) => {
      const declared = declaredName(language, text);
      return declared?.kind === 'class' ? [declared.name] : [];
    }),
  );
  const dice = diceOf(parts.nonce(), (text) => parts.hash(text));
  return files
    .filter(({ path }) => isSuiteFile(path, contract) && isTestFile(path, language))
    .flatMap((file) => {
      const found = parts.symbols.expectations(language, file.path, textOf(file), classes, dice);
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
