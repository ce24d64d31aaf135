/** Checks a request at the border and turns it into the keeper's plan. A wrong request is a caller's bug: it throws. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SandboxMount, SandboxRequest } from '../../../core/ports/sandbox.ts';
import type { PlanProcess, RoomPlan } from './room-protocol.ts';
import type { CollectLimits } from './tar-out.ts';

/** Two users that no other room has. */
export interface RoomUsers {
  readonly guestUid: number;
  readonly trustedUid: number;
}

/** What the backend adds to a plan. */
export type BackendPart = Pick<
  RoomPlan,
  'privileged' | 'processLimit' | 'dataLimitBytes' | 'readsCgroup' | keyof RoomUsers
>;

/** Part of the disk limit that always belongs to `/tmp`, and to `/dev/shm`. */
export const SCRATCH_FOLDERS = ['/tmp', '/dev/shm'] as const;
/** Bytes that come out of a room at most; more is refused as `too_large`. */
export const COLLECT_BYTES_MAX = 64 * 1024 * 1024;
/** Memory and processes that the keeper itself needs, on top of what the guest may use. */
export const KEEPER_MEMORY_BYTES = 24 * 1024 * 1024;
export const KEEPER_PROCESSES = 1;
/** What the keeper needs to lay a tree for two users, to become them, and to end them. The guest has none of them. */
export const KEEPER_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID', 'SETPCAP'];

/** How much longer than its limit a room may take where it waits for a processor, and how long at most (G9). */
const SLOWER_MAX = 30;
const BUSY_WALL_MAX_MS = 400_000;

const KEY = /^[a-zA-Z0-9_.-]{1,200}$/;
const FOLDER = /^(?:\/[a-zA-Z0-9_.-]+)+$/;
const RESERVED = /^\/(?:proc|sys|dev|usr|etc|bin|sbin|lib|lib64|tmp)(?:\/|$)/;
const DEFAULT_ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  USER: 'guest',
  LOGNAME: 'guest',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
};
const WIDE_RANGE = [1_000_000_000, 2_000_000_000] as const;
const NARROW_RANGE = [20_000, 60_000] as const;

/** @throws {RangeError} for a key, path, limit or nesting that no room can have. */
export function checkRequest(request: SandboxRequest): void {
  if (!KEY.test(request.key)) fail(`key must match ${KEY.source}`, request.key);
  if (request.argv.length === 0) fail('argv must name a command', '[]');
  const paths = request.mounts.map((mount) => mount.path);
  for (const path of paths) {
    if (!FOLDER.test(path) || RESERVED.test(path) || path.split('/').some((part) => /^\.+$/.test(part))) {
      fail('a mount is an absolute folder outside the system folders', path);
    }
    const outer = paths.find((other) => other !== path && path.startsWith(`${other}/`));
    if (outer !== undefined) fail(`mounts may not be nested in "${outer}"`, path);
  }
  if (new Set(paths).size < paths.length) fail('mounts must be different folders', paths.join(', '));
  for (const { from, at } of request.shows ?? []) {
    if (!FOLDER.test(at) || RESERVED.test(at) || paths.some((path) => inside(path, at) || inside(at, path)))
      fail('a shown folder is an absolute folder beside the mounts', at);
    if (!from.startsWith('/')) fail('a shown folder of the host needs an absolute path', from);
  }
  for (const [name, value] of Object.entries(request.limits)) {
    if (!(value > 0 && Number.isFinite(value))) fail(`limit ${name} must be positive`, String(value));
  }
  for (const mount of request.mounts)
    for (const { path } of [...mount.files, ...(mount.prepared ?? [])]) checkPath(mount, path);
}

function inside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function checkPath(mount: SandboxMount, path: string): void {
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..') || path.includes('\0');
  if (bad) fail(`a file of "${mount.path}" needs a plain relative path`, path);
}

function fail(rule: string, value: string): never {
  throw new RangeError(`Cannot start a sandbox: ${rule}, current value is "${value.slice(0, 200)}"`);
}

