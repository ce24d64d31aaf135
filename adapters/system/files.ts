/**
 * Files that are whole and on disk when a call returns, also after `kill -9` or loss of power: written beside their name,
 * synced, put there in one atomic step, the folder synced.
 *
 * Only the waits for the disk are asynchronous. A hop to the thread pool takes ten times what opening, linking or renaming
 * a small file takes, and a step writes dozens of them.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../core/text/error-text.ts';
import { makeFolders } from './rooted.ts';

/** Waits until what was written through a descriptor is on disk. */
export const toDisk = promisify(fsync);

export interface DurableOptions {
  /** Where it is written first: on the same file system, a new name each time. Default: beside `path`. */
  readonly tempPath?: string;
  /** Exact mode, whatever the umask. Default: 0o644 as far as the umask allows. */
  readonly mode?: number;
}

/** Replaces `path`, whose folders are made: a reader sees the old bytes or the new ones. */
export async function writeDurably(
  path: string,
  bytes: Uint8Array | string,
  options: DurableOptions = {},
): Promise<void> {
  await writeAllDurably([{ ...options, path, bytes }]);
}

export interface DurableFile extends DurableOptions {
  readonly path: string;
  readonly bytes: Uint8Array | string;
}

/** Several files as {@link writeDurably} writes one: they wait for the disk at once, and once for each folder. */
export async function writeAllDurably(files: readonly DurableFile[]): Promise<void> {
  const laid = files.map((file) => {
    const folder = dirname(file.path);
    return { ...file, folder, top: makeFolder(folder), temp: file.tempPath ?? tempOf(file.path) };
  });
  try {
    await Promise.all(laid.map(({ temp, bytes, mode }) => writeSynced(temp, bytes, mode)));
    for (const { temp, path } of laid) renameSync(temp, path);
  } catch (error) {
    for (const { temp } of laid) rmSync(temp, { force: true });
    throw error;
  }
  const named = laid.flatMap(({ folder, top }) => foldersUpTo(folder, top));
  await Promise.all([...new Set(named)].map(syncFolder));
}

/** Writes a file that did not exist; false when it did, and then that one stands. A link fails where a rename overwrites. */
export async function createExclusively(
  path: string,
  bytes: Uint8Array | string,
  options: DurableOptions = {},
): Promise<boolean> {
  const file = await prepareFile(path, bytes, options);
  const isFirst = file.place();
  if (isFirst) await file.sync();
  return isFirst;
}

/** A file whose bytes are on disk under another name. */
export interface PreparedFile {
  /** Puts it where it belongs; false when there was one, and then that one stands. Once. */
  place(): boolean;
  /** Makes its name durable, and every other name that was put into its folder by now. */
  sync(): Promise<void>;
  /** Forgets a file that was not placed. */
  drop(): void;
}

/** The slow half of {@link createExclusively}: several files of one step wait for the disk at once, and are placed in order. */
export async function prepareFile(
  path: string,
  bytes: Uint8Array | string,
  options: DurableOptions = {},
): Promise<PreparedFile> {
  const folder = dirname(path);
  const top = makeFolder(folder);
  const temp = options.tempPath ?? tempOf(path);
  const drop = (): void => {
    rmSync(temp, { force: true });
  };
  try {
    await writeSynced(temp, bytes, options.mode);
  } catch (error) {
    drop();
    throw error;
  }
  return { place: () => placeNew(temp, path), sync: () => syncFolders(folder, top), drop };
}

function placeNew(temp: string, path: string): boolean {
  try {
    linkSync(temp, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temp, { force: true });
  }
}

/** Replaces `path` whole, without waiting for the disk: for what is made again from other files. */
export function writeWhole(path: string, text: string): void {
  const temp = tempOf(path);
  writeFileSync(temp, text, { flag: 'wx' });
  renameSync(temp, path);
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

/** Removes temp files and folders directly in `folder` whose writer is dead. */
export function removeDeadTemps(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(TEMP.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Makes the folder and those above it; returns the one that got the topmost new name. */
function makeFolder(folder: string): string {
  const firstMade = makeFolders(folder);
  return firstMade === undefined ? folder : dirname(firstMade);
}

/** Makes the names from `folder` up to `top` durable, at once, to share the journal. */
async function syncFolders(folder: string, top: string): Promise<void> {
  await Promise.all(foldersUpTo(folder, top).map(syncFolder));
}

/** From `folder` up to `top`: a new folder is not on disk before the one that names it is. */
function foldersUpTo(folder: string, top: string): string[] {
  const paths = [folder];
  for (let path = folder; path !== top && path !== dirname(path); path = dirname(path))
    paths.push(dirname(path));
  return paths;
}

const TEMP = /\.(\d+)-[0-9a-f]{12}\.tmp$/;

/** A new name beside `path` that tells its writer: what a killed one left can be told from what is being written. */
export function tempOf(path: string): string {
  return `${path}.${String(process.pid)}-${randomBytes(6).toString('hex')}.tmp`;
}

async function writeSynced(
  temp: string,
  bytes: Uint8Array | string,
  mode: number | undefined,
): Promise<void> {
  const handle = openSync(temp, 'wx', mode ?? 0o644);
  try {
    writeFileSync(handle, bytes);
    if (mode !== undefined) fchmodSync(handle, mode);
    await toDisk(handle);
  } finally {
    closeSync(handle);
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
