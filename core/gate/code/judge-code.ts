/**
 * The verdict on a builder's code (gate.md part 5). Pure: facts in, judgement out.
 *  C1. PASS only if every locked id ran, passed, and nothing else was found.
 *  C2. What a finding decides stands in verdict-table.ts alone.
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Finding, GateTier, LockedSuite, TestResult } from '../../../schemas/report.ts';
import type { SuiteWords } from '../suite/contradiction.ts';
import { contradictions, isSuiteSuspect } from './suite-suspect.ts';
import type { Frame, ImpureCall, TestId } from '../../../schemas/runner-report.ts';
import type { Execution } from '../execution.ts';
import { readExamples } from './examples.ts';
import { finding } from '../finding.ts';
import { judgement, type Judgement } from '../judgement.ts';
import {
  exceptionOf,
  failedText,
  importOutcome,
  importText,
  outcomeClass,
  ownPlace,
  type OwnFiles,
} from './outcome-class.ts';
import { endFindings, isEnd } from './process-end.ts';
import type { RunnerRun } from '../runner-reading.ts';
import { uncalledNames } from './uncalled.ts';
import { unstatedMessages } from './unstated-message.ts';
import { bothJudges } from './both-judges.ts';
import type { CounterProofFacts } from './changed-suite.ts';
import { impureRuns } from './purity.ts';
import type { PlainVerdict } from './two-judges.ts';
import { differenceOf, flakyFinding, type Flakiness } from './two-runs.ts';
import { idKey, idsMissing, idText } from '../test-id.ts';

export interface CodeFacts {
  readonly contract: ResolvedContract;
  /** Findings of L0, and what L0 lists without failing it. */
  readonly contractFindings: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Null where the plan has no suite. */
  readonly locked: LockedSuite | null;
  /** Runs of the locked suite: one, or two that must agree. Empty when L0 already decided. */
  readonly runs: readonly Execution[];
  /** How two runs of one kind differ; null or absent where they agree or only one was made. */
  readonly flakiness?: Flakiness | null | undefined;
  /** Behind the wall: what the second judge said. Null or absent in one process. */
  readonly plain?: PlainVerdict | null | undefined;
  /** What a suite that expects something else has shown of green code (changed-suite.ts). */
  readonly counterProof?: CounterProofFacts | undefined;
  /** The run of the contract's examples; null where there are none or L0 already decided. */
  readonly examples: Execution | null;
  /** The limit of one test; absent: not told. */
  readonly testTimeoutMs?: number | undefined;
  /** Default in process. */
  readonly tier?: GateTier;
  /** What stands at a line of the suite; absent: nothing is read of it. */
  readonly suiteWords?: (frame: Frame) => SuiteWords | null;
  /** The builder's files: only lines in them are repeated to it. */
  readonly ownFiles: OwnFiles;
}

export function judgeCode(facts: CodeFacts): Judgement {
  const runs = facts.runs.map((execution) => judgeRun(execution, facts));
  const examples = readExamples(facts.examples, facts.contract, facts.ownFiles);
  if (facts.locked !== null && runs.length === 0 && facts.contractFindings.length === 0) {
    throw new RangeError(
      `Cannot judge code of "${facts.contract.id}": its suite was not run and L0 found nothing`,
    );
  }
  const unread = unreadSources(facts);
  const contractFindings = facts.contractFindings.filter((found) => !unread.includes(found));
  const judges = bothJudges(facts, runs[0] ?? []);
  const isSuspect = !judges.isWallOnly && isSuiteSuspect(contractFindings, runs[0] ?? [], examples.results);
  const findings = [
    ...contractFindings,
    ...(runs[0] ?? []),
    ...judges.findings,
    ...impureRuns(ranInPlain(facts), facts.ownFiles, facts.contractFindings),
    ...(isSuspect ? contradictions(facts) : []),
    ...(judges.isWallOnly ? [] : unstatedMessages(facts, [...contractFindings, ...(runs[0] ?? [])])),
    ...flakiness(facts),
    ...[facts.counterProof?.finding ?? []].flat(),
    ...examples.findings,
  ];
  const uncalled = findings.length === 0 ? uncalledNames(facts.runs, facts.locked) : [];
  const first = facts.runs[0];
  const run = first?.kind === 'complete' ? first.run : null;
  const judged = judgement('code', findings, [...unread, ...facts.warnings, ...judges.warnings], {
    L0: true,
    L1: facts.runs.length > 0 || facts.examples !== null,
  });
  return {
    ...judged,
    suspect: isSuspect ? 'suite' : null,
    tests: run === null ? [] : run.tests.map(testResult),
    ids: {
      locked: facts.locked?.tests.map((test) => test.id) ?? [],
      collected: run === null ? [] : [...run.collected],
      ran: run === null ? [] : run.tests.map((test) => test.id),
    },
    examples: examples.results,
    ...(uncalled.length === 0 ? {} : { uncalled: [...uncalled] }),
    ...(judges.plain === null ? {} : { plain: judges.plain }),
    ...(facts.counterProof?.count ? { counterProof: facts.counterProof.count } : {}),
  };
}

/** Where the code was called as its users call it. */
function ranInPlain({ plain, runs }: CodeFacts): readonly ImpureCall[] {
  const executions = plain ? [plain.execution] : runs;
  return executions.flatMap((each) => (each.kind === 'complete' ? (each.run.impure ?? []) : []));
}

