/** One completion attempt of a builder, a test author or an analyst: what is verified and what its author is told. */
import { authorFeedback } from '../../core/gate/author-feedback.ts';
import { builderFeedback } from '../../core/gate/builder-feedback.ts';
import { authorText, builderText } from '../../core/gate/feedback-text.ts';
import { lockedSuiteOf } from '../../core/gate/locked-suite.ts';
import type { Session } from '../../core/ports/session.ts';
import { checkTestContract } from '../../core/contract/test-contract.ts';
import { testGlobs, writeGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { JudgeInput, JudgeResult } from '../../schemas/agent-io.ts';
import type { SubmitPrInput } from '../../schemas/agent-tools.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import type { Submission } from '../../schemas/stage.ts';
import { AcceptedWork } from '../../schemas/suite-record.ts';
import { dispatchKey, shadowRef } from '../shared/coordinates.ts';
import { contractOf, frozenBook, suiteOf } from '../shared/trees.ts';
import { type Verified, type VerifyContext, verifyCode, verifySuite } from '../shared/verify.ts';
import type { JudgePorts } from './ports.ts';

type Verdict = Omit<JudgeResult, 'head' | 'testRuns'>;

export interface Attempt {
  /** What `run_test` returns: the same role-safe fields as a refusal. */
  testText(): Promise<string>;
  submit(input: SubmitPrInput): Promise<Verdict>;
}

/** The attempt of this message, by role. The same tree is verified once, however often it is asked for. */
export async function prepareAttempt(
  ports: JudgePorts,
  session: Session,
  input: JudgeInput,
  signal: AbortSignal,
): Promise<Attempt> {
  if (input.at.role === 'analyst') return analystAttempt(input);
  const book = await frozenBook(session);
  const contract =
    book.find((each) => each.id === input.at.nodeId) ?? (await contractOf(session, input.at.nodeId));
  const context: VerifyContext = {
    session,
    gate: ports.gateOf(session),
    image: ports.image,
    book,
    contract,
    baseCommit: input.baseCommit,
    stepKey: `${input.at.dispatchId}-t${String(input.turn)}`,
    signal,
  };
  return input.at.role === 'builder'
    ? builderAttempt(ports, context, input)
    : authorAttempt(ports, context, input);
}

async function builderAttempt(
  ports: JudgePorts,
  context: VerifyContext,
  input: JudgeInput,
): Promise<Attempt> {
  const { session, contract } = context;
  const suite = await suiteOf(session, contract.id, input.suite);
  const start = await session.trees.readRef(shadowRef(input.at, 'base'));
  const changed = start === null ? [] : await session.trees.diff(start, input.tree);
  const paths = changed.map((each) => each.path);
  const verify = once(async () => {
    const verified = await verifyCode(context, input.tree, suite, paths);
    await saved(ports, context, input, verified);
    return verified;
  });
  const feedback = (verified: Verified): string =>
    builderText(builderFeedback(verified.outcome.report, contract, suite?.locked ?? null));
  return {
    testText: async () => feedback(await verify()),
    submit: async (submit) => {
      const verified = await verify();
      const { report } = verified.outcome;
      if (report.verdict !== 'PASS') return refused(report, verified, feedback(verified));
      return accept(session, input, verified, submit, {
        locked: null,
        exports: null,
        testContract: null,
        covers: {},
      });
    },
  };
}

function authorAttempt(ports: JudgePorts, context: VerifyContext, input: JudgeInput): Attempt {
  const { session, contract } = context;
  const verify = async (frozen: ResolvedContract, covers: Covers): Promise<Verified> => {
    const verified = await verifySuite({ ...context, contract: frozen }, input.tree, covers);
    await saved(ports, context, input, verified);
    return verified;
  };
  const feedback = (report: GateReport, frozen: ResolvedContract): string =>
    authorText(authorFeedback(report, frozen));
  return {
    testText: async () => {
      if (contract.interface.exports.length === 0)
        return 'Mode B: nothing to run on before submit_pr declares the exports.';
      return feedback((await verify(contract, {})).outcome.report, contract);
    },
    submit: async (submit) => {
      const checked = authorSubmission(contract, submit);
      if (checked.reasons.length > 0) return notJudged(checked.reasons);
      const covers = Object.fromEntries((submit.covers ?? []).map((cover) => [cover.clause, cover.tests]));
      const verified = await verify(checked.contract, covers);
      const { report } = verified.outcome;
      if (report.verdict !== 'PASS') return refused(report, verified, feedback(report, checked.contract));
      const exports = contract.mode === 'B' ? submit.interface.exports : null;
      const testContract = submit.test_contract ?? null;
      return accept(session, input, verified, submit, {
        locked: lockedSuiteOf(report),
        exports,
        testContract,
        covers,
      });
    },
  };
}

type Covers = Readonly<Record<string, readonly string[]>>;

/** An analyst's answer is not judged by a gate: it is text for the manager. */
function analystAttempt(input: JudgeInput): Attempt {
  return {
    testText: () => Promise.resolve('An analyst runs no tests.'),
    submit: (submit) => {
      const note = submit.pr_note ?? '';
      if (note === '') return Promise.resolve(notJudged(['pr_note is empty: it is where your findings go']));
      const finding = {
        scope: 'node' as const,
        findings: [note],
        confidence: 'medium' as const,
        sources: submit.files ?? [],
      };
      const submission: Submission = { ...emptySubmission(submit, input.tree, input.baseCommit), finding };
      return Promise.resolve({ accepted: true, reasons: [], submission, last: null, giveBack: null });
    },
  };
}

/** Mode B: the surface that the author declares, checked against its own test contract. */
function authorSubmission(
  contract: ResolvedContract,
  submit: SubmitPrInput,
): { readonly contract: ResolvedContract; readonly reasons: readonly string[] } {
  if (contract.mode === 'A') return { contract, reasons: [] };
  const { exports } = submit.interface;
  if (submit.test_contract === undefined) {
    return {
      contract,
      reasons: ['test_contract is missing: in Mode B it is the only text that the builder sees'],
    };
  }
  const check = checkTestContract(submit.test_contract, contract.id, exports);
  if (!check.ok) return { contract, reasons: check.reasons };
  return {
    contract: { ...contract, interface: { ...contract.interface, exports: [...exports] } },
    reasons: [],
  };
}

async function accept(
  session: Session,
  input: JudgeInput,
  verified: Verified,
  submit: SubmitPrInput,
  work: { locked: LockedSuite | null; exports: string[] | null; testContract: string | null; covers: Covers },
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
    covers: Object.fromEntries(Object.entries(work.covers).map(([clause, tests]) => [clause, [...tests]])),
  };
  return { accepted: true, reasons: [], submission, last: null, giveBack: null };
}

