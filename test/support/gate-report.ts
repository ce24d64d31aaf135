/** A sound report on code: small, with the digest that its fields give. */
import { createHash } from 'node:crypto';
import { finding } from '../../core/gate/finding.ts';
import { judgement } from '../../core/gate/judgement.ts';
import { digestText, unsealedReport } from '../../core/gate/report/make-report.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import type { Finding, GateReport, GateTier, TestResult } from '../../schemas/report.ts';
import { gateContract } from './gate-contract.ts';

export interface ReportFacts {
  readonly tier?: GateTier;
  readonly findings?: readonly Finding[];
  readonly tests?: readonly TestResult[];
  readonly totalMs?: number;
}

export const REPORT_KEY = `sha256:${'a'.repeat(64)}`;

/** PASS without findings; FAIL when asked for, by the write set unless `findings` say otherwise. */
export function gateReport(verdict: 'PASS' | 'FAIL' = 'PASS', facts: ReportFacts = {}): GateReport {
  const contract = gateContract();
  const own = verdict === 'PASS' ? [] : [finding('write_set', 'L0', 'x.py is outside the write set')];
  const judged = judgement('code', facts.findings ?? own, [], { L0: true, L1: true });
  const unsealed = unsealedReport({
    judgement: { ...judged, tests: [...(facts.tests ?? [])] },
    plan: resolvePlan(contract),
    subject: {
      node: contract.id,
      kind: 'code',
      tree: '1'.repeat(40),
      projection: '2'.repeat(40),
      suiteHash: null,
      planHash: REPORT_KEY,
      image: 'image:1',
      verifierVersion: '1',
    },
    key: REPORT_KEY,
    tier: facts.tier ?? 'in_process',
    isolation: { backend: 'bubblewrap', level: 'hardened' },
    commands: [],
    totalMs: facts.totalMs ?? 1,
  });
  return { ...unsealed, digest: sha256Of(digestText(unsealed)) };
}

/** `sha256:` and hex digits. */
export function sha256Of(content: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
