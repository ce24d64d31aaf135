/**
 * Durable file writes: what returned is on disk, and nobody ever sees half of it.
 *
 * Only the waits for the disk are asynchronous. A hop to the thread pool takes ten times what opening, linking or renaming
 * a small file takes, and a step writes dozens of them.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Names its writer, so that what a killed one left can be told from what is being written. */
function tempOf(path: string): string {
  return `${path}.${String(process.pid)}-${randomBytes(6).toString('hex')}.tmp`;
}

const TEMP = /\.(\d+)-[0-9a-f]{12}\.tmp$/;

/** Removes temp files directly in `folder` whose writer is dead. */
export function removeDeadTemps(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(TEMP.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** The `code` of a system error, or undefined; `instanceof Error` fails across realms (style part 7). */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
