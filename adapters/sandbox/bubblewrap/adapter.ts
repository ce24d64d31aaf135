/** The sandbox port over bubblewrap: a new process tree for each run, about 20 ms, no engine (design parts 8 and 11). */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { layerOfTag } from '../../../core/layers/layer-spec.ts';
import {
  type IsolationProof,
  type SandboxPort,
  type SandboxRequest,
  type SandboxResult,
  type SandboxRunOptions,
  TWO_USERS,
} from '../../../core/ports/sandbox.ts';
import { packMounts } from '../shared/tar-in.ts';
import { probeRoom } from '../shared/probe.ts';
import { roomName } from '../shared/room-name.ts';
import { checkRequest, collectLimits, freshUsers, planOf } from '../shared/room-request.ts';
import { compileSeccomp } from '../shared/seccomp-bpf.ts';
import type { SeccompProfile } from '../shared/seccomp-profile.ts';
import { lostResult, NO_COUNTERS, readResult } from '../shared/verdict.ts';
import type { RootEntry } from './arguments.ts';
import { CgroupTree, countersSince, readCounters } from './cgroup.ts';
import { RoomRegistry } from './registry.ts';
import { BubblewrapRoom } from './room.ts';
import type { RoomSettings } from './room.ts';

export interface BubblewrapOptions {
  /** Absolute path of bwrap. */
  readonly program: string;
  /** Unpacked image: `image` of a request must be the one that was unpacked here. */
  readonly rootfs: string;
  readonly image: string;
  /** Root file systems of images made of this one and a layer, `<24 hex digits>/rootfs` each; null for none. Default null. */
  readonly layersFolder?: string | null;
  readonly seccomp: SeccompProfile;
  /** A folder of ours for records and mount points; made if missing. */
  readonly stateFolder: string;
  /** Default: this process is root. Two users in a room, cgroups and one shared disk limit need it. */
  readonly privileged?: boolean;
  /** Default `/usr/bin/unshare`; used by root only. */
  readonly unshareProgram?: string;
  /** Default `/sys/fs/cgroup`; null for none. */
  readonly cgroupRoot?: string | null;
}

/** Makes the adapter. @throws {RangeError} if the root file system or the processor is not usable. */
export function createBubblewrapSandbox(options: BubblewrapOptions): SandboxPort {
  return new BubblewrapSandbox(options);
}

class BubblewrapSandbox implements SandboxPort {
  readonly backend = 'bubblewrap';
  readonly #image: string;
  readonly #layersFolder: string | null;
  readonly #settings: RoomSettings;
  readonly #layered = new Map<string, RoomSettings>();
  readonly #live = new Map<string, BubblewrapRoom>();
  readonly #cleaning = new Set<Promise<void>>();

