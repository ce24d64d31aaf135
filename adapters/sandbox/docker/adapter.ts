/** The sandbox port over a Docker engine: single-use containers from a warm pool (design part 8, sandbox.md part 0). */
import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import type {
  IsolationProof,
  SandboxPort,
  SandboxRequest,
  SandboxResult,
  SandboxRunOptions,
} from '../../../core/ports/sandbox.ts';
import type { KeeperRecord } from '../shared/keeper-connection.ts';
import { probeRoom } from '../shared/probe.ts';
import { isAlive, isOfThisBoot } from '../shared/process-identity.ts';
import { roomName } from '../shared/room-name.ts';
import { checkRequest, collectLimits, freshUsers, planOf } from '../shared/room-request.ts';
import type { SeccompProfile } from '../shared/seccomp-profile.ts';
import { packMounts } from '../shared/tar-in.ts';
import { keeperCounters, lostResult, readResult } from '../shared/verdict.ts';
import type { RoomCounters } from '../shared/verdict.ts';
import { bounded, DockerRoom, removeContainer } from './room.ts';
import { RoomPool } from './room-pool.ts';
import { OWNER_LABEL, SANDBOX_LABEL, shapeOf, type RoomShape } from './room-shape.ts';

export interface DockerSandboxOptions {
  /** How dockerode reaches the engine, for example `{ socketPath: '/var/run/docker.sock' }`. */
  readonly docker: Docker.DockerOptions;
  readonly seccomp: SeccompProfile;
  /** Rooms that wait for each shape of request at most: as many as were in use at once; 0 for none. Default 2. */
  readonly poolSize?: number;
}

const POOL_SIZE = 2;

/** Makes the adapter; it talks to the engine when it is first used. */
export function createDockerSandbox(options: DockerSandboxOptions): SandboxPort {
  return new DockerSandbox(options);
}

class DockerSandbox implements SandboxPort {
  readonly backend = 'docker';
  readonly #docker: Docker;
  readonly #seccomp: string;
  readonly #pool: RoomPool<DockerRoom>;
  readonly #live = new Set<DockerRoom>();
  readonly #cleaning = new Set<Promise<void>>();
  readonly #key = randomUUID();
  #wasUsed = false;

  constructor(options: DockerSandboxOptions) {
    this.#docker = new Docker(options.docker);
    this.#seccomp = JSON.stringify(options.seccomp);
    this.#pool = new RoomPool(options.poolSize ?? POOL_SIZE, async (shape) => {
      return await this.#open(shape);
    });
  }

  async run(request: SandboxRequest, options: SandboxRunOptions = {}): Promise<SandboxResult> {
    checkRequest(request);
    const tar = packMounts(request.mounts);
    const shape = shapeOf(request);
    const isPooled = shape.shows === undefined;
    let room: DockerRoom | null = null;
    try {
      if (isPooled) room = await this.#pool.take(shape);
      room ??= await this.#open(shape);
      this.#live.add(room);
      await room.takeName(roomName(request));
      return await this.#runIn(room, request, tar, options);
    } catch (error) {
      return await lostResult(request, `the engine failed: ${String(error)}`, options.signal?.aborted);
    } finally {
      if (isPooled) this.#pool.done(shape);
      if (room !== null) this.#release(room);
      if (isPooled) this.#pool.refill();
    }
  }

  async probe(image: string): Promise<IsolationProof> {
    return await probeRoom(this, image, []);
  }

  warm(image: string, count: number, shape?: Pick<SandboxRequest, 'mounts' | 'limits'>): void {
    this.#pool.want(image, count, shape === undefined ? undefined : shapeOf({ image, ...shape }));
  }

  async reap(): Promise<number> {
    const filters = { label: [OWNER_LABEL] };
    const all = await bounded('list containers', this.#docker.listContainers({ all: true, filters }));
    const orphans = all.filter((info) => isOrphan(info.Labels[OWNER_LABEL] ?? '', info.State));
    await Promise.all(orphans.map((info) => removeContainer(this.#docker.getContainer(info.Id))));
    return orphans.length;
  }

  async close(): Promise<void> {
    for (const room of this.#live) room.keeper.kill('the sandbox was closed');
    await this.#pool.close();
    while (this.#live.size > 0 || this.#cleaning.size > 0) {
      await Promise.all(this.#cleaning);
      if (this.#live.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (this.#wasUsed) await this.#removeLeft().catch(() => undefined);
  }

  async #open(shape: RoomShape): Promise<DockerRoom> {
    this.#wasUsed = true;
    return await DockerRoom.open(this.#docker, shape, this.#seccomp, this.#key);
  }

  /** Rooms that the engine made or should have removed while it could not be reached. */
  async #removeLeft(): Promise<void> {
    const filters = { label: [`${SANDBOX_LABEL}=${this.#key}`] };
    const left = await bounded('list containers', this.#docker.listContainers({ all: true, filters }));
    await Promise.all(left.map((info) => removeContainer(this.#docker.getContainer(info.Id))));
  }

  async #runIn(
    room: DockerRoom,
    request: SandboxRequest,
    tar: Buffer,
    { signal, onOutput }: SandboxRunOptions,
  ): Promise<SandboxResult> {
    const plan = planOf(request, tar.length, {
      // The engine may map few users; nothing in a container shares its pid namespace or keyring calls anyway.
      ...freshUsers(false),
      privileged: true,
      processLimit: 0,
      dataLimitBytes: 0,
      readsCgroup: true,
    });
    const stdin = request.stdin ?? new Uint8Array();
    const record = await room.keeper.run({ plan, tar, stdin, onOutput }, signal);
    const counters = await countersOf(room, record);
    return await readResult(request, record, counters, collectLimits(request), room.diagnostics);
  }

  #release(room: DockerRoom): void {
    const tracked = room
      .dispose()
      .catch(() => undefined)
      .finally(() => this.#cleaning.delete(tracked));
    this.#cleaning.add(tracked);
    this.#live.delete(room);
  }
}

/** The keeper's own counters; where it was lost, the engine's events may still prove why. */
async function countersOf(room: DockerRoom, record: KeeperRecord): Promise<RoomCounters> {
  if (record.report !== null || !record.started || record.cancelled) return keeperCounters(record.report);
  return { cpuMs: null, outOfMemoryKills: await room.outOfMemoryEvents(), refusedForks: null };
}

/** A running container of another boot belongs to another machine that uses this engine. */
function isOrphan(owner: string, state: string): boolean {
  if (!isOfThisBoot(owner)) return state !== 'running';
  return !isAlive(owner);
}
