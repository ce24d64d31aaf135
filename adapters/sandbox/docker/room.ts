/** One container with its keeper as process 1: made, attached, started, renamed, removed. Every call to the engine is bounded. */
import { randomBytes } from 'node:crypto';
import { Duplex, PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { KeeperConnection } from '../shared/keeper-connection.ts';
import { ownIdentity } from '../shared/process-identity.ts';
import { containerOptions } from './room-shape.ts';
import type { RoomShape } from './room-shape.ts';

const CALL_MS = 20_000;
const REMOVED_MS = 10_000;
const POLL_MS = 20;
const DIAGNOSTICS_MAX = 2_000;

/** A started container. `dispose()` removes it; it may be called at any time, also twice. */
export class DockerRoom {
  readonly keeper: KeeperConnection;
  readonly #docker: Docker;
  readonly #container: Docker.Container;
  readonly #stream: Duplex;
  readonly #startedAtMs = Date.now();
  #diagnostics = '';

  private constructor(docker: Docker, container: Docker.Container, stream: Duplex) {
    this.#docker = docker;
    this.#container = container;
    this.#stream = stream;
    const [out, err] = [new PassThrough(), new PassThrough()];
    (docker.modem as Demux).demuxStream(stream, out, err);
    for (const event of ['end', 'close', 'error']) stream.on(event, () => out.end());
    err.on('data', (chunk: Buffer) => {
      if (this.#diagnostics.length < DIAGNOSTICS_MAX) this.#diagnostics += chunk.toString();
    });
    const kill = (): void => void this.#container.kill().catch(ignoreGone);
    this.keeper = new KeeperConnection({ stdin: stream, stdout: out, kill });
  }

  /** Makes and starts a container; it is ready when its keeper answers. @throws the engine's error. */
  static async open(docker: Docker, shape: RoomShape, seccomp: string, sandbox: string): Promise<DockerRoom> {
    const name = `a7-rt.idle.${randomBytes(8).toString('hex')}`;
    const options = containerOptions(shape, seccomp, { owner: ownIdentity(), sandbox });
    const container = await bounded('create a container', docker.createContainer({ ...options, name }));
    try {
      const wires = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      const stream = await bounded('attach to a container', container.attach(wires));
      if (!(stream instanceof Duplex))
        throw new Error('Cannot use a container: the engine must answer an attach with one two-way stream');
      const room = new DockerRoom(docker, container, stream);
      await bounded('start a container', container.start());
      if (!(await room.keeper.ready()))
        throw new Error(`Cannot use a container: its keeper did not start; ${room.diagnostics}`);
      return room;
    } catch (error) {
      await removeContainer(container).catch(() => undefined);
      throw error;
    }
  }

  /** What the keeper or the engine said beside the protocol. */
  get diagnostics(): string {
    return this.#diagnostics.trim().slice(0, DIAGNOSTICS_MAX);
  }

  /** Gives the container a run's name; a predecessor of that name is removed first (port contract S1). */
  async takeName(name: string): Promise<void> {
    const deadline = Date.now() + REMOVED_MS;
    for (;;) {
      try {
        await bounded('name a container', this.#container.rename({ name }));
        return;
      } catch (error) {
        if (statusOf(error) !== 409 || Date.now() > deadline) throw error;
        await removeContainer(this.#docker.getContainer(name));
        await pause(POLL_MS);
      }
    }
  }

  /** How often the engine saw this container run out of memory: proof where the keeper itself was killed. */
  async outOfMemoryEvents(): Promise<number> {
    const filters = { container: [this.#container.id], event: ['oom'] };
    const [since, until] = [Math.floor(this.#startedAtMs / 1000), Math.ceil(Date.now() / 1000)];
    const read = async (): Promise<number> => {
      const stream = await this.#docker.getEvents({ since, until, filters });
      let text = '';
      for await (const chunk of stream) text += chunk.toString();
      return text.split('\n').filter((line) => line.trim() !== '').length;
    };
    return await bounded('read events', read()).catch(() => 0);
  }

  async dispose(): Promise<void> {
    this.keeper.kill('the room was closed');
    try {
      await removeContainer(this.#container);
    } finally {
      this.#stream.destroy();
    }
  }
}

interface Demux {
  demuxStream(stream: NodeJS.ReadableStream, out: NodeJS.WritableStream, err: NodeJS.WritableStream): void;
}

/** Kills and removes a container and waits until its name is free. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  const deadline = Date.now() + REMOVED_MS;
  for (;;) {
    try {
      await bounded('remove a container', container.remove({ force: true, v: true }));
      return;
    } catch (error) {
      if (statusOf(error) === 404) return;
      // 409: the engine removes it already, as it does with every room whose keeper has ended.
      if (statusOf(error) !== 409 || Date.now() > deadline) throw error;
      await pause(POLL_MS);
    }
  }
}

/** Status of the engine's answer, if the error is one. */
export function statusOf(error: unknown): number | null {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}

/** The engine may hang: no call waits longer than 20 s. */
export async function bounded<T>(action: string, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Cannot ${action}: the engine did not answer in ${CALL_MS} ms`));
    }, CALL_MS);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function ignoreGone(): void {
  // The container has ended by itself, or the engine is gone: the run is settled either way.
}
