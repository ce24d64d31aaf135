/**
 * Files that are whole and on disk when a call returns. Only the waits for the disk are asynchronous: a hop to the thread
 * pool takes ten times what a small file takes.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const toDisk = promisify(fsync);

export interface DurableOptions {
  /** Folder for the temporary file; must be on the same file system. Default: the target's own. */
  readonly tempFolder?: string;
  /** Default 0o644. */
  readonly mode?: number;
}

/** Replaces `path` by temp file, fsync and rename, then syncs the folder's entry. */
export async function writeDurably(
  path: string,
  bytes: Uint8Array | string,
  options: DurableOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temp = join(options.tempFolder ?? folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  await writeSynced(temp, bytes, options.mode ?? 0o644, folder);
  try {
    renameSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes names that were created, renamed or removed in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = openSync(folder, 'r');
  try {
    await toDisk(handle);
  } finally {
    closeSync(handle);
  }
}

/** The `code` of a system error; `instanceof Error` fails across realms. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

async function writeSynced(
  temp: string,
  bytes: Uint8Array | string,
  mode: number,
  folder: string,
): Promise<void> {
  const handle = openNew(temp, mode, folder);
  try {
    writeFileSync(handle, bytes);
    // The mode given to open is cut by the process's umask.
    fchmodSync(handle, mode);
    await toDisk(handle);
  } finally {
    closeSync(handle);
  }
}

function openNew(temp: string, mode: number, folder: string): number {
  try {
    return openSync(temp, 'wx', mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true });
    mkdirSync(dirname(temp), { recursive: true });
    return openSync(temp, 'wx', mode);
  }
}
