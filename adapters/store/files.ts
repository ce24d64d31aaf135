/**
 * Durable file writes: what returned is on disk, and nobody ever sees half of it.
 *
 * Only the waits for the disk are asynchronous. A hop to the thread pool takes ten times what opening, linking or renaming
 * a small file takes, and a step writes dozens of them.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const toDisk = promisify(fsync);

/** Replaces `path` with `bytes`: temp file, fsync, rename, fsync of the folder. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const temp = tempOf(path);
  try {
    await writeSynced(temp, bytes);
    renameSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Replaces `path` whole, without waiting for the disk: for what is made again from other files. */
export function writeWhole(path: string, text: string): void {
  const temp = tempOf(path);
  writeFileSync(temp, text, { flag: 'wx' });
  renameSync(temp, path);
}

/** Writes a whole file that did not exist; false when it did. A hard link makes it appear complete or not at all. */
export async function createExclusively(path: string, text: string): Promise<boolean> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const temp = tempOf(path);
  try {
    await writeSynced(temp, text);
    linkSync(temp, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temp, { force: true });
  }
  await syncFolder(folder);
  return true;
}

/** Makes created, renamed and removed names of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = openSync(folder, 'r');
  try {
    await toDisk(handle);
  } finally {
    closeSync(handle);
  }
}

async function writeSynced(temp: string, bytes: Uint8Array | string): Promise<void> {
  const handle = openSync(temp, 'wx', 0o644);
  try {
    writeFileSync(handle, bytes);
    await toDisk(handle);
  } finally {
    closeSync(handle);
  }
}

function tempOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

/** The `code` of a system error, or undefined; `instanceof Error` fails across realms (style part 7). */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