function emptySubmission(submit: SubmitPrInput, tree: string, baseCommit: string | null): Submission {
  return {
    status: submit.status === 'grounded' ? 'grounded' : 'provisional',
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

/** INVALID that nobody is charged for goes back to the manager; a platform fault is thrown for the workflow to see. */
function refused(report: GateReport, verified: Verified, text: string): Verdict {
  const last = {
    reportDigest: report.digest,
    suspect: report.suspect ?? ('code' as const),
    tree: verified.tree,
  };
  const nobody = report.verdict === 'INVALID' && report.fault === 'manager';
  return { accepted: false, reasons: [text], submission: null, last, giveBack: nobody ? text : null };
}

function notJudged(reasons: readonly string[]): Verdict {
  return { accepted: false, reasons: [...reasons], submission: null, last: null, giveBack: null };
}

async function saved(
  ports: JudgePorts,
  context: VerifyContext,
  input: JudgeInput,
  verified: Verified,
): Promise<void> {
  const { report, artifacts } = verified.outcome;
  const store = ports.artifactsOf(context.session);
  await store.saveVerification(input.at.run, input.at.dispatchId, String(input.turn), report, artifacts);
  if (report.verdict === 'INVALID' && report.fault === 'platform') {
    throw new Error(
      `The gate could not be run: ${report.levels.flatMap((each) => each.findings)[0]?.text ?? 'platform fault'}`,
    );
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= work());
}
