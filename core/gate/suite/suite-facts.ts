/** What is known about a suite when it is judged, and the runs on stubs with an index. */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { StubKind } from '../../../schemas/report.ts';
import type { Covers } from '../../ports/gate.ts';
import type { Clause } from './clauses.ts';
import type { DoubtAbout } from './doubts.ts';
import type { Execution } from '../execution.ts';
import type { ExportFact } from '../exports/export-facts.ts';
import type { OwnFiles } from '../code/outcome-class.ts';
import type { RunnerRun } from '../runner-reading.ts';
import type { Flakiness } from '../code/two-runs.ts';
import { idKey } from '../test-id.ts';

export interface SuiteFacts {
  readonly contract: ResolvedContract;
  readonly clauses: readonly Clause[];
  readonly exports: readonly ExportFact[];
  readonly covers: Covers;
  /** Locked test files: those that must yield ids. */
  readonly testFiles: readonly string[];
  /** Second runs on stubs, under other conditions. */
  readonly collections: readonly { readonly stub: StubKind; readonly execution: Execution }[];
  /** Where a second run differs from the first on a stub; null or absent where all agree. */
  readonly flaky?: (Flakiness & { readonly stub: StubKind }) | null | undefined;
  readonly stubRuns: Readonly<Record<StubKind, Execution>>;
  /** The run that plays every test to its end; where it broke off, it tells nothing. */
  readonly through?: Execution;
  /** Further runs on `wrong` (core/gate/suite/doubts.ts); absent where there was no doubt. */
  readonly doubtRuns?: DoubtRuns;
  /** A node of type `test`: the suite on the real code of its targets, where it must be green; else null. */
  readonly onRealCode: Execution | null;
  /** The author's files. */
  readonly ownFiles: OwnFiles;
}

export type DoubtRuns = Readonly<Partial<Record<DoubtAbout, Execution>>>;

/** The stubs, in the order in which they are reported. */
export const STUBS: readonly StubKind[] = ['raise', 'none', 'wrong'];

export type TestLine = RunnerRun['tests'][number];

/** A run with its tests by key. */
export interface StubRun extends RunnerRun {
  readonly byKey: ReadonlyMap<string, TestLine>;
}

/** The runs on stubs; `further` are those on other values, which may lead a test elsewhere: `Err` where a result was `Ok`. */
export type StubRuns = Readonly<Record<StubKind, StubRun>> & {
  readonly through?: StubRun;
  readonly further?: readonly StubRun[];
};

/** All of them. */
export function everyRun(runs: StubRuns): readonly StubRun[] {
  const { through, further = [] } = runs;
  return [...STUBS.map((stub) => runs[stub]), ...(through === undefined ? [] : [through]), ...further];
}

/** Exports that a test called or read, on whatever stub: an honest test may end before it does so on one of them. */
export function reachedBy(test: Pick<TestLine, 'id'>, runs: StubRuns): readonly string[] {
  const key = idKey(test.id);
  return [...new Set(everyRun(runs).flatMap((run) => run.byKey.get(key)?.reached ?? []))];
}

/** Whether what was reached holds an export. Operators are called where their class is used, without their names. */
export function isAmong(reached: readonly string[], name: string): boolean {
  const owner = UNNAMED.exec(name)?.[1];
  return reached.some(
    (each) =>
      each === name || each.startsWith(`${name}.`) || (owner !== undefined && each.split('.')[0] === owner),
  );
}

const UNNAMED = /^(\w+)\.(?:__\w+__$|\[|(?:next|then|return|throw)$)/u;

/** Adds the index. */
export function indexed(run: RunnerRun): StubRun {
  return { ...run, byKey: new Map(run.tests.map((test) => [idKey(test.id), test])) };
}
