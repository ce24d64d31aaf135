/** What the gate has to tell a manager of code that it passed: what its suite does not notice, and what was not shown. */
import type { GateReport } from '../../../schemas/report.ts';
import type { AnalystReport } from '../../../schemas/stage.ts';
import { counterProofNote } from '../code/changed-suite.ts';
import { survivorsOf } from '../code/mutation.ts';

const COUNTER_PROOF = 'counter-proof';

/** A finding about the node; null where there is nothing to tell. */
export function toldOfPass(report: GateReport): AnalystReport | null {
  const survivors = survivorsOf(report);
  const note = counterProofNote(report);
  if (note === null) return survivors;
  return {
    scope: 'node',
    findings: [note, ...(survivors?.findings ?? [])],
    confidence: 'high',
    sources: [COUNTER_PROOF, ...(survivors?.sources ?? [])],
  };
}

/** True for what the gate has told, and no analyst. */
export function isToldByGate({ sources }: Pick<AnalystReport, 'sources'>): boolean {
  return sources.includes('mutation check') || sources.includes(COUNTER_PROOF);
}
