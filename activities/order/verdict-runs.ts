/** Makes the runs that the verdict on a snapshot asks for (core/order/snapshot-verdict.ts). */
import { matchesAnyGlob } from '../../core/globs.ts';
import { isTestFile, violationFindings } from '../../core/order/policy.ts';
import {
  type JudgedOf,
  type SnapshotAnswer,
  type SnapshotAsk,
  snapshotVerdict,
  type SnapshotVerdict,
} from '../../core/order/snapshot-verdict.ts';
import type { TreeChange, TreeDifference, TreeEntry } from '../../core/ports/git.ts';
import type { RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import { filesOf, outcomesOf } from '../../core/repository/counter-proof.ts';
import type { OrderSnapshot } from '../../schemas/order.ts';
import { alteredRun } from './altered-run.ts';
import { baselineOf } from './baseline.ts';
import { countedSteps, type Judging, judgeTree } from './judge-tree.ts';
import { frozenPlan } from './prepare.ts';

/** What the change did where tests lie. */
interface TestSide {
  /** Of the base, as they were. */
  readonly altered: readonly TreeEntry[];
  readonly added: readonly TreeEntry[];
  /** All of the change, allowed ones too. */
  readonly fresh: readonly TreeEntry[];
  readonly gone: readonly TreeChange[];
}

interface Runs {
  readonly judging: Judging;
  readonly snapshot: OrderSnapshot;
  readonly side: TestSide;
  readonly signal: AbortSignal | undefined;
}

/** The verdict, run by run. */
export async function verdictOf(
  judging: Judging,
  snapshot: OrderSnapshot,
  platformFaults: number,
  signal: AbortSignal | undefined,
): Promise<SnapshotVerdict> {
  const allowed = judging.order.policy.gateEdits;
  const steps = countedSteps((await frozenPlan(judging.folder)).plan);
  const side = await testSide(judging, snapshot, allowed);
  const asks = snapshotVerdict({
    allowed,
    nameless: steps.filter(({ count }) => count.by !== 'reporter').map(({ name }) => name),
    countsTests: steps.length > 0,
    alteredTests: side.altered.length,
    addedTests: side.added.length,
    platformFaults,
  });
  const runs = { judging, snapshot, side, signal };
  let ran: RepositoryOutcome['ran'] = [];
  let step = asks.next();
  while (step.done !== true) {
    const answer = await answered(runs, step.value, ran);
    ran = step.value.kind === 'judge' && step.value.of === 'change' ? (answer.outcome?.ran ?? []) : ran;
    step = asks.next(answer);
  }
  return step.value;
}

async function answered(
  runs: Runs,
  ask: SnapshotAsk,
  ran: RepositoryOutcome['ran'],
): Promise<SnapshotAnswer> {
  const { judging, snapshot, signal } = runs;
  const { tree, commit, before, iteration } = snapshot;
  switch (ask.kind) {
    case 'base':
      return { base: await baselineOf(judging, before, signal) };
    case 'altered': {
      const at = ask.of === 'change' ? { tree, commit } : before;
      const name = `${String(iteration)}-${ask.name}`;
      const known = filesOf(outcomesOf(ran));
      return { altered: await alteredRun(judging, { ...at, name, ran: known }, ask.how, signal) };
    }
    case 'judge':
      return { outcome: await judged(runs, ask.of) };
  }
}

async function judged(
  { judging, snapshot, side, signal }: Runs,
  of: JudgedOf,
): Promise<RepositoryOutcome | null> {
  const { tree, commit, iteration, before, violations } = snapshot;
  const number = String(iteration);
  const mixed = async (on: string, changes: readonly TreeChange[]): Promise<RepositoryOutcome | null> => {
    const made = await judging.workspace.trees.writeFiles(on, changes);
    if (made.status === 'refused') return null;
    const name = `${number}-${of.replace('_', '-')}`;
    return judgeTree(judging, { tree: made.tree, commit, name }, signal);
  };
  switch (of) {
    case 'change': {
      const found = violationFindings(violations);
      return judgeTree(judging, { tree, commit, name: number, found }, signal);
    }
    case 'base_now':
      return judgeTree(judging, { ...before, name: `${number}-base-now` }, signal);
    case 'old_tests':
    case 'old_again': {
      const gone = side.added.map(({ path }): TreeChange => ({ kind: 'delete', path }));
      return mixed(tree, [...gone, ...(await writes(judging, side.altered))]);
    }
    case 'fresh_tests':
      return mixed(before.tree, [...side.gone, ...(await writes(judging, side.fresh))]);
    case 'beside':
      return mixed(before.tree, await writes(judging, side.added));
  }
}

async function writes(
  { workspace: { trees } }: Judging,
  entries: readonly TreeEntry[],
): Promise<TreeChange[]> {
  const made: TreeChange[] = [];
  for (const { path, oid, kind } of entries)
    made.push({ kind: 'write', path, bytes: await trees.readBlob(oid), executable: kind === 'executable' });
  return made;
}

/** What the order allows by name is no part of it: it stays as the change has it. */
async function testSide(
  { workspace: { trees } }: Judging,
  { before, tree }: OrderSnapshot,
  allowed: readonly string[],
): Promise<TestSide> {
  const differences = await trees.diff(before.tree, tree);
  const own = differences.filter(({ path }) => isTestFile(path));
  const added = own.filter((each) => each.before === null && !matchesAnyGlob(allowed, each.path));
  return {
    altered: own.flatMap((each) => entryOf(each.path, each.before)),
    added: added.flatMap((each) => entryOf(each.path, each.after)),
    fresh: own.flatMap((each) => entryOf(each.path, each.after)),
    gone: own.flatMap(({ path, after }) => (after === null ? [{ kind: 'delete' as const, path }] : [])),
  };
}

function entryOf(path: string, entry: TreeDifference['before']): TreeEntry[] {
  const isFile = entry?.kind === 'blob' || entry?.kind === 'executable';
  return isFile ? [{ ...entry, path }] : [];
}
