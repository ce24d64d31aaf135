/**
 * One holder at a time for a named resource, across processes of this machine.
 *
 * On Linux the lock is an abstract Unix socket: the kernel frees it when its holder dies, `kill -9` included
 * (temporal.md 7.1). Elsewhere it is a socket file whose silence proves a dead holder.
 */
import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { type Server, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A lock could not be had in time; the caller may try again. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
}

export interface HeldLock {
  release(): Promise<void>;
}

/** Longest wait for a lock. Its holders do milliseconds of work, so a longer wait means a stopped process. Default 30 s. */
export const LOCK_TIMEOUT_MS = 30_000;
const RETRY_MIN_MS = 1;
const RETRY_MAX_MS = 25;

const queues = new Map<string, Promise<unknown>>();

/** Runs `work` while holding `name`; calls of one process queue first come first served. @throws {LockTimeout} */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<T> {
  const before = queues.get(name) ?? Promise.resolve();
  const mine = before.then(() => holdAndRun(name, work, timeoutMs));
  const settled = mine.catch(() => undefined);
  queues.set(name, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(name) === settled) queues.delete(name);
  }
}

/** Takes the lock or returns null at once when another holder lives. */
export async function tryLock(name: string): Promise<HeldLock | null> {
  const server = await listen(name);
  if (server === null) return null;
  return { release: () => close(server) };
}

async function holdAndRun<T>(name: string, work: () => Promise<T>, timeoutMs: number): Promise<T> {
  const held = await acquire(name, timeoutMs);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

async function acquire(name: string, timeoutMs: number): Promise<HeldLock> {
  const deadline = performance.now() + timeoutMs;
  for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
    const held = await tryLock(name);
    if (held !== null) return held;
    if (performance.now() > deadline) {
      throw new LockTimeout(`Cannot lock "${name}": another process has held it for ${String(timeoutMs)} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function listen(name: string): Promise<Server | null> {
  const address = addressOf(name);
  const first = await tryListen(address);
  if (first !== null || address.startsWith('\0')) return first;
  if (await answers(address)) return null;
  await unlink(address).catch(() => undefined);
  return tryListen(address);
}

function addressOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return process.platform === 'linux' ? `\0a7-rt-${digest}` : join(tmpdir(), `a7-rt-${digest}.lock`);
}

function tryListen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
