/** Activity `appendLedger`: decisions reach the ledger before their effects (design part 4). Never a local activity. */
import { heartbeat } from '@temporalio/activity';
import type { AppendLedgerInput } from '../../schemas/stage-io.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { fatal } from '../shared/failures.ts';
import { saveDispatchFiles } from './dispatch-files.ts';
import type { StagePorts } from './ports.ts';

/** Appends by sequence number: the same events again are a no-op. @throws LedgerDiverged, FenceLost (non-retryable). */
export async function appendLedger(ports: StagePorts, input: AppendLedgerInput): Promise<void> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const { run, fromSeq, events } = input;
  const result = await withHeartbeat(heartbeat, () => session.ledger.append({ run, fromSeq, events }));
  switch (result.kind) {
    case 'appended':
      await ports.projectionsOf(session).update(events);
      await withHeartbeat(heartbeat, () => saveDispatchFiles(ports, session, input));
      return;
    case 'diverged':
      throw fatal(
        'LedgerDiverged',
        `Cannot append ${events[0]?.type ?? 'nothing'} at ${String(result.seq)}: the ledger holds "${result.found}" there`,
      );
    case 'fence_lost':
      throw fatal(
        'FenceLost',
        `Cannot append as run ${String(run)}: run ${String(result.run)} owns the session`,
      );
  }
}
