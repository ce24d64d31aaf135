/** Adds the mutation check to a report that says PASS, and sends the suite back where the contract asks for more. */
import { finding } from '../../core/gate/finding.ts';
import { judgement } from '../../core/gate/judgement.ts';
import { digestText } from '../../core/gate/report/make-report.ts';
import { MUTATION_BUDGET_MS, scoreFinding } from '../../core/gate/code/mutation.ts';
import type { GateArtifact, VerifyRequest } from '../../core/ports/gate.ts';
import type { Finding, GateReport, MutationCheck } from '../../schemas/report.ts';
import { checkMutants } from './check-mutants.ts';
import type { JudgeInput } from './judged.ts';

export interface Mutated {
  readonly report: GateReport;
  readonly artifacts: readonly GateArtifact[];
}

/** How long the check of a request may take; 0 for none. */
export function checkMsOf(request: VerifyRequest): number {
  if (request.kind !== 'code' || request.locked === null || request.contract.type === 'test') return 0;
  return request.mutationMs ?? (request.contract.min_mutation_score === undefined ? 0 : MUTATION_BUDGET_MS);
}

/** The report with its check: the one that is stored under its key, or a new one. */
export async function withMutation(
  input: JudgeInput,
  report: GateReport,
  budgetMs: number,
): Promise<Mutated> {
  if (report.verdict !== 'PASS') return { report, artifacts: [] };
  const { parts, request } = input.context;
  const useCache = request.useCache ?? true;
  const stored = useCache ? await parts.reports.mutation(report.key) : null;
  if (stored !== null) return { report: weighed(input, report, stored, false), artifacts: [] };
  if (budgetMs === 0) return { report, artifacts: [] };
  const run = await checkMutants(input, budgetMs, namesOf(request), report.uncalled);
  const check = run.isMade && useCache ? await parts.reports.putMutation(report.key, run.check) : run.check;
  const told = { ...report, commands: [...report.commands, ...run.commands] };
  return { report: weighed(input, told, check, run.isLost), artifacts: run.artifacts };
}

/** What the locked suite must have tests of; records older than the rule name what its tests reached. */
function namesOf(request: VerifyRequest): readonly string[] {
  if (request.kind !== 'code' || request.locked === null) return [];
  const { callables, tests } = request.locked;
  return callables ?? [...new Set(tests.flatMap((test) => test.reached))];
}

function weighed(input: JudgeInput, report: GateReport, check: MutationCheck, isLost: boolean): GateReport {
  const { parts, request } = input.context;
  const told = { ...report, mutation: check };
  const faults = request.needsEvidence === true ? (check.faults ?? []) : [];
  const score = scoreFinding(request.contract, check);
  const found = score === null ? faults : [score];
  if (found.length === 0) return told;
  const lost = finding('platform_lost', 'L1', 'The mutation check could not be made: the sandbox was lost');
  return sentBack(told, isLost ? [lost] : found, (text) => parts.hash(text));
}

/** The code did all that it was asked: who has to do more is the suite's author. */
function sentBack(report: GateReport, found: readonly Finding[], hash: (text: string) => string): GateReport {
  const { verdict, fault, levels } = judgement('code', found, [], { L0: true, L1: true });
  const suspect = fault === 'author' ? ('suite' as const) : null;
  const { digest: _former, ...same } = report;
  const unsealed = { ...same, verdict, fault, levels, suspect };
  return { ...unsealed, digest: hash(digestText(unsealed)) };
}