/** Limits of what comes out of a room. */
export function collectLimits(request: SandboxRequest): CollectLimits {
  return {
    filesMax: request.limits.filesMax,
    bytesMax: Math.min(COLLECT_BYTES_MAX, request.limits.diskBytes),
  };
}

/** The keeper's plan of a checked request. */
export function planOf(request: SandboxRequest, tarBytes: number, backend: BackendPart): RoomPlan {
  const { limits } = request;
  const writable = request.mounts.filter((mount) => mount.writable ?? true).map((mount) => mount.path);
  return {
    ...backend,
    tarBytes,
    stdinBytes: request.stdin?.length ?? 0,
    wallMs: limits.wallMs,
    boundMs: Math.max(limits.wallMs, Math.min(limits.wallMs * SLOWER_MAX, BUSY_WALL_MAX_MS)),
    outputBytes: limits.outputBytes,
    diskBytes: limits.diskBytes,
    filesMax: limits.filesMax,
    collectBytes: collectLimits(request).bytesMax,
    writable: [...writable, ...SCRATCH_FOLDERS],
    collect: request.collect ?? [],
    changes: request.collectChanges ?? [],
    prepared: request.mounts.flatMap(({ path, prepared = [] }) =>
      (request.collectChanges ?? []).includes(path)
        ? prepared.map(
            (file) => [`${path}/${file.path}`, `${file.executable ? 'x' : '-'}${file.oid}`] as const,
          )
        : [],
    ),
    prepare: request.prepare === undefined ? null : processOf({ argv: request.prepare, cwd: '/' }),
    processes: [request, ...(request.companions ?? [])].map(processOf),
  };
}

function processOf(
  from: Pick<SandboxRequest, 'argv' | 'user' | 'env' | 'cwd'> & { readonly channel?: boolean },
): PlanProcess {
  return {
    user: from.user ?? 'guest',
    channel: from.channel ?? false,
    cwd: from.cwd ?? '/work',
    argv: from.argv,
    env: { ...DEFAULT_ENV, ...from.env },
  };
}

/** Bytes of a mount's files, each rounded up to whole pages as tmpfs stores them. */
export function contentBytes(mount: SandboxMount): number {
  const page = 4096;
  const sizes = [
    ...mount.files.map(({ bytes }) => bytes.length),
    ...(mount.prepared ?? []).map(({ size }) => size),
  ];
  return sizes.reduce((sum, size) => sum + (Math.ceil(size / page) + 1) * page, page);
}

/** Of these little is asked: results, and memory that processes share. Any other writable folder gets three times as much. */
const SMALL_FOLDERS: readonly string[] = ['/out', '/dev/shm'];

/** Where each folder is a file system of its own: the part of the disk limit that a writable one gets. */
export function diskShare(request: Pick<SandboxRequest, 'mounts' | 'limits'>, path: string): number {
  const writable = request.mounts.filter((mount) => mount.writable ?? true).map((mount) => mount.path);
  const parts = (each: string): number => (SMALL_FOLDERS.includes(each) ? 1 : 3);
  const all = [...writable, ...SCRATCH_FOLDERS].reduce((sum, each) => sum + parts(each), 0);
  return Math.floor((request.limits.diskBytes * parts(path)) / all);
}

/** Files and folders of a mount, itself included; at most, as parents are counted once a file. */
export function countEntries(mount: SandboxMount): number {
  const paths = [...mount.files, ...(mount.prepared ?? [])];
  return paths.reduce((sum, { path }) => sum + path.split('/').length, 1);
}

/** A fresh pair of uids: from a billion where the host maps them, else from 20,000. A key left in a user's kernel keyring finds no heir. */
export function freshUsers(widest = hostMapsAllUsers()): RoomUsers {
  const [low, high] = widest ? WIDE_RANGE : NARROW_RANGE;
  const guestUid = low + 2 * randomInt((high - low) / 2);
  return { guestUid, trustedUid: guestUid + 1 };
}

function hostMapsAllUsers(): boolean {
  const rows = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n');
  return rows.some((row) => Number(row.trim().split(/\s+/)[2]) > WIDE_RANGE[1]);
}
