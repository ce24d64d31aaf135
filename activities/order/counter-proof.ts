/** Has a snapshot that passed run its tests once more, each of them made to fail (core/repository/counter-proof.ts). */
import { matchesAnyGlob } from '../../core/globs.ts';
import { edited } from '../../core/gate/code/changed-suite.ts';
import { diceOf } from '../../core/gate/code/dice.ts';
import { headlineOf } from '../../core/order/feedback.ts';
import { isTestFile } from '../../core/order/policy.ts';
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import {
  type AlteredRun,
  type AlteredTest,
  askedOf,
  type CounterProof,
  filesOf,
  type HowOf,
  keyOf,
  outcomeOf,
  outcomesOf,
  proofNote,
  suspectFinding,
} from '../../core/repository/counter-proof.ts';
import type { OrderSnapshot } from '../../schemas/order.ts';
import { baselineOf } from './baseline.ts';
import { countedSteps, type Judging, judgeTree } from './judge-tree.ts';
import { frozenPlan } from './prepare.ts';

/** Text of tests that is read for it; which files, is drawn. */
const CHARS_MAX = 500_000;

/** Two runs more; up to five where a test is not what it was asked to be. */
export async function counterProof(
  judging: Judging,
  { tree, commit, before, iteration }: OrderSnapshot,
  passed: RepositoryOutcome,
  signal: AbortSignal | undefined,
): Promise<CounterProof> {
  const steps = countedSteps((await frozenPlan(judging.folder)).plan);
  if (steps.length === 0) return { finding: null, note: null };
  const judged = outcomesOf(passed.ran);
  const run = (at: At, name: string, how: HowOf): Promise<AlteredRun> =>
    runAltered(judging, filesOf(judged), { ...at, name: `${String(iteration)}-${name}` }, how, signal);
  const own = (name: string, how: HowOf): Promise<AlteredRun> => run({ tree, commit }, name, how);

  const first = await own('to-fail', ({ value }) => (value === null ? 'plant' : 'value'));
  const allowed = judging.order.policy.gateEdits;
  const asked = askedOf(judged, first).filter(({ file }) => !matchesAnyGlob(allowed, file));
  const greenIn = (of: AlteredRun, from: readonly AlteredTest[] = asked): readonly AlteredTest[] =>
    from.filter((test) => outcomeOf(of, test) === 'green');
  const green = greenIn(first);
  const nameless = steps.filter(({ count }) => count.by !== 'reporter').map(({ name }) => name);
  const silent = first.tests.size === 0 ? [] : nameless.filter((name) => first.green.has(name));
  const isRed = green.length + silent.length === 0 && first.problem === null && asked.length > 0;
  const neutral = (): 'neutral' => 'neutral';
  const lacks = async (name: string, from: readonly AlteredTest[]): Promise<readonly AlteredTest[]> => {
    const still = greenIn(await own(name, neutral), from);
    return from.filter((test) => !still.includes(test));
  };
  const once = isRed ? await lacks('altered', asked) : [];
  const touchy = once.length === 0 ? [] : await lacks('altered-again', once);
  const valued = green.filter((test) => first.how(test) === 'value');
  const planted = valued.length === 0 ? first : await own('planted', () => 'plant');
  const blind = greenIn(planted, green);
  const following = green.filter((test) => !blind.includes(test));
  const suspects = { blind, following, silent, touchy };
  if (green.length + silent.length + touchy.length > 0) {
    const keys = new Set(following.map(keyOf));
    const how: HowOf = (test) => (keys.has(keyOf(test)) && test.value !== null ? 'value' : 'plant');
    const base = await run(before, 'base', touchy.length > 0 ? neutral : how);
    const known = await baselineOf(judging, before, signal);
    const plain = known === null ? null : { outcomes: outcomesOf(known.ran), green: greenSteps(known) };
    const finding = suspectFinding(suspects, judged, base, plain);
    if (finding !== null) return { finding, note: null };
  }
  return { finding: null, note: proofNote(judged, first, suspects, nameless.length > 0) };
}

type At = Pick<OrderSnapshot, 'tree' | 'commit'>;

async function runAltered(
  judging: Judging,
  ran: ReadonlySet<string>,
  at: At & { readonly name: string },
  how: HowOf,
  signal: AbortSignal | undefined,
): Promise<AlteredRun> {
  const tests = new Map<string, AlteredTest>();
  const { parts } = judging.ports;
  const dice = diceOf(parts.nonce(), (text) => parts.hash(text));
  const alter = (files: readonly SandboxFile[]): readonly SandboxFile[] => {
    const found = testsIn(
      files,
      ({ path }) => isTestFile(path) || path.endsWith('.rs') || ran.has(path),
      parts.failingTests,
      dice,
    );
    for (const { tests: each } of found.values()) for (const test of each) tests.set(keyOf(test), test);
    return files.map((file) => {
      const own = found.get(file.path);
      if (own === undefined) return file;
      const edits = own.tests.flatMap((test) => editsOf(test, how(test)));
      return { ...file, bytes: new TextEncoder().encode(edited(own.text, edits)) };
    });
  };
  const outcome = await judgeTree(judging, { ...at, alter }, signal);
  const { report } = outcome;
  const problem = report.fault === 'platform' || outcome.ran.length === 0 ? headlineOf(report) : null;
  return { tests, how, outcomes: outcomesOf(outcome.ran), green: greenSteps(outcome), problem };
}

function editsOf({ value, plant, neutral }: AlteredTest, how: ReturnType<HowOf>): readonly Edit[] {
  if (how === 'neutral') return neutral;
  return how === 'value' && value !== null ? value.edits : plant;
}

/** Files with tests, in a drawn order up to the bound. */
function testsIn(
  files: readonly SandboxFile[],
  isTest: (file: SandboxFile) => boolean,
  failingTests: Judging['ports']['parts']['failingTests'],
  dice: Dice,
): Map<string, { readonly text: string; readonly tests: readonly AlteredTest[] }> {
  const found = new Map<string, { text: string; tests: AlteredTest[] }>();
  const order = files
    .filter(isTest)
    .map((file) => ({ file, rank: dice(1_000_000) }))
    .toSorted((left, right) => left.rank - right.rank);
  let left = CHARS_MAX;
  for (const { file } of order) {
    const text = textOf(file);
    if (text === null || text.length > left) continue;
    const tests = failingTests(file.path, text, dice).map((test) => ({ ...test, file: file.path }));
    if (tests.length === 0) continue;
    left -= text.length;
    found.set(file.path, { text, tests });
  }
  return found;
}

/** Null where it is no UTF-8. */
function textOf({ bytes }: SandboxFile): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function greenSteps({ report, ran }: Pick<RepositoryOutcome, 'report' | 'ran'>): ReadonlySet<string> {
  const red = new Set(report.levels.flatMap(({ findings }) => findings.map(({ step }) => step)));
  return new Set(ran.map(({ step }) => step).filter((step) => !red.has(step)));
}
