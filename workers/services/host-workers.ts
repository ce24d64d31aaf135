/** Workers in this process, kept alive with the server they need (design part 11). */
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { RunNotice } from '../../core/ports/services.ts';
import { type BuiltWorkers, SHUTDOWN_GRACE_MS, startWorkers } from '../build-workers.ts';
import { logRuntime } from '../log-runtime.ts';
import type { Machine } from '../machine.ts';
import { type WorkerPorts, createWorkerPorts } from '../ports.ts';
import { type Surroundings, placesOf } from './common.ts';
import { diskPlaces, watchDisk } from './disk-space.ts';
import { keepServer } from './keep-server.ts';
import { takeSlot } from './serve-slots.ts';
import { type ServerPlace, openServer } from './server.ts';

export interface Hosting {
  readonly ports: WorkerPorts;
  readonly place: ServerPlace;
  /** What its sandboxes offer; names their queue. */
  readonly capability: string;
  /** Rejects when the workers fail. */
  readonly failing: Promise<never>;
  /** Calls that were sent and not waited for; settles when closed. */
  readonly abandoned: Promise<number>;
  close(): Promise<void>;
}

export interface HostingOptions {
  readonly around: Surroundings;
  readonly machine: Machine;
  readonly place: ServerPlace;
  readonly session: { readonly dir: string; readonly id: string };
  readonly watch: (notice: RunNotice) => void;
}

const SERVER_STARTS_MAX = 3;

/** Starts workers for a session on a serving server. */
export async function hostWorkers(options: HostingOptions): Promise<Hosting> {
  const { around, machine, place, session, watch } = options;
  logRuntime(homeFolder(around.env));
  const slot = await takeSlot(session.id);
  const tell = (text: string): void => watch({ kind: 'said', text });
  const made = await createWorkerPorts(machine, placesOf(around), session.dir, tell);
  const ports = around.wrapPorts?.(made, machine) ?? made;
  const start = (): Promise<BuiltWorkers> =>
    startWorkers({ ...place, sessionId: session.id, machine, ports });
  const workers = await startOnLivingServer(start, around, place).catch(async (error: unknown) => {
    await ports.sessions.close();
    await slot?.release();
    throw error;
  });
  const ended = new AbortController();
  const watching = Promise.all([
    keepServer(around, place, tell, ended.signal),
    watchDisk(diskPlaces(session.dir, homeFolder(around.env)), tell, ended.signal),
  ]);
  const failing = workers.running.then(() => new Promise<never>(() => undefined));
  failing.catch(() => undefined);
  let tellAbandoned: (count: number) => void = () => undefined;
  const abandoned = new Promise<number>((resolve) => {
    tellAbandoned = resolve;
  });
  return {
    ports,
    place,
    capability: machine.capability,
    failing,
    abandoned,
    async close() {
      workers.shutdown();
      const [left] = await Promise.all([
        ports.model.close(SHUTDOWN_GRACE_MS),
        workers.running.catch(() => undefined),
      ]);
      ended.abort();
      await watching;
      await ports.sessions.close();
      // Another worker of the session may have been killed beside this one: nobody after us may come to clean up.
      await machine.sandbox.reap();
      await machine.sandbox.close();
      await slot?.release();
      tellAbandoned(left);
    },
  };
}

/** A server that died since it was opened is started again on its port, as for workers that run already. */
async function startOnLivingServer(
  start: () => Promise<BuiltWorkers>,
  around: Surroundings,
  place: ServerPlace,
): Promise<BuiltWorkers> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (!place.embedded || attempt === SERVER_STARTS_MAX) throw error;
      await openServer(around);
    }
  }
}
