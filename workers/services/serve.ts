/** `worker`, `up`, `down`: what keeps running until it is stopped. */
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Result } from '../../core/ports/services.ts';
import type { SandboxChoice } from '../../schemas/config.ts';
import { openMachine } from '../machine.ts';
import { readConfig } from '../models.ts';
import {
  type Surroundings,
  failed,
  configFailed,
  findSession,
  messageOf,
  placesOf,
  spaceStep,
} from './common.ts';
import { hostWorkers } from './host-workers.ts';
import { closeServer, openServer } from './server.ts';
import { untilAborted } from './until-aborted.ts';

/** Serves a session's queues until `stop`. */
export async function worker(
  around: Surroundings,
  dir: string,
  backend: SandboxChoice | null,
  watch: (text: string) => void,
  stop: AbortSignal,
): Promise<Result<null>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const read = await readConfig(found.value.dir, placesOf(around));
  if (!read.ok) return configFailed(read.messages, dir);
  const place = await openServer(around).catch(messageOf);
  if (typeof place === 'string') return failed(4, place, spaceStep(place) ?? 'a7-rt doctor');
  const machine = await openMachine(homeFolder(around.env), backend ?? read.config.sandbox).catch(messageOf);
  if (typeof machine === 'string') return failed(4, machine, 'a7-rt setup');
  const hosting = await hostWorkers({
    around,
    machine,
    place,
    session: found.value,
    watch: (notice) => {
      if (notice.kind === 'said') watch(notice.text);
    },
  }).catch(messageOf);
  if (typeof hosting === 'string') {
    await machine.sandbox.close();
    return failed(4, `Cannot start the workers: ${hosting}`, 'a7-rt doctor');
  }
  watch(
    `Serving ${dir} on ${place.address} with ${machine.proof.backend} (${machine.proof.level}). Ctrl-C stops.`,
  );
  try {
    await Promise.race([untilAborted(stop), hosting.failing]);
    return { ok: true, value: null };
  } catch (error) {
    return failed(1, `The worker failed: ${messageOf(error)}`, 'a7-rt doctor');
  } finally {
    await hosting.close();
  }
}

/** Starts the embedded server. */
export async function up(
  around: Surroundings,
): Promise<Result<{ readonly address: string; readonly ui: string }>> {
  const place = await openServer(around).catch(messageOf);
  if (typeof place === 'string') return failed(4, place, spaceStep(place) ?? 'a7-rt doctor');
  return { ok: true, value: { address: place.address, ui: place.ui ?? 'not known' } };
}

/** Stops the embedded server. */
export async function down(around: Surroundings): Promise<Result<{ readonly stopped: boolean }>> {
  return { ok: true, value: { stopped: await closeServer(around) } };
}
