/** The embedded server of a process that serves: started again when it dies. A configured server is its owner's business. */
import { setTimeout as delay } from 'node:timers/promises';
import { isServing } from '../../adapters/temporal/health.ts';
import { type Surroundings, messageOf } from './common.ts';
import { type ServerPlace, openServer } from './server.ts';

/** A dead embedded server is noticed within this time. */
const SERVER_CHECK_MS = 1_000;

/** Settles when `signal` is aborted, at once for a configured server. */
export async function keepServer(
  around: Surroundings,
  place: ServerPlace,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (place.embedded && !signal.aborted) {
    const isEnded = await delay(SERVER_CHECK_MS, false, { signal }).catch(() => true);
    if (isEnded || (await isServing(place.address))) continue;
    say('The Temporal server is gone: starting it again');
    await openServer(around).catch((error: unknown) =>
      say(`Cannot start the Temporal server: ${messageOf(error)}`),
    );
  }
}
