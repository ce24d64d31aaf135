/** What attempts of all roles share: the answer to `submit_pr`, accepted work, and stored evidence. */
import { blameOf } from '../../core/gate/code/blame.ts';
import { isWallOnly } from '../../core/gate/code/two-judges.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { Session } from '../../core/ports/session.ts';
import { testGlobs, writeGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { JudgeInput, JudgeResult } from '../../schemas/agent-io.ts';
import type { SubmitPrInput } from '../../schemas/agent-tools.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import type { AnalystReport, Submission } from '../../schemas/stage.ts';
import { AcceptedWork } from '../../schemas/suite-record.ts';
import { dispatchKey, shadowRef } from '../shared/coordinates.ts';
import { orderOf } from '../shared/dispatches.ts';
import { contractOf } from '../shared/trees.ts';
import type { Verified, VerifyContext } from '../shared/verify.ts';
import { workFiles } from '../shared/work-files.ts';
import type { JudgePorts } from './ports.ts';

export type Verdict = Omit<JudgeResult, 'head' | 'testRuns' | 'told'>;
/** What came before an attempt: suites withdrawn from the node, and the reasons of the attempt before. */
export interface Before {
  readonly withdrawn: number;
  readonly lastReasons: string;
}

export type Covers = Readonly<Record<string, readonly string[]>>;

export interface Attempt {
  /** What `run_test` returns: the same role-safe fields as a refusal. */
  testText(): Promise<{ readonly text: string; readonly isPass: boolean }>;
  submit(input: SubmitPrInput): Promise<Verdict>;
  /** Counterexamples told so far; absent: this role is told none. */
  told?(): number;
}

export async function accept(
  session: Session,
  input: JudgeInput,
  verified: Verified,
  submit: SubmitPrInput,
  work: {
    locked: LockedSuite | null;
    exports: string[] | null;
    testContract: string | null;
    covers: Covers;
    finding?: AnalystReport | null;
  },
): Promise<Verdict> {
  await session.trees.keep(shadowRef(input.at, 'accepted'), verified.tree);
  const { exports, testContract, locked } = work;
  const accepted: AcceptedWork = {
    dispatchId: input.at.dispatchId,
    nodeId: input.at.nodeId,
    tree: verified.tree,
    reportDigest: verified.gate.reportDigest,
    locked,
    exports,
    testContract,
  };
  await session.results.putFirst(dispatchKey(input.at), 'accepted', AcceptedWork, accepted);
  const contract = await contractOf(session, input.at.nodeId);
  const globs = input.at.role === 'builder' ? writeGlobs(contract, 'builder') : testGlobs(contract);
  const entries = await session.trees.listTree(verified.tree);
  const submission: Submission = {
    ...emptySubmission(submit, verified.tree, input.baseCommit),
    gate: verified.gate,
    files: entries.map((entry) => entry.path).filter((path) => matchesAnyGlob(globs, path)),
    exports,
    testContract,
    finding: work.finding ?? null,
    covers: Object.fromEntries(Object.entries(work.covers).map(([clause, tests]) => [clause, [...tests]])),
  };
  return { accepted: true, reasons: [], submission, last: null, giveBack: null };
}

export function emptySubmission(submit: SubmitPrInput, tree: string, baseCommit: string | null): Submission {
  return {
    status: submit.status === 'provisional' || submit.status === 'near' ? 'provisional' : 'grounded',
    tree,
    baseCommit,
    files: [],
    gate: null,
    exports: null,
    testContract: null,
    covers: {},
    prNote: submit.pr_note ?? null,
    finding: null,
    escalate: false,
  };
}

/** INVALID that nobody is charged for goes back to the manager; a platform fault does not come here (`saved`). */
export function refused(report: GateReport, verified: Verified, text: string): Verdict {
  const last = { reportDigest: report.digest, suspect: 'code' as const, tree: verified.tree };
  const refusal = { accepted: false, reasons: [text], submission: null };
  if (isWallOnly(report))
    return { ...refusal, last: { ...last, suspect: 'platform' as const }, giveBack: null, isFree: true };
  const nobody = report.verdict === 'INVALID' && report.fault === 'manager';
  return { ...refusal, last, giveBack: nobody ? text : null };
}

/** The same for code, which its suite may be to blame for (core/gate/code/blame.ts). */
export function refusedCode(report: GateReport, verified: Verified, text: string, before: Before): Verdict {
  const verdict = refused(report, verified, text);
  const blame = blameOf(report, { ...before, isRepeated: before.lastReasons === text });
  if (blame.suspect === 'code' || verdict.isFree === true) return verdict;
  const { suiteFault, isFinal } = blame;
  const last = {
    reportDigest: report.digest,
    suspect: 'suite' as const,
    tree: verified.tree,
    ...(suiteFault === null ? {} : { suiteFault }),
  };
  return { ...verdict, last, giveBack: isFinal ? text : verdict.giveBack };
}

export function notJudged(reasons: readonly string[]): Verdict {
  return { accepted: false, reasons: [...reasons], submission: null, last: null, giveBack: null };
}

/** What a verification is for, in the folder of its dispatch. */
export interface AskedFor {
  readonly purpose: 'attempt' | 'test_run';
  /** The agent's note with its `submit_pr`. */
  readonly note: string | null;
}

export const TEST_RUN: AskedFor = { purpose: 'test_run', note: null };

/** Stores all that belongs to the verdict, before anybody acts on it. @throws for a platform fault: the attempt is tried again. */
export async function saved(
  ports: JudgePorts,
  context: VerifyContext,
  input: JudgeInput,
  verified: Verified,
  asked: AskedFor,
): Promise<void> {
  const { at, turn } = input;
  const { report } = verified.outcome;
  const store = ports.artifactsOf(context.session);
  const run = (await orderOf(context.session, at.dispatchId))?.run ?? at.run;
  const isAttempt = asked.purpose === 'attempt';
  const number = isAttempt ? await store.iterationAt(run, at.dispatchId, turn) : turn;
  await store.saveVerification({
    run,
    step: at.dispatchId,
    folder: `${isAttempt ? 'iteration' : 'test-run'}-${String(number)}`,
    purpose: asked.purpose,
    role: at.role,
    turn,
    outcome: verified.outcome,
    files: await shownWork(context.session, input, verified, asked.note, `attempt ${String(number)}`),
  });
  if (report.verdict === 'INVALID' && report.fault === 'platform') {
    throw new Error(
      `The gate could not be run: ${report.levels.flatMap((each) => each.findings)[0]?.text ?? 'platform fault'}`,
    );
  }
}

async function shownWork(
  session: Session,
  { at, head, tree, baseCommit }: JudgeInput,
  verified: Verified,
  note: string | null,
  when: string,
): Promise<readonly GateArtifact[]> {
  const start = (await session.trees.readRef(shadowRef(at, 'base'))) ?? session.trees.emptyTree;
  const { projection } = verified.outcome.report.subject;
  return workFiles(session, {
    head,
    snapshot: { work: tree, start, candidate: verified.tree, projection, baseCommit },
    notes: { nodeId: at.nodeId, role: at.role, dispatchId: at.dispatchId, when, note },
  });
}
