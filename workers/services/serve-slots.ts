/** Which processes serve a session: each holds one of a few locks that its death frees. */
import { type HeldLock, tryLock } from '../../adapters/store/lock.ts';

/** Processes that may serve one session at once, for the question whether others do. */
const SERVE_SLOTS = 8;

/** True when another process serves this session's queues. */
export async function othersServe(sessionId: string): Promise<boolean> {
  for (let index = 0; index < SERVE_SLOTS; index += 1) {
    const lock = await tryLock(slotName(sessionId, index));
    if (lock === null) return true;
    await lock.release();
  }
  return false;
}

/** Held as long as this process serves; null when all slots are taken. */
export async function takeSlot(sessionId: string): Promise<HeldLock | null> {
  for (let index = 0; index < SERVE_SLOTS; index += 1) {
    const lock = await tryLock(slotName(sessionId, index));
    if (lock !== null) return lock;
  }
  return null;
}

function slotName(sessionId: string, index: number): string {
  return `serves-${sessionId}-${String(index)}`;
}