  constructor(options: BubblewrapOptions) {
    const { stateFolder } = options;
    const privileged = options.privileged ?? process.getuid?.() === 0;
    const cgroupRoot = options.cgroupRoot === undefined ? '/sys/fs/cgroup' : options.cgroupRoot;
    mkdirSync(join(stateFolder, 'mount'), { recursive: true, mode: 0o700 });
    this.#image = options.image;
    this.#layersFolder = options.layersFolder ?? null;
    this.#settings = {
      program: options.program,
      unshareProgram: options.unshareProgram ?? '/usr/bin/unshare',
      rootfs: options.rootfs,
      rootEntries: readRootEntries(options.rootfs),
      stateFolder,
      filterPath: writeFilter(stateFolder, options.seccomp),
      privileged,
      cgroups: privileged && cgroupRoot !== null ? CgroupTree.open(cgroupRoot) : null,
      registry: new RoomRegistry(join(stateFolder, 'rooms')),
    };
  }

  async run(request: SandboxRequest, options: SandboxRunOptions = {}): Promise<SandboxResult> {
    checkRequest(request);
    const lost = (reason: string): Promise<SandboxResult> => lostResult(request, reason);
    const settings = this.#settingsOf(request.image);
    if (settings === null)
      return await lost(`bubblewrap has the image "${this.#image}", not "${request.image}"`);
    if (!this.#settings.privileged && usersOf(request).size > 1)
      return await lost('two users in one room need root');
    const name = roomName(request);
    await this.#removePredecessors(name);
    const unique = `${name}-${randomBytes(6).toString('hex')}`;
    let room: BubblewrapRoom;
    try {
      room = BubblewrapRoom.start(settings, name, unique, request);
    } catch (error) {
      return await lost(`the room could not be made: ${String(error)}`);
    }
    this.#live.set(name, room);
    try {
      return await this.#runIn(room, request, options);
    } finally {
      if (this.#live.get(name) === room) this.#live.delete(name);
      this.#clean(room.dispose());
    }
  }

  async probe(image: string): Promise<IsolationProof> {
    const { privileged, cgroups } = this.#settings;
    return await probeRoom(this, image, [
      {
        act: 'limit memory, processes and processor of the whole room',
        held: cgroups !== null,
        detail:
          cgroups === null ? 'no writable control group: limits hold for each process only' : 'control group',
      },
      {
        act: TWO_USERS,
        held: privileged,
        detail: privileged ? 'two uids' : 'without root a room has one user',
      },
      {
        act: 'limit the number of files',
        held: privileged,
        detail: privileged ? 'inodes of one tmpfs' : 'without root files are limited by size only',
      },
    ]);
  }

  /** Nothing is gained by idle rooms: a start costs less than lending one. */
  warm(): void {
    return;
  }

  async reap(): Promise<number> {
    return await this.#settings.registry.reap();
  }

  async close(): Promise<void> {
    for (const room of this.#live.values()) room.keeper.kill('the sandbox was closed');
    while (this.#cleaning.size > 0 || this.#live.size > 0) {
      await Promise.all(this.#cleaning);
      if (this.#live.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #runIn(
    room: BubblewrapRoom,
    request: SandboxRequest,
    { signal, onOutput }: SandboxRunOptions,
  ): Promise<SandboxResult> {
    const { privileged } = this.#settings;
    const mounts = privileged ? request.mounts : request.mounts.filter((mount) => mount.writable ?? true);
    const tar = packMounts(mounts);
    const limited = room.cgroup !== null;
    const plan = planOf(request, tar.length, {
      ...freshUsers(),
      privileged,
      processLimit: limited ? 0 : request.limits.processesMax,
      dataLimitBytes: limited ? 0 : request.limits.memoryBytes,
      readsCgroup: false,
    });
    let before = NO_COUNTERS;
    const onStarted = (): void => {
      before = readCounters(room.cgroup);
    };
    const record = await room.keeper.run(
      { plan, tar, stdin: request.stdin ?? new Uint8Array(), onStarted, onOutput },
      signal,
    );
    const counters = countersSince(readCounters(room.cgroup), before);
    const said = record.failure === null ? '' : await room.lastWords();
    return await readResult(request, record, counters, collectLimits(request), said);
  }

  /** Settings with the root file system of an image; null if it is neither the unpacked one nor a layer of the cache. */
  #settingsOf(image: string): RoomSettings | null {
    if (image === this.#image) return this.#settings;
    const layer = layerOfTag(image);
    if (layer === null || this.#layersFolder === null) return null;
    const known = this.#layered.get(image);
    if (known !== undefined) return known;
    const rootfs = join(this.#layersFolder, layer, 'rootfs');
    if (!existsSync(rootfs)) return null;
    const settings = { ...this.#settings, rootfs, rootEntries: readRootEntries(rootfs) };
    this.#layered.set(image, settings);
    return settings;
  }

  async #removePredecessors(name: string): Promise<void> {
    const earlier = this.#live.get(name);
    if (earlier !== undefined) {
      earlier.keeper.kill('replaced by a later attempt of the same key');
      await earlier.dispose();
    }
    await this.#settings.registry.removeNamed(name);
  }

  #clean(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#cleaning.delete(tracked));
    this.#cleaning.add(tracked);
  }
}

function usersOf(request: SandboxRequest): Set<string> {
  const processes = [request, ...(request.companions ?? [])].map(({ user }) => user ?? 'guest');
  const owners = request.mounts
    .filter((mount) => mount.private === true)
    .map(({ owner }) => owner ?? 'guest');
  return new Set([...processes, ...owners]);
}

function readRootEntries(rootfs: string): RootEntry[] {
  const entries = readdirSync(rootfs).map((name): RootEntry | null => {
    const info = lstatSync(join(rootfs, name));
    if (info.isSymbolicLink()) return { name, link: readlinkSync(join(rootfs, name)) };
    return info.isDirectory() ? { name, link: null } : null;
  });
  const found = entries.filter((entry) => entry !== null);
  if (!found.some((entry) => entry.name === 'usr'))
    throw new RangeError(`Cannot use "${rootfs}" as a root file system: it has no /usr`);
  return found;
}

function writeFilter(stateFolder: string, profile: SeccompProfile): string {
  if (process.arch !== 'x64' && process.arch !== 'arm64') {
    throw new RangeError(
      `Cannot compile a seccomp filter: processor must be x64 or arm64, current value is "${process.arch}"`,
    );
  }
  const path = join(stateFolder, 'seccomp.bpf');
  const fresh = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(fresh, compileSeccomp(profile, process.arch), { mode: 0o600 });
  renameSync(fresh, path);
  return path;
}
