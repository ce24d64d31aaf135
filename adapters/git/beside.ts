/** Clones that several may ask for at once: made beside their place, and fetched again where another holds a lock for a moment. */
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../core/text/error-text.ts';
import { removeDeadTemps, tempOf } from '../system/files.ts';

/** Whoever asks at the same time, or after a kill, never meets half of it. Who comes second leaves the first one's. */
export async function madeBeside(place: string, make: (fresh: string) => Promise<unknown>): Promise<void> {
  const fresh = tempOf(place);
  removeDeadTemps(dirname(place));
  try {
    await make(fresh);
    await rename(fresh, place).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

const LOCKED = /cannot lock ref|unable to (?:create|lock)|File exists/i;
const TRIES = 5;
const PAUSE_MS = 200;

/** Two who fetch at once lock each other's refs out. */
export async function whileLocked(work: () => Promise<unknown>): Promise<void> {
  for (let left = TRIES; ; left -= 1)
    try {
      await work();
      return;
    } catch (error) {
      if (left === 1 || !(error instanceof Error && LOCKED.test(error.message))) throw error;
      await delay(PAUSE_MS);
    }
}
