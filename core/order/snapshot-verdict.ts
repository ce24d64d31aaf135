/**
 * The verdict on an order's snapshot: which runs it needs, one after the other, and what they come to together.
 *  S1. The snapshot by the frozen plan. What hinders the gate, and does not on the base, came with the change.
 *  S2. A test that ran on the base, red or green, runs on the change (decision 0079).
 *  S3. Tests that are made to fail are red (decision 0088).
 *  S4. The tests as they were before the change are told. Where the change only added files beside them, and these alone turn a red
 *      base green, nothing was mended (decision 0102).
 *  S5. A test that was red with the change until it was altered has to be red on the base now (decision 0115).
 */
import { withFindings, withNotes } from '../repository/amend-report.ts';
import type { AlteredRun } from '../repository/counter-proof.ts';
import { repositoryFinding } from '../repository/finding.ts';
import type { RepositoryOutcome } from '../ports/repository-gate.ts';
import type { BaseReport } from '../../schemas/order-files.ts';
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';
import { blamed, isPlanFault, lostSince } from './base-tests.ts';
import { type AlteredAsk, counterProof, greenSteps, type ProofFacts } from './counter-proof-runs.ts';
import { headlineOf, OLD_TESTS } from './feedback.ts';
import { PLATFORM_FAULTS_MAX } from './bounds.ts';
import { type TestsOf, weakenedTests } from './weakened-tests.ts';

/** Which tree is judged: the change; the change with the test files of the base; the base with what the change added beside its tests, or with all its tests. */
export type JudgedOf = 'change' | 'old_tests' | 'old_again' | 'fresh_tests' | 'beside' | 'base_now';

export type SnapshotAsk =
  | { readonly kind: 'judge'; readonly of: JudgedOf }
  /** What the base came to, made once an order. */
  | { readonly kind: 'base' }
  | AlteredAsk;

/** The answer has the field of what was asked for. */
export interface SnapshotAnswer {
  /** Null where there is no such tree. */
  readonly outcome?: RepositoryOutcome | null;
  /** Null where this machine cannot judge it now. */
  readonly base?: BaseReport | null;
  readonly altered?: AlteredRun;
}

export interface SnapshotFacts extends ProofFacts {
  readonly countsTests: boolean;
  /** Test files of the base that the change altered or took away. */
  readonly alteredTests: number;
  /** Files that the change added where tests lie. */
  readonly addedTests: number;
  /** How often in a row this machine could not judge. */
  readonly platformFaults: number;
}

export interface SnapshotVerdict {
  readonly outcome: RepositoryOutcome;
  /** The report with what was found after it was made; null: as it is. */
  readonly amended: Omit<RepositoryReport, 'digest'> | null;
}

type Steps<T> = Generator<SnapshotAsk, T, SnapshotAnswer>;

/** Asks for one run after another, until the verdict stands. */
export function* snapshotVerdict(facts: SnapshotFacts): Steps<SnapshotVerdict> {
  const outcome = yield* judged('change');
  if (outcome === null) throw new RangeError('A snapshot has a tree of its own');
  const { report } = outcome;
  if (report.verdict !== 'PASS') return { outcome, amended: yield* atFault(facts, report) };
  if (!facts.countsTests) return { outcome, amended: null };
  const base = yield* baseReport();
  const lost = base === null ? [] : lostSince(base, outcome.ran, facts.allowed);
  if (lost.length > 0) return { outcome, amended: withFindings(report, lost) };
  const { finding, note } = yield* proof(facts, outcome, base);
  if (finding !== null) return { outcome, amended: withFindings(report, [finding]) };
  const old = yield* oldTests(facts, base);
  if (old.findings.length > 0) return { outcome, amended: withFindings(report, old.findings) };
  const notes = [old.note, note].filter((each) => each !== null);
  return { outcome, amended: notes.length === 0 ? null : withNotes(report, notes) };
}

/** S1. */
function* atFault(
  { platformFaults }: SnapshotFacts,
  report: RepositoryReport,
): Steps<SnapshotVerdict['amended']> {
  if (isPlanFault(report)) {
    const base = yield* baseReport();
    return base === null || isPlanFault(base.report) ? null : blamed(report);
  }
  // The last look at what this machine could not judge: whether it can judge anything.
  if (report.fault !== 'platform' || platformFaults + 1 < PLATFORM_FAULTS_MAX) return null;
  const now = yield* judged('base_now');
  return now === null || now.report.fault === 'platform' ? null : blamed(report);
}

function* proof(
  facts: SnapshotFacts,
  outcome: RepositoryOutcome,
  base: BaseReport | null,
): Steps<{ finding: ReturnType<typeof answeredBeside> | null; note: string | null }> {
  const runs = counterProof(facts, outcome, base);
  let step = runs.next();
  while (step.done !== true) {
    const { altered } = yield step.value;
    if (altered === undefined) throw new RangeError('An altered run was asked for');
    step = runs.next(altered);
  }
  return step.value;
}

/** S4, S5. A change may be meant to alter what tests expect: that is told, and does not judge. */
function* oldTests(
  { alteredTests, addedTests, allowed }: SnapshotFacts,
  base: BaseReport | null,
): Steps<{ readonly findings: readonly RepositoryFinding[]; readonly note: string | null }> {
  const none = { findings: [], note: null };
  const isAsked = alteredTests + addedTests > 0 && base?.ran.some(({ count }) => count > 0) === true;
  if (!isAsked) return none;
  const old = yield* judged('old_tests');
  if (old === null || old.report.verdict === 'PASS' || old.report.fault === 'platform') return none;
  const note = `${OLD_TESTS} ${headlineOf(old.report)}`.slice(0, 600);
  if (alteredTests > 0) return { findings: yield* weakened(base, old, allowed), note };
  if (base.report.verdict !== 'FAIL') return { findings: [], note };
  const beside = yield* judged('beside');
  return { findings: beside?.report.verdict === 'PASS' ? [answeredBeside()] : [], note };
}

/** S5. Red twice: a test may be red by chance. */
function* weakened(
  base: BaseReport,
  old: RepositoryOutcome,
  allowed: readonly string[],
): Steps<readonly RepositoryFinding[]> {
  const fresh = yield* judged('fresh_tests');
  if (fresh === null || fresh.report.fault === 'platform') return [];
  const found = weakenedTests(base.ran, testsOf(old), testsOf(fresh), allowed);
  if (found.length === 0) return [];
  const again = yield* judged('old_again');
  if (again === null || again.report.fault === 'platform') return [];
  return weakenedTests(base.ran, testsOf(again), testsOf(fresh), allowed);
}

function testsOf(outcome: RepositoryOutcome): TestsOf {
  return { ran: outcome.ran, green: greenSteps(outcome) };
}

function answeredBeside(): ReturnType<typeof repositoryFinding> {
  return repositoryFinding(
    'answered_beside',
    'L1',
    'The tests are green by files that were added beside them, and red without: the base with these files alone passes, too',
    {
      nextStep:
        'Mend the code that the tests are about; what tests lack is allowed by name (--allow-gate-edit)',
    },
  );
}

function* judged(of: JudgedOf): Steps<RepositoryOutcome | null> {
  const { outcome } = yield { kind: 'judge', of };
  if (outcome === undefined) throw new RangeError('A verdict was asked for');
  return outcome;
}

function* baseReport(): Steps<BaseReport | null> {
  const { base } = yield { kind: 'base' };
  if (base === undefined) throw new RangeError('The base was asked for');
  return base;
}
