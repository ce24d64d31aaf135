/** What a container must be made for before its request is known: the key of the pool. Pure. */
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { SandboxLimits, SandboxRequest } from '../../../core/ports/sandbox.ts';
import { ROOM_AGENT_SOURCE } from '../shared/room-agent.ts';
import {
  contentBytes,
  countEntries,
  diskShare,
  KEEPER_CAPABILITIES,
  KEEPER_MEMORY_BYTES,
  KEEPER_PROCESSES,
} from '../shared/room-request.ts';

/** Folders and limits that are fixed when a container is made. Sizes of laid trees are rounded up, so that pools are few. */
export interface RoomShape {
  readonly image: string;
  readonly folders: readonly {
    readonly path: string;
    readonly maxBytes: number;
    readonly maxInodes: number;
  }[];
  readonly scratchBytes: { readonly tmp: number; readonly shared: number };
  readonly filesMax: number;
  readonly limits: Pick<SandboxLimits, 'memoryBytes' | 'processesMax' | 'cpus'>;
  /** Never pooled: what is shown belongs to one run. */
  readonly shows?: SandboxRequest['shows'];
}

export const OWNER_LABEL = 'a7-rt.owner';
/** Which adapter of the owner made a container. */
export const SANDBOX_LABEL = 'a7-rt.sandbox';

const CONTENT_BYTES_MIN = 1024 * 1024;
const INODES_MIN = 256;
const NANO = 1_000_000_000;

/** Shape of a request. */
export function shapeOf(request: Pick<SandboxRequest, 'image' | 'mounts' | 'limits' | 'shows'>): RoomShape {
  const { memoryBytes, processesMax, cpus, filesMax } = request.limits;
  return {
    image: request.image,
    folders: request.mounts.map((mount) => {
      const writable = mount.writable ?? true;
      return {
        path: mount.path,
        maxBytes:
          powerOfTwo(contentBytes(mount), CONTENT_BYTES_MIN) +
          (writable ? diskShare(request, mount.path) : 0),
        maxInodes: powerOfTwo(countEntries(mount), INODES_MIN) + (writable ? filesMax : 0),
      };
    }),
    scratchBytes: { tmp: diskShare(request, '/tmp'), shared: diskShare(request, '/dev/shm') },
    filesMax,
    limits: { memoryBytes, processesMax, cpus },
    ...(request.shows === undefined ? {} : { shows: request.shows }),
  };
}

/** Options of a container of that shape. `seccomp` is the profile's JSON text. */
export function containerOptions(
  shape: RoomShape,
  seccomp: string,
  { owner, sandbox }: { readonly owner: string; readonly sandbox: string },
): ContainerCreateOptions {
  return {
    Image: shape.image,
    Entrypoint: ['/usr/bin/python3', '-I', '-S', '-E', '-c', ROOM_AGENT_SOURCE],
    Cmd: [],
    User: '0:0',
    WorkingDir: '/',
    Labels: { [OWNER_LABEL]: owner, [SANDBOX_LABEL]: sandbox },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // A network namespace with nothing but loopback: for any other the engine starts itself twice more, half of a room's price.
    NetworkDisabled: true,
    // The owner's death closes the keeper's input, which ends the room: no orphan outlives its owner.
    StdinOnce: true,
    HostConfig: hostConfig(shape, seccomp),
  };
}

function hostConfig(shape: RoomShape, seccomp: string): HostConfig {
  const memory = shape.limits.memoryBytes + KEEPER_MEMORY_BYTES;
  const folders = shape.folders.map(({ path, maxBytes, maxInodes }): [string, string] => {
    return [path, tmpfsOptions(maxBytes, maxInodes, '0755')];
  });
  return {
    AutoRemove: true,
    ...(shape.shows === undefined
      ? {}
      : {
          Mounts: shape.shows.map(({ from, at }) => ({
            Type: 'bind' as const,
            Source: from,
            Target: at,
            ReadOnly: true,
          })),
        }),
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    CapAdd: KEEPER_CAPABILITIES,
    Privileged: false,
    SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
    PidsLimit: shape.limits.processesMax + KEEPER_PROCESSES,
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(shape.limits.cpus * NANO),
    Init: false,
    IpcMode: 'private',
    ShmSize: shape.scratchBytes.shared,
    LogConfig: { Type: 'none', Config: {} },
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
    ],
    Tmpfs: Object.fromEntries([
      ...folders,
      ['/tmp', tmpfsOptions(shape.scratchBytes.tmp, shape.filesMax, '1777')],
    ]),
  };
}

function tmpfsOptions(maxBytes: number, maxInodes: number, mode: string): string {
  return `rw,exec,nosuid,nodev,size=${maxBytes},nr_inodes=${maxInodes},mode=${mode}`;
}

function powerOfTwo(value: number, atLeast: number): number {
  return Math.max(atLeast, 2 ** Math.ceil(Math.log2(value)));
}
