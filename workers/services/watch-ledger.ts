/** Follows a ledger as it grows: each new line once, then the state that it makes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunNotice } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';

const POLL_MS = 150;

/** Tells of lines after `fromSeq` until `signal` aborts, and of those that came before it did. */
export async function watchLedger(
  session: Session,
  fromSeq: number,
  watch: (notice: RunNotice) => void,
  signal: AbortSignal,
): Promise<void> {
  let seen = fromSeq;
  for (;;) {
    const last = signal.aborted;
    const read = await session.ledger.read();
    if (read.kind === 'corrupt') {
      const { line, reason } = read.fault;
      watch({ kind: 'said', text: `The ledger cannot be followed any more: line ${String(line)} ${reason}` });
      return;
    }
    const fresh = read.lines.slice(seen);
    seen += fresh.length;
    for (const line of fresh) watch({ kind: 'line', line });
    if (fresh.length > 0) watch({ kind: 'state', state: (await session.doc()).state });
    if (last) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
