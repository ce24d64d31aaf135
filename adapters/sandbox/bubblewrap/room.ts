/** One bubblewrap process with its keeper: prepared, started, ended, cleaned up. */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { SandboxMount, SandboxRequest } from '../../../core/ports/sandbox.ts';
import { KeeperConnection } from '../shared/keeper-connection.ts';
import { ownIdentity, processIdentity } from '../shared/process-identity.ts';
import { contentBytes, countEntries, diskShare, SCRATCH_FOLDERS } from '../shared/room-request.ts';
import { PREPARE_SCRIPT, preparedFolders, roomCommand } from './arguments.ts';
import type { RoomFolder, RootEntry } from './arguments.ts';
import { removeCgroup } from './cgroup.ts';
import type { CgroupTree, RoomCgroup } from './cgroup.ts';
import type { RoomRegistry } from './registry.ts';

export interface RoomSettings {
  readonly program: string;
  readonly unshareProgram: string;
  readonly rootfs: string;
  readonly rootEntries: readonly RootEntry[];
  readonly stateFolder: string;
  readonly filterPath: string;
  readonly privileged: boolean;
  readonly cgroups: CgroupTree | null;
  readonly registry: RoomRegistry;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const DIAGNOSTICS_MAX = 2_000;
const EXIT_MS = 5_000;
const LAST_WORDS_MS = 1_000;
/** Folders, stdin and the room's own files need inodes beside the guest's. */
const SPARE_INODES = 64;

/** A started room. `dispose()` ends and removes everything of it; it may be called at any time, also twice. */
export class BubblewrapRoom {
  readonly keeper: KeeperConnection;
  readonly cgroup: RoomCgroup | null;
  readonly #child: Child;
  readonly #exited: Promise<void>;
  readonly #release: () => Promise<void>;
  #diagnostics = '';

  private constructor(child: Child, cgroup: RoomCgroup | null, release: () => Promise<void>) {
    this.#child = child;
    this.cgroup = cgroup;
    this.#release = release;
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    child.on('error', (error) => (this.#diagnostics += error.message));
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.#diagnostics.length < DIAGNOSTICS_MAX) this.#diagnostics += chunk.toString();
    });
    this.keeper = new KeeperConnection({
      stdin: child.stdin,
      stdout: child.stdout,
      kill: () => child.kill('SIGKILL'),
    });
  }

  /** Starts a room. @throws the system's error if its cgroup or folders cannot be made. */
  static start(
    settings: RoomSettings,
    name: string,
    unique: string,
    request: SandboxRequest,
  ): BubblewrapRoom {
    const cgroup = settings.cgroups?.create(unique, request.limits) ?? null;
    const folder = settings.privileged ? null : join(settings.stateFolder, 'trees', unique);
    const record = { name, owner: ownIdentity(), cgroupFolders: cgroup?.folders ?? [], folder };
    const write = (room: string | null): void => {
      settings.registry.write(unique, { ...record, cgroupFolders: [...record.cgroupFolders], room });
    };
    write(null);
    const child = spawnRoom(settings, cgroup, request, folder);
    write(child.pid === undefined ? null : processIdentity(child.pid));
    return new BubblewrapRoom(child, cgroup, async () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
      if (cgroup === null || (await removeCgroup(cgroup.folders))) settings.registry.remove(unique);
    });
  }

  /** What a lost room's bubblewrap said on its standard error, which may come after the end of its output. */
  async lastWords(): Promise<string> {
    const { stderr } = this.#child;
    if (!stderr.closed) {
      const late = AbortSignal.timeout(LAST_WORDS_MS);
      await once(stderr, 'close', { signal: late }).catch(() => undefined);
    }
    return this.#diagnostics.trim().slice(0, DIAGNOSTICS_MAX);
  }

  async dispose(): Promise<void> {
    this.#child.kill('SIGKILL');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, EXIT_MS)));
    await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    await this.#release();
  }
}

function spawnRoom(
  settings: RoomSettings,
  cgroup: RoomCgroup | null,
  request: SandboxRequest,
  folder: string | null,
): Child {
  const mountPoint = join(settings.stateFolder, 'mount');
  const paths = request.mounts.map((mount) => mount.path);
  const folders = folder === null ? preparedFolders(mountPoint, paths) : plainFolders(request, folder);
  const shows = (request.shows ?? []).map(({ from, at }): RoomFolder => ({ kind: 'read_only', from, at }));
  const command = roomCommand({ ...settings, folders: [...folders, ...shows] });
  const maxBytes =
    request.limits.diskBytes + request.mounts.reduce((sum, mount) => sum + contentBytes(mount), 0);
  const inodes =
    request.limits.filesMax +
    request.mounts.reduce((sum, mount) => sum + countEntries(mount), 0) +
    SPARE_INODES;
  const options = `size=${maxBytes},nr_inodes=${inodes},mode=0755,nosuid,nodev`;
  const prepare = [
    '--mount',
    '--propagation',
    'private',
    '/bin/sh',
    '-c',
    PREPARE_SCRIPT,
    'a7-rt',
    mountPoint,
    options,
  ];
  const processFiles = (cgroup?.processFiles ?? []).join(' ');
  const all = settings.privileged
    ? [settings.unshareProgram, ...prepare, Object.keys(folders).join(' '), processFiles, ...command]
    : command;
  const filter = openSync(settings.filterPath, 'r');
  try {
    const [program = '', ...args] = all;
    return spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', filter],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    }) as Child;
  } finally {
    closeSync(filter);
  }
}

/** Without root: what may not be written is laid on the host and bound read-only, the rest is a tmpfs each. */
function plainFolders(request: SandboxRequest, folder: string): RoomFolder[] {
  const mounts = request.mounts.map((mount, number): RoomFolder => {
    if (mount.writable ?? true)
      return {
        kind: 'tmpfs',
        at: mount.path,
        maxBytes: diskShare(request, mount.path) + contentBytes(mount),
        shared: false,
      };
    const from = join(folder, String(number));
    layOnHost(mount, from);
    return { kind: 'read_only', from, at: mount.path };
  });
  return [
    ...mounts,
    ...SCRATCH_FOLDERS.map((at): RoomFolder => ({
      kind: 'tmpfs',
      at,
      maxBytes: diskShare(request, at),
      shared: true,
    })),
  ];
}

function layOnHost(mount: SandboxMount, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const file of mount.files) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, file.bytes, { flag: 'wx', mode: file.executable === true ? 0o555 : 0o444 });
  }
}
