/** A test author's completion attempt: red before green on stubs, Mode B's surface included (gate.md parts 2 and 3). */
import { authorFeedback } from '../../core/gate/report/author-feedback.ts';
import { authorText } from '../../core/gate/report/feedback-text.ts';
import { lockedSuiteOf } from '../../core/gate/suite/locked-suite.ts';
import { maskMadeNames } from '../../core/gate/exports/mask-names.ts';
import type { Session } from '../../core/ports/session.ts';
import { apiDeclarations, checkTestContract } from '../../core/contract/test-contract.ts';
import { testGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { JudgeInput } from '../../schemas/agent-io.ts';
import type { SubmitPrInput } from '../../schemas/agent-tools.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateReport } from '../../schemas/report.ts';
import { shadowRef } from '../shared/coordinates.ts';
import { type Verified, type VerifyContext, verifySuite } from '../shared/verify.ts';
import {
  type AskedFor,
  type Attempt,
  type Covers,
  TEST_RUN,
  accept,
  notJudged,
  refused,
  saved,
} from './attempt-parts.ts';
import type { JudgePorts } from './ports.ts';

/** The attempt of a test author on the tree of this turn. */
export function authorAttempt(ports: JudgePorts, context: VerifyContext, input: JudgeInput): Attempt {
  const { session, contract } = context;
  const verify = async (frozen: ResolvedContract, covers: Covers, asked: AskedFor): Promise<Verified> => {
    const start = await session.trees.readRef(shadowRef(input.at, 'base'));
    const changed = start === null ? [] : await session.trees.diff(start, input.tree);
    const paths = changed.map((each) => each.path);
    const verified = await verifySuite({ ...context, contract: frozen }, input.tree, covers, paths);
    await saved(ports, context, input, verified, asked);
    return verified;
  };
  const feedback = async (report: GateReport, frozen: ResolvedContract): Promise<string> => {
    const sources = await textsOf(session, testGlobs(contract), input.tree);
    return authorText(maskMadeNames(authorFeedback(report, frozen), report, sources));
  };
  return {
    testText: async () => {
      if (contract.mode === 'B' && contract.interface.exports.length === 0)
        return { text: 'Mode B: nothing to run on before submit_pr declares the exports.', isPass: true };
      const { report } = (await verify(contract, {}, TEST_RUN)).outcome;
      return { text: await feedback(report, contract), isPass: report.verdict === 'PASS' };
    },
    submit: async (submit) => {
      const checked = authorSubmission(contract, submit);
      if (checked.reasons.length > 0) return notJudged(checked.reasons);
      const covers = Object.fromEntries((submit.covers ?? []).map((cover) => [cover.clause, cover.tests]));
      const verified = await verify(checked.contract, covers, {
        purpose: 'attempt',
        note: submit.pr_note ?? null,
      });
      const { report } = verified.outcome;
      const unusable = contract.mode === 'B' ? unusableSurface(report) : [];
      if (unusable.length > 0) return notJudged(unusable);
      if (report.verdict !== 'PASS')
        return refused(report, verified, await feedback(report, checked.contract));
      const exports = contract.mode === 'B' ? [...checked.contract.interface.exports] : null;
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

/** Why the API section makes no stubs: in Mode B it is its author's to mend (gate.md part 2). */
function unusableSurface(report: GateReport): readonly string[] {
  const findings = report.levels.flatMap((level) => level.findings);
  return findings.filter(({ code }) => code === 'contract_unusable').map(({ text }) => text);
}

/** Mode B: the surface that the author declares, checked against its own test contract. */
function authorSubmission(
  contract: ResolvedContract,
  submit: SubmitPrInput,
): { readonly contract: ResolvedContract; readonly reasons: readonly string[] } {
  if (contract.mode === 'A') return { contract, reasons: [] };
  if (submit.test_contract === undefined) {
    return {
      contract,
      reasons: ['test_contract is missing: in Mode B it is the only text that the builder sees'],
    };
  }
  const declared = submit.interface?.exports ?? [];
  const exports = declared.length > 0 ? declared : apiDeclarations(submit.test_contract);
  const check = checkTestContract(submit.test_contract, contract.id, exports);
  if (!check.ok) return { contract, reasons: check.reasons };
  return {
    contract: { ...contract, interface: { ...contract.interface, exports: [...exports] } },
    reasons: [],
  };
}

async function textsOf(session: Session, globs: readonly string[], tree: string): Promise<readonly string[]> {
  const entries = (await session.trees.listTree(tree)).filter((entry) => matchesAnyGlob(globs, entry.path));
  return Promise.all(
    entries.map(async (entry) => (await session.trees.readBlob(entry.oid)).toString('utf8')),
  );
}
