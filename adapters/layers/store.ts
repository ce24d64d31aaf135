/**
 * Layers in the cache: `<layers>/<24 hex digits>/{lock.json, tree.json, files/, rootfs/}`, put there whole by one rename,
 * and `<layers>/spec/<24 hex digits>.json`, which lock a spec was resolved into on a base.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { layerFolderName, layerHashText } from '../../core/layers/layer-spec.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { LayerLock, type LayerSpec } from '../../schemas/layer.ts';
import { writeDurably } from '../system/files.ts';
import { startTimeOf } from '../system/processes.ts';
import { firstDifference, TreeEntry } from './tree.ts';

/** A layer whose files are on this machine. */
export interface StoredLayer {
  readonly folder: string;
  readonly lock: LayerLock;
  readonly entries: readonly TreeEntry[];
}

const WORK = /^work-(\d+)-(\d+)-[0-9a-f]+$/;

/** `sha256:` and 64 hex digits. */
export function layerHash(lock: Omit<LayerLock, 'hash' | 'notes'>): string {
  return `sha256:${digest(layerHashText(lock))}`;
}

/** The lock that a spec has on a base; null if none is known or the file is damaged. */
export async function lockOfSpec(layers: string, base: string, spec: LayerSpec): Promise<LayerLock | null> {
  const lock = await readLock(specPath(layers, base, spec));
  const fits = lock?.base === base && canonicalJson(lock.spec) === canonicalJson(spec);
  return fits ? lock : null;
}

export async function keepLockOfSpec(layers: string, lock: LayerLock): Promise<void> {
  await writeDurably(specPath(layers, lock.base, lock.spec), `${JSON.stringify(lock, null, 2)}\n`);
}

/** A layer by its hash, checked file by file; null if it is not there. A damaged one is removed first (L4). */
export async function readStored(
  layers: string,
  hash: string,
  withRootfs: boolean,
): Promise<StoredLayer | null> {
  const folder = join(layers, layerFolderName(hash));
  if ((await stat(folder).catch(() => null)) === null) return null;
  const lock = await readLock(join(folder, 'lock.json'));
  const entries = await readTree(join(folder, 'tree.json'));
  const root = join(folder, withRootfs ? 'rootfs' : 'files');
  const isWhole = lock?.hash === hash && entries !== null && (await firstDifference(root, entries)) === null;
  if (isWhole) return { folder, lock, entries };
  await discard(layers, folder);
  return null;
}

/** A layer that nobody has used for so long is removed; a process that goes on longer makes it anew. */
const IDLE_DAYS_MAX = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Notes that a layer is in use, so that it stays. */
export async function touchStored(layers: string, hash: string, now: Date): Promise<void> {
  await utimes(join(layers, layerFolderName(hash), 'lock.json'), now, now).catch(() => undefined);
}

/** Removes what was not used for 30 days. @returns the names of what went */
export async function pruneStored(layers: string, now: Date): Promise<readonly string[]> {
  const names = (await readdir(layers).catch(() => [])).filter((name) => /^[0-9a-f]{24}$/.test(name));
  const gone: string[] = [];
  for (const name of names) {
    const used = await stat(join(layers, name, 'lock.json')).catch(() => null);
    if (used === null || now.getTime() - used.mtimeMs < IDLE_DAYS_MAX * DAY_MS) continue;
    await discard(layers, join(layers, name));
    gone.push(name);
  }
  return gone;
}

/** Lock and list of a layer, its files unread; null if they are not there or damaged. */
export async function readListed(
  layers: string,
  hash: string,
): Promise<Pick<StoredLayer, 'lock' | 'entries'> | null> {
  const folder = join(layers, layerFolderName(hash));
  const lock = await readLock(join(folder, 'lock.json'));
  const entries = lock?.hash === hash ? await readTree(join(folder, 'tree.json')) : null;
  return lock === null || entries === null ? null : { lock, entries };
}

/** Puts a made layer in its place; a neighbour who was faster has put the same there. */
export async function keepStored(
  layers: string,
  work: string,
  lock: LayerLock,
  entries: readonly TreeEntry[],
): Promise<void> {
  await writeFile(join(work, 'lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  await writeFile(join(work, 'tree.json'), JSON.stringify(entries));
  try {
    await rename(work, join(layers, layerFolderName(lock.hash)));
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
    await rm(work, { recursive: true, force: true });
  }
}

/** A folder of this process alone, on the cache's file system. What dead processes left is removed. */
export async function workFolder(layers: string): Promise<string> {
  await mkdir(layers, { recursive: true, mode: 0o755 });
  for (const name of await readdir(layers)) {
    const [, pid = '', started = ''] = WORK.exec(name) ?? [];
    if (pid !== '' && (await startOf(Number(pid))) !== started)
      await rm(join(layers, name), { recursive: true, force: true });
  }
  const own = await startOf(process.pid);
  const folder = join(layers, `work-${String(process.pid)}-${own}-${randomBytes(6).toString('hex')}`);
  await mkdir(join(folder, 'files'), { recursive: true, mode: 0o755 });
  return folder;
}

/** Digits of a process's start; with its pid they name it for ever. */
async function startOf(pid: number): Promise<string> {
  return (await startTimeOf(pid))?.replace(/\D/g, '') ?? '0';
}

async function discard(layers: string, folder: string): Promise<void> {
  const away = `${await workFolder(layers)}/damaged`;
  await rename(folder, away).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  await rm(join(away, '..'), { recursive: true, force: true });
}

async function readLock(path: string): Promise<LayerLock | null> {
  const read = LayerLock.safeParse(await readJson(path));
  if (!read.success) return null;
  const { hash, notes: _notes, ...rest } = read.data;
  return layerHash(rest) === hash ? read.data : null;
}

async function readTree(path: string): Promise<TreeEntry[] | null> {
  const read = z.array(TreeEntry).safeParse(await readJson(path));
  return read.success ? read.data : null;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return null;
  }
}

function specPath(layers: string, base: string, spec: LayerSpec): string {
  return join(layers, 'spec', `${digest(canonicalJson({ base, spec })).slice(0, 24)}.json`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
