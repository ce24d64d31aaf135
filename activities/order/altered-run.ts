/** Has the tests of a tree run once more, each of them altered (core/order/counter-proof-runs.ts says how). */
import { edited } from '../../core/gate/code/changed-suite.ts';
import { diceOf } from '../../core/gate/code/dice.ts';
import { greenSteps } from '../../core/order/counter-proof-runs.ts';
import { headlineOf } from '../../core/order/feedback.ts';
import { isTestFile } from '../../core/order/policy.ts';
import type { Dice, Edit } from '../../core/ports/expectations.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import {
  type AlteredRun,
  type AlteredTest,
  type HowOf,
  keyOf,
  outcomesOf,
  passedOf,
} from '../../core/repository/counter-proof.ts';
import { tellsOfPlants } from '../../core/repository/planted-output.ts';
import type { OrderSnapshot } from '../../schemas/order.ts';
import { type Judging, judgeTree } from './judge-tree.ts';

/** Text of tests that is read for it; which files, is drawn. */
const CHARS_MAX = 500_000;

/** Which tree, and which files of it are known to hold tests. */
export interface AlteredTree extends Pick<OrderSnapshot, 'tree' | 'commit'> {
  readonly name: string;
  readonly ran: ReadonlySet<string>;
}

/** One run of the test commands, in which each test was altered in the way that `how` says. */
export async function alteredRun(
  judging: Judging,
  { ran, ...at }: AlteredTree,
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
  const seen = outcome.ran;
  return {
    tests,
    how,
    outcomes: outcomesOf(seen),
    green: greenSteps(outcome),
    told: toldSteps(outcome, tests.values()),
    passed: passedOf(seen),
    problem,
    isLost: report.fault === 'platform',
  };
}

function toldSteps(
  { report, artifacts }: RepositoryOutcome,
  tests: Iterable<AlteredTest>,
): ReadonlySet<string> {
  const all = [...tests];
  const logs = new Map(artifacts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('utf8')]));
  const told = report.commands.filter(({ log }) => tellsOfPlants(logs.get(log) ?? '', all));
  return new Set(told.map(({ name }) => name));
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
