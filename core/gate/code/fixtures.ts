/**
 * A contract's fixtures: L2, after the suite has passed, judged from outside by exit code, output and files.
 *  X1. No agent sees them: a finding names the fixture by number and the class of its outcome, never what was expected.
 */
import { differencesOf } from '../../repository/judge-black-box.ts';
import { blackBoxSteps } from '../../repository/resolve-commands.ts';
import type { SandboxFile, SandboxResult } from '../../ports/sandbox.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { GateLimits } from '../../../schemas/gate-limits.ts';
import type { RepositoryStepOf } from '../../../schemas/repository-steps.ts';
import type { Finding, OutcomeClass } from '../../../schemas/report.ts';
import { readExecution } from '../execution.ts';
import { finding } from '../finding.ts';
import { levelResult, type Judgement } from '../judgement.ts';
import { decidingRow } from '../verdict-table.ts';

export type FixtureStep = RepositoryStepOf<'fixture'>;

/** The fixtures of a contract as steps of its plan. */
export function fixtureSteps(contract: ResolvedContract, limits: GateLimits): FixtureStep[] {
  return blackBoxSteps(
    'fixture',
    contract.fixtures,
    (seconds) => (seconds === undefined ? limits : { ...limits, wallMs: seconds * 1000 }),
    () => ({ kind: 'contract', detail: contract.id }),
  );
}

const WORDS: Readonly<Record<OutcomeClass, string>> = {
  wrong_value: 'gives another result than the contract asks for',
  raised: 'does not end the way the contract asks for',
  did_not_raise: 'does not end the way the contract asks for',
  timed_out: 'does not end in time',
  missing: 'does not leave a file that the contract asks for',
};

/** What a fixture's run proved against the code, or null. @param ordinal from 1, in the contract's order. */
export function fixtureFinding(
  step: FixtureStep,
  ordinal: number,
  result: SandboxResult,
  work: readonly SandboxFile[],
): Finding | null {
  const run = { collected: [], collectErrors: [], tests: [], lateErrors: [] };
  const execution = readExecution(result, { kind: 'complete', run }, step.limits, null);
  const { kind } = result.outcome;
  const isEnd = kind === 'exited' || kind === 'signaled';
  if (execution.kind === 'unusable' && (!isEnd || execution.finding.limit !== null))
    return { ...execution.finding, level: 'L2' };
  const [first] = differencesOf(step, result, work);
  if (first === undefined) return null;
  const outcome = outcomeOf(first.kind, step.expect.exitCode);
  return finding('fixture_failed', 'L2', `Fixture ${String(ordinal)} ${WORDS[outcome]}`, { outcome });
}

function outcomeOf(kind: 'exit' | 'output' | 'missing', wantedCode: number): OutcomeClass {
  if (kind === 'missing') return 'missing';
  if (kind === 'output') return 'wrong_value';
  return wantedCode === 0 ? 'raised' : 'did_not_raise';
}

/** The judgement with its L2. Fixtures are not run, and say nothing, where an earlier level already decided. */
export function withFixtures(judged: Judgement, findings: readonly Finding[]): Judgement {
  const ran = judged.verdict === 'PASS';
  const levels = [...judged.levels, levelResult('L2', findings, 'code', ran)];
  const row = decidingRow(findings, 'code');
  return row === null ? { ...judged, levels } : { ...judged, levels, verdict: row.verdict, fault: row.fault };
}
