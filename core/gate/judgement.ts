/** What a judge says before it becomes a report: verdict, fault, findings by level. */
import type { GateLevel } from '../../schemas/gate-plan.ts';
import type { ExampleResult, Finding, GateReport, LevelResult, SuiteCalls } from '../../schemas/report.ts';
import { decidingRow } from './verdict-table.ts';

export type Judgement = Pick<
  GateReport,
  | 'verdict'
  | 'fault'
  | 'suspect'
  | 'levels'
  | 'warnings'
  | 'tests'
  | 'ids'
  | 'suiteTests'
  | 'stubs'
  | 'plain'
  | 'counterProof'
  | 'uncalled'
> & { readonly examples: ExampleResult[]; readonly callables?: string[]; readonly calls?: SuiteCalls };

/** Verdict and levels of the findings; lists of tests start empty. `ran` says which levels were carried out. */
export function judgement(
  judged: 'code' | 'suite',
  findings: readonly Finding[],
  warnings: readonly Finding[],
  ran: Readonly<Record<'L0' | 'L1', boolean>>,
): Judgement {
  const row = decidingRow(findings, judged);
  return {
    verdict: row?.verdict ?? 'PASS',
    fault: row?.fault ?? null,
    suspect: null,
    levels: [levelResult('L0', findings, judged, ran.L0), levelResult('L1', findings, judged, ran.L1)],
    warnings: [...warnings],
    tests: [],
    ids: { locked: [], collected: [], ran: [] },
    suiteTests: [],
    stubs: [],
    examples: [],
  };
}

/** One level: its findings, and what they decide. */
export function levelResult(
  level: GateLevel,
  findings: readonly Finding[],
  judged: 'code' | 'suite',
  ran: boolean,
): LevelResult {
  const own = findings.filter((found) => found.level === level);
  const row = decidingRow(own, judged);
  if (row === null) return { level, status: ran ? 'passed' : 'not_run', findings: [] };
  return { level, status: row.verdict === 'FAIL' ? 'failed' : 'invalid', findings: own };
}
