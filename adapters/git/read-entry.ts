/** Bytes of one entry: a raw blob, or a file of the work tree that is opened without following links. */
import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListedEntry } from '../../core/ports/user-repository.ts';
import { ObjectTooLarge } from './batch-parser.ts';
import { GitObjectError, type ObjectReader } from './object-reader.ts';

/** The raw blob, whatever attributes say. @throws {RangeError} for more bytes than allowed. */
export async function readBlobEntry(
  reader: ObjectReader,
  oid: string | null,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | null> {
  if (oid === null) return null;
  const object = await reader.read(oid).catch((error: unknown) => {
    if (error instanceof GitObjectError && error.cause instanceof ObjectTooLarge)
      throw new RangeError(`Cannot judge "${path}": ${error.cause.message}`);
    if (error instanceof GitObjectError) return null;
    throw error;
  });
  if (object?.type !== 'blob') return null;
  return bounded(object.body, path, maxBytes);
}

/** The file as it lies there. A folder on the way that is a link leads elsewhere: then nothing is read. */
export async function readDiskEntry(
  root: string,
  entry: ListedEntry,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const path = join(root, entry.path);
  const folder = await realpath(dirname(path)).catch(() => null);
  if (folder !== dirname(path)) return null;
  if (entry.kind === 'symlink') return Buffer.from(await readlink(path));
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return null;
    if (stats.size > maxBytes) throw new RangeError(tooLarge(entry.path, stats.size, maxBytes));
    return bounded(await file.readFile(), entry.path, maxBytes);
  } finally {
    await file.close();
  }
}

function bounded(bytes: Uint8Array, path: string, maxBytes: number): Uint8Array {
  if (bytes.byteLength > maxBytes) throw new RangeError(tooLarge(path, bytes.byteLength, maxBytes));
  return bytes;
}

function tooLarge(path: string, bytes: number, maxBytes: number): string {
  return `"${path}" has ${String(bytes)} bytes, at most ${String(maxBytes)} can be judged`;
}
