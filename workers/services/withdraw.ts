/** A verdict that `verify` of the same bytes refutes is withdrawn: the store forgets it, and the ledger says so (gate.md part 12). */
import { createReportFiles } from '../../adapters/report-files/report-files.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import type { Session } from '../../core/ports/session.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { GateReport } from '../../schemas/report.ts';
import { projectionsOf } from '../ports.ts';

/** Whether it was, and why not. */
export type Withdrawal = 'none' | 'withdrawn' | 'stage_moves';

const AT_REST: ReadonlySet<string> = new Set(['sealed', 'halted', 'rested']);

/** Only a refusal that charged somebody can be taken back; a PASS that no longer holds is a finding, not a pardon. */
export async function withdrawRefuted(
  session: Session,
  recorded: GateReport,
  again: GateReport,
): Promise<Withdrawal> {
  const isCharged = recorded.subject.kind === 'code' && recorded.fault === 'builder';
  if (!isCharged || again.verdict !== 'PASS') return 'none';
  const { state } = await session.doc();
  const { subject } = recorded;
  if (state.run !== null && !AT_REST.has(state.run.phase)) return 'stage_moves';
  await createReportFiles(sessionPaths(session.dir).reports).withdraw(recorded.key);
  if (state.nodes[subject.node] === undefined) return 'none';
  const event: LedgerEvent = {
    type: 'verdict_withdrawn',
    data: {
      nodeId: subject.node,
      reportDigest: recorded.digest,
      verdict: recorded.verdict,
      again: again.verdict,
      againDigest: again.digest,
    },
  };
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended') return 'stage_moves';
  await projectionsOf(session).update([event]);
  return 'withdrawn';
}