/** Sources that our parser refuses but the language imported: newer syntax than ours is no defect, only unchecked. */
function unreadSources(facts: CodeFacts): readonly Finding[] {
  const imported = facts.runs.length > 0 && facts.runs.every(isCollected);
  return imported ? facts.contractFindings.filter((found) => found.code === 'source_unparsable') : [];
}

function isCollected(execution: Execution): boolean {
  return (
    execution.kind === 'complete' &&
    execution.run.collected.length > 0 &&
    execution.run.collectErrors.length === 0
  );
}

function judgeRun(execution: Execution, facts: CodeFacts): Finding[] {
  if (execution.kind === 'unusable') return [execution.finding];
  const run = execution.run;
  const locked = facts.locked?.tests.map((test) => test.id) ?? [];
  return [
    ...run.collectErrors.map((error) =>
      finding('collection_error', 'L1', importText(error.failure), {
        ...importOutcome(error.failure, facts.contract),
        place: ownPlace(error.failure, facts.ownFiles),
      }),
    ),
    ...idFindings(run, locked),
    ...endFindings(run, facts.tier),
    ...run.tests.filter((test) => !isEnd(test, facts.tier)).flatMap((test) => testFinding(test, facts)),
    ...run.lateErrors.flatMap((error) => lateFinding(error, facts)),
  ];
}

/** Locked, collected and ran must be one set; files that could not be collected explain their own gaps. */
function idFindings(run: RunnerRun, locked: readonly TestId[]): Finding[] {
  const uncollected = new Set(run.collectErrors.map((error) => error.file));
  const ran = run.tests.map((test) => test.id);
  const vanished = [...idsMissing(locked, run.collected), ...idsMissing(run.collected, ran)].filter(
    (id) => !uncollected.has(id.file),
  );
  const added = [...idsMissing(run.collected, locked), ...idsMissing(ran, run.collected)];
  return [
    ...unique(vanished).map((testId) =>
      finding('id_vanished', 'L1', 'A test of the locked suite did not run', { testId }),
    ),
    ...unique(added).map((testId) =>
      finding('id_added', 'L1', 'A test ran that the locked suite does not have', { testId }),
    ),
  ];
}

function testFinding(test: RunnerRun['tests'][number], facts: CodeFacts): Finding[] {
  const testId = test.id;
  switch (test.outcome) {
    case 'passed':
      return [];
    case 'failed':
    case 'error':
      return [
        finding('test_failed', 'L1', failedText(test, facts.contract), {
          testId,
          outcome: outcomeClass(test.failure, facts.contract),
          exceptionType: exceptionOf(test.failure, facts.contract),
          place: ownPlace(test.failure, facts.ownFiles),
          limit: timeLimit(test, facts),
          ...counterexampleOf(test, facts),
        }),
      ];
    case 'xpassed':
      return [
        finding('xpassed', 'L1', `Test "${idText(testId)}" passed though it is marked as expected to fail`, {
          testId,
        }),
      ];
    case 'skipped':
    case 'xfailed':
    case 'todo':
      return [finding('skipped', 'L1', 'A test was skipped that ran on the stubs', { testId })];
  }
}

/** The limit that a test ran into, with what it took. */
function timeLimit(test: RunnerRun['tests'][number], facts: CodeFacts): Finding['limit'] {
  const { testTimeoutMs: value } = facts;
  if (value === undefined || outcomeClass(test.failure, facts.contract) !== 'timed_out') return null;
  return { name: 'test time', value, unit: 'ms', used: Math.round(test.durationMs) };
}

/** Only the trusted side of the wall tells what was called: in process the builder's code could have written it. */
function counterexampleOf(
  test: RunnerRun['tests'][number],
  facts: CodeFacts,
): Pick<Finding, 'counterexample'> {
  const { counterexample } = test;
  return facts.tier === 'glass_wall' && counterexample !== undefined ? { counterexample } : {};
}

function lateFinding(error: RunnerRun['lateErrors'][number], facts: CodeFacts): Finding[] {
  switch (error.reason) {
    case 'uncaught':
      return [
        finding('late_error', 'L1', 'An error was raised outside any test', {
          outcome: 'raised',
          exceptionType: exceptionOf(error.failure, facts.contract) ?? 'other',
          place: ownPlace(error.failure, facts.ownFiles),
        }),
      ];
    case 'refused':
      return [
        finding(
          'id_added',
          'L1',
          'The suite registers something with real code that it did not on the stubs',
        ),
      ];
    case 'internal':
      return [finding('report_broken', 'L1', 'The runner itself failed while it ran the code')];
  }
}

/** Two runs must agree on every outcome (two-runs.ts); a second run that is not usable is no agreement. */
function flakiness(facts: CodeFacts): Finding[] {
  const [first, second] = facts.runs;
  if (facts.flakiness) return [flakyFinding(facts.flakiness)];
  if (first === undefined || second === undefined) return [];
  const difference = differenceOf(first, second);
  if (difference !== null) return [flakyFinding({ tests: difference.tests, cause: 'together' })];
  return first.kind === 'complete' && second.kind === 'unusable' ? [second.finding] : [];
}

function testResult(test: RunnerRun['tests'][number]): TestResult {
  return { id: test.id, outcome: test.outcome, durationMs: test.durationMs, failure: test.failure };
}

function unique(ids: readonly TestId[]): TestId[] {
  return [...new Map(ids.map((id) => [idKey(id), id])).values()];
}
