/**
 * Refs below `refs/a7/`, written in process: temp file, fsync, rename, fsync of the folder. Readers, git's too, see the old
 * value or the new one. Refs that somebody packed by hand are still read.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../core/text/error-text.ts';
import { syncFolder, writeDurably } from '../system/files.ts';
import { assertOid } from './loose-objects.ts';

const PREFIX = 'refs/a7/';
/** Folder for temporary files inside the repository, where no ref is looked for. */
const TEMP = 'a7-tmp';

export interface StoredRef {
  readonly ref: string;
  readonly oid: string;
}

/** Points a ref to an object. @throws {RangeError} for a name outside `refs/a7/` or one that git would not take. */
export async function keepRef(gitDir: string, ref: string, oid: string): Promise<void> {
  const path = join(gitDir, checkRef(ref));
  const temp = join(gitDir, TEMP);
  await mkdir(temp, { recursive: true });
  await writeDurably(path, `${assertOid(oid)}\n`, { tempPath: join(temp, randomBytes(8).toString('hex')) });
}

/** Value of a ref, or null. */
export async function readRef(gitDir: string, ref: string): Promise<string | null> {
  const loose = await readLoose(join(gitDir, checkRef(ref)));
  return loose ?? (await readPacked(gitDir)).get(ref) ?? null;
}

/** Removes a ref; a missing one is no error. @throws {RangeError} when it was packed by hand. */
export async function deleteRef(gitDir: string, ref: string): Promise<void> {
  const path = join(gitDir, checkRef(ref));
  if ((await readPacked(gitDir)).has(ref)) {
    throw new RangeError(`Cannot delete ref "${ref}": it is in packed-refs; run git update-ref -d ${ref}`);
  }
  await rm(path, { force: true });
  await syncFolder(dirname(path)).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/** All refs whose name begins with `prefix`, sorted by name. */
export async function listRefs(gitDir: string, prefix: string): Promise<StoredRef[]> {
  if (!prefix.startsWith(PREFIX))
    throw new RangeError(`Cannot list refs "${prefix}": must begin with ${PREFIX}`);
  const found = new Map([...(await readPacked(gitDir))].filter(([ref]) => ref.startsWith(prefix)));
  for (const file of await walk(gitDir, PREFIX.slice(0, -1))) {
    const oid = file.startsWith(prefix) ? await readLoose(join(gitDir, file)) : null;
    if (oid !== null) found.set(file, oid);
  }
  return [...found].map(([ref, oid]) => ({ ref, oid })).sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

function checkRef(ref: string): string {
  const parts = ref.slice(PREFIX.length).split('/');
  const fine = parts.every(
    (part) => /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(part) && !/\.\.|\.lock$|\.$/.test(part),
  );
  if (!ref.startsWith(PREFIX) || !fine || ref.length > 500) {
    throw new RangeError(
      `Cannot use ref "${ref}": must be ${PREFIX} and parts of A-Z, a-z, 0-9, "_", "-" and "."`,
    );
  }
  return ref;
}

async function readLoose(path: string): Promise<string | null> {
  try {
    const oid = (await readFile(path, 'latin1')).trim();
    return /^[0-9a-f]{40}$/.test(oid) ? oid : null;
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

async function readPacked(gitDir: string): Promise<Map<string, string>> {
  const text = await readFile(join(gitDir, 'packed-refs'), 'latin1').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  const refs = new Map<string, string>();
  for (const found of text.matchAll(/^([0-9a-f]{40}) (refs\/a7\/\S+)$/gm)) {
    if (found[1] !== undefined && found[2] !== undefined) refs.set(found[2], found[1]);
  }
  return refs;
}

async function walk(gitDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(gitDir, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  });
  const parts = await Promise.all(
    entries.map(async (entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? walk(gitDir, path) : [path];
    }),
  );
  return parts.flat();
}
