/** One completion attempt, by role; the builder's and the analyst's are here, the test author's has a file of its own. */
import { mutationMsOf } from '../../core/gate/code/mutation.ts';
import { builderFeedback, COUNTEREXAMPLES_MAX, toldCount } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { toldOfPass } from '../../core/gate/report/told-of-pass.ts';
import { analystReport } from '../../core/views/analyst-report.ts';
import type { Session } from '../../core/ports/session.ts';
import type { JudgeInput } from '../../schemas/agent-io.ts';
import type { Submission } from '../../schemas/stage.ts';
import { shadowRef } from '../shared/coordinates.ts';
import { orderOf } from '../shared/dispatches.ts';
import { contractIn, frozenBook, suiteOf } from '../shared/trees.ts';
import { type Verified, type VerifyContext, verifyCode } from '../shared/verify.ts';
import {
  type AskedFor,
  type Attempt,
  TEST_RUN,
  accept,
  emptySubmission,
  notJudged,
  refusedCode,
  saved,
} from './attempt-parts.ts';
import { authorAttempt } from './author-attempt.ts';
import type { JudgePorts } from './ports.ts';

/** The attempt of this message, by role. The same tree is verified once, however often it is asked for. */
export async function prepareAttempt(
  ports: JudgePorts,
  session: Session,
  input: JudgeInput,
  signal: AbortSignal,
): Promise<Attempt> {
  if (input.at.role === 'analyst') return analystAttempt(session, input);
  const book = await frozenBook(session);
  const contract = contractIn(book, input.at.nodeId);
  const context: VerifyContext = {
    session,
    gate: ports.gateOf(session),
    image: await ports.imageOf(session),
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
  const { state } = await session.doc();
  const withdrawn = state.nodes[contract.id]?.withdrawn ?? 0;
  // A suite goes back for want of evidence once: what a second one does not notice either may be what nobody can.
  const needsEvidence = withdrawn === 0;
  const verify = async (mutationMs: number, asked: AskedFor): Promise<Verified> => {
    const verified = await verifyCode(
      { ...context, mutationMs, needsEvidence, isCharged: asked.purpose === 'attempt' },
      input.tree,
      suite,
      paths,
    );
    await saved(ports, context, input, verified, asked);
    return verified;
  };
  const tested = once(() => verify(0, TEST_RUN));
  const toldBefore = (await session.doc()).state.nodes[contract.id]?.told ?? 0;
  let told = 0;
  const feedback = (verified: Verified): string => {
    const left = Math.max(0, COUNTEREXAMPLES_MAX - toldBefore - (input.told ?? 0) - told);
    const fields = builderFeedback(verified.outcome.report, contract, suite?.locked ?? null, left);
    told += toldCount(fields);
    return builderText(fields);
  };
  return {
    testText: async () => {
      const verified = await tested();
      return { text: feedback(verified), isPass: verified.outcome.report.verdict === 'PASS' };
    },
    told: () => told,
    submit: async (submit) => {
      // After a run of the tests in the same message this finds the report, and adds the mutation check.
      const verified = await verify(mutationMsOf(contract, ports.mutationMs), {
        purpose: 'attempt',
        note: submit.pr_note ?? null,
      });
      const { report } = verified.outcome;
      if (report.verdict !== 'PASS') {
        const before = { withdrawn, lastReasons: input.lastReasons };
        return refusedCode(report, verified, feedback(verified), before);
      }
      return accept(session, input, verified, submit, {
        locked: null,
        exports: null,
        testContract: null,
        covers: {},
        finding: toldOfPass(report),
      });
    },
  };
}

/** An analyst's answer is not judged by a gate: it is text for the manager. */
function analystAttempt(session: Session, input: JudgeInput): Attempt {
  return {
    testText: () => Promise.resolve({ text: 'An analyst runs no tests.', isPass: true }),
    submit: async (submit) => {
      const note = submit.pr_note ?? '';
      if (note === '') return notJudged(['pr_note is empty: it is where your findings go']);
      const order = await orderOf(session, input.at.dispatchId);
      const finding = analystReport(note, order?.record.parameters.scope ?? 'node', submit.files ?? []);
      const submission: Submission = { ...emptySubmission(submit, input.tree, input.baseCommit), finding };
      return { accepted: true, reasons: [], submission, last: null, giveBack: null };
    },
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= work());
}
