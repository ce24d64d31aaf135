/**
 * Limits of a room as a whole, where this process may make control groups: version 1 (one folder a controller) or 2.
 * Without them bubblewrap has no limit of memory, processes and processor for the room, which the proof then says.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SandboxLimits } from '../../../core/ports/sandbox.ts';
import { KEEPER_MEMORY_BYTES, KEEPER_PROCESSES } from '../shared/room-request.ts';
import { NO_COUNTERS } from '../shared/verdict.ts';
import type { RoomCounters } from '../shared/verdict.ts';

/** Control group of one room. */
export interface RoomCgroup {
  /** Files that take the pid of the room's first process. */
  readonly processFiles: readonly string[];
  readonly folders: readonly string[];
  counters(): RoomCounters;
}

const GROUP = 'a7-rt';
const CPU_PERIOD_US = 100_000;
/** bubblewrap's own process outside the room. */
const MONITOR_PROCESSES = 1;
const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;
const CONTROLLERS_V1 = ['memory', 'pids', 'cpu'] as const;

/** Makes rooms below one mounted cgroup tree; null where that is not permitted. */
export class CgroupTree {
  readonly #root: string;
  readonly #version: 1 | 2;

  private constructor(root: string, version: 1 | 2) {
    this.#root = root;
    this.#version = version;
  }

  /** `root` is where cgroups are mounted, usually /sys/fs/cgroup. */
  static open(root: string): CgroupTree | null {
    const version = existsSync(join(root, 'cgroup.controllers')) ? 2 : 1;
    const tree = new CgroupTree(root, version);
    try {
      for (const folder of tree.#bases()) {
        accessSync(join(folder, '..'), constants.W_OK);
        mkdirSync(folder, { recursive: true });
      }
      if (version === 2) tree.#delegate();
      return tree;
    } catch {
      return null;
    }
  }

  /** Makes the group of one room. @throws the system's error if a limit cannot be set. */
  create(name: string, limits: SandboxLimits): RoomCgroup {
    const memory = limits.memoryBytes + KEEPER_MEMORY_BYTES;
    const processes = limits.processesMax + KEEPER_PROCESSES + MONITOR_PROCESSES;
    const quota = Math.max(1000, Math.round(limits.cpus * CPU_PERIOD_US));
    const folders = this.#bases().map((base) => join(base, name));
    for (const folder of folders) mkdirSync(folder);
    if (this.#version === 2) {
      this.#set(name, '', 'memory.max', memory);
      this.#set(name, '', 'memory.swap.max', 0, true);
      this.#set(name, '', 'pids.max', processes);
      this.#set(name, '', 'cpu.max', `${quota} ${CPU_PERIOD_US}`);
    } else {
      this.#set(name, 'memory', 'memory.limit_in_bytes', memory);
      this.#set(name, 'memory', 'memory.memsw.limit_in_bytes', memory, true);
      this.#set(name, 'pids', 'pids.max', processes);
      this.#set(name, 'cpu', 'cpu.cfs_period_us', CPU_PERIOD_US);
      this.#set(name, 'cpu', 'cpu.cfs_quota_us', quota);
    }
    const processFiles = folders.map((folder) => join(folder, 'cgroup.procs'));
    return { processFiles, folders, counters: () => this.#counters(name) };
  }

  #bases(): string[] {
    if (this.#version === 2) return [join(this.#root, GROUP)];
    const folders = CONTROLLERS_V1.map((controller) => realpathSync(join(this.#root, controller)));
    return [...new Set(folders)].map((folder) => join(folder, GROUP));
  }

  #delegate(): void {
    for (const folder of [this.#root, join(this.#root, GROUP)]) {
      writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory +pids +cpu');
    }
  }

  #file(name: string, controller: string, file: string): string {
    return this.#version === 2
      ? join(this.#root, GROUP, name, file)
      : join(this.#root, controller, GROUP, name, file);
  }

  #set(name: string, controller: string, file: string, value: string | number, optional = false): void {
    const path = this.#file(name, controller, file);
    if (optional && !existsSync(path)) return;
    writeFileSync(path, String(value));
  }

  #counters(name: string): RoomCounters {
    const read = (controller: string, file: string, key?: string): number | null =>
      readNumber(this.#file(name, controller, file), key);
    if (this.#version === 2) {
      const cpuUs = read('', 'cpu.stat', 'usage_usec');
      const outOfMemoryKills = read('', 'memory.events', 'oom_kill');
      return {
        cpuMs: cpuUs === null ? null : cpuUs / 1000,
        outOfMemoryKills,
        refusedForks: read('', 'pids.events', 'max'),
      };
    }
    const outOfMemoryKills = read('memory', 'memory.oom_control', 'oom_kill');
    const refusedForks = read('pids', 'pids.events', 'max');
    // Joining a fourth tree would cost milliseconds: the keeper counts processor time as it reaps.
    return { cpuMs: null, outOfMemoryKills, refusedForks };
  }
}

/** Counters since `before`, taken when the command started. */
export function countersSince(after: RoomCounters, before: RoomCounters): RoomCounters {
  const minus = (a: number | null, b: number | null): number | null => (a === null ? null : a - (b ?? 0));
  return {
    cpuMs: minus(after.cpuMs, before.cpuMs),
    outOfMemoryKills: minus(after.outOfMemoryKills, before.outOfMemoryKills),
    refusedForks: minus(after.refusedForks, before.refusedForks),
  };
}

/** Counters of a room that may have no group. */
export function readCounters(cgroup: RoomCgroup | null): RoomCounters {
  return cgroup?.counters() ?? NO_COUNTERS;
}

/** Kills what is still in a group and removes its folders; gives up after a second and leaves them to the reaper. */
export async function removeCgroup(folders: readonly string[]): Promise<boolean> {
  for (let attempt = 0; attempt < REMOVE_TRIES; attempt += 1) {
    const left = folders.filter((folder) => !removeFolder(folder));
    if (left.length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS));
  }
  return false;
}

function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    killMembers(folder);
    return false;
  }
}

function killMembers(folder: string): void {
  try {
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // Gone meanwhile: the next try to remove the folder tells.
  }
}

function readNumber(path: string, key?: string): number | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (key === undefined) return Number(text);
    const row = text.split('\n').find((line) => line.startsWith(`${key} `));
    return row === undefined ? null : Number(row.slice(key.length + 1));
  } catch {
    return null;
  }
}
