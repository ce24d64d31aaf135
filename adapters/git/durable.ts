/** Files that are whole and on disk when a call returns. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Makes names that were created, renamed or removed in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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
  const handle = await openNew(temp, mode, folder);
  try {
    await handle.writeFile(bytes);
    // The mode given to open is cut by the process's umask.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openNew(temp: string, mode: number, folder: string): ReturnType<typeof open> {
  try {
    return await open(temp, 'wx', mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true });
    await mkdir(dirname(temp), { recursive: true });
    return open(temp, 'wx', mode);
  }
}
