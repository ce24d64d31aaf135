/** Carries out a plan for one request: refuses what cannot be judged, then hands on to the judge of suites or of code. */
import { finding } from '../../core/gate/finding.ts';
import { isolationProblem } from '../../core/gate/isolation.ts';
import { writeSetFindings } from '../../core/gate/gate-files.ts';
import { stepOf } from '../../core/gate/plan.ts';
import type { VerifyRequest } from '../../core/ports/gate.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { Finding, GateTier } from '../../schemas/report.ts';
import { judgeCodeRequest } from './judge-code-request.ts';
import { judgeSuiteRequest } from './judge-suite-request.ts';
import { decided, type Judged, type JudgeInput } from './judged.ts';

/** Judges a suite, or code, or examples. */
export async function judgeRequest(input: JudgeInput): Promise<Judged> {
  const { request } = input.context;
  const role = request.kind === 'suite' ? 'test_author' : 'builder';
  const refusal = isolationRefusal(input) ?? planRefusal(input.plan, request, input.tier);
  if (refusal !== null) return decided(request.kind, [refusal]);
  const touched = writeSetFindings(request.contract, role, request.changedPaths ?? []);
  if (touched.length > 0) return decided(request.kind, touched);
  return request.kind === 'suite' ? judgeSuiteRequest(input, request) : judgeCodeRequest(input, request);
}

/** A plan that demands more than the sandbox proved runs nothing. */
function isolationRefusal({ plan, context }: JudgeInput): Finding | null {
  const problem = isolationProblem(plan.isolation, context.parts.isolation);
  return problem === null ? null : finding('isolation_refused', 'L0', `The plan is refused: ${problem}`);
}

function planRefusal(plan: GatePlan, request: VerifyRequest, tier: GateTier): Finding | null {
  if (plan.steps.length === 0)
    return finding('plan_empty', 'L0', 'The gate plan is empty: nothing would be judged');
  if (plan.wall === 'required' && request.kind === 'code' && tier === 'in_process') {
    const reasons = request.locked?.wall?.reasons ?? ['The suite was locked without one'];
    const text = `The glass wall is required, and it cannot judge this suite. ${reasons.join('. ')}`;
    return finding('tier_refused', 'L0', text);
  }
  if (request.kind === 'suite' && stepOf(plan, 'suite') === null) {
    return finding('plan_empty', 'L0', `The plan of "${request.contract.id}" has no suite to judge`);
  }
  if (request.kind === 'code' && request.locked === null && stepOf(plan, 'suite') !== null) {
    return finding(
      'plan_empty',
      'L0',
      `"${request.contract.id}" has no locked suite: its code cannot be judged`,
    );
  }
  return null;
}
