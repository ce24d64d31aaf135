/** The unpacked files of a layer: normal modes, a list with a hash for each, and whether a copy still fits that list (L4). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

export const TreeEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('folder'), path: z.string().min(1) }),
  z.strictObject({
    type: z.literal('file'),
    path: z.string().min(1),
    bytes: z.int().min(0),
    executable: z.boolean(),
    sha256: z.string(),
  }),
  z.strictObject({ type: z.literal('link'), path: z.string().min(1), target: z.string() }),
]);
export type TreeEntry = z.infer<typeof TreeEntry>;

const ENTRIES_MAX = 100_000;
const BYTES_MAX = 4 * 1024 ** 3;

/** A layer that holds what no layer may hold. */
export class TreeRefused extends Error {
  override readonly name = 'TreeRefused';
}

/**
 * Entries below `root`, folders before what they hold; every file gets mode 0644 or 0755 and every folder 0755.
 * @throws {TreeRefused} for devices, sockets and what is over the limits
 */
export async function normaliseTree(root: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let bytes = 0;
  const visit = async (folder: string): Promise<void> => {
    for (const name of (await readdir(join(root, folder))).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const entry = await normalEntry(root, path);
      entries.push(entry);
      bytes += entry.type === 'file' ? entry.bytes : 0;
      if (entries.length > ENTRIES_MAX) throw new TreeRefused(`it has more than ${ENTRIES_MAX} files`);
      if (bytes > BYTES_MAX) throw new TreeRefused(`it has more than ${BYTES_MAX} bytes`);
      if (entry.type === 'folder') await visit(path);
    }
  };
  await visit('');
  return entries;
}

async function normalEntry(root: string, path: string): Promise<TreeEntry> {
  const full = join(root, path);
  const info = await lstat(full);
  if (info.isSymbolicLink()) return { type: 'link', path, target: await readlink(full) };
  if (info.isDirectory()) {
    await chmod(full, 0o755);
    return { type: 'folder', path };
  }
  if (!info.isFile()) throw new TreeRefused(`"${path}" must be a regular file`);
  const executable = (info.mode & 0o111) !== 0;
  await chmod(full, executable ? 0o755 : 0o644);
  return { type: 'file', path, bytes: info.size, executable, sha256: await hashOf(full) };
}

/** The first entry in which the copy at `root` differs; null if it fits. What else lies there does not count. */
export async function firstDifference(root: string, entries: readonly TreeEntry[]): Promise<string | null> {
  for (const entry of entries) {
    const isSame = await fits(join(root, entry.path), entry).catch(() => false);
    if (!isSame) return entry.path;
  }
  return null;
}

async function fits(path: string, entry: TreeEntry): Promise<boolean> {
  const info = await lstat(path);
  switch (entry.type) {
    case 'folder':
      return info.isDirectory();
    case 'link':
      return info.isSymbolicLink() && (await readlink(path)) === entry.target;
    case 'file':
      return info.isFile() && info.size === entry.bytes && (await hashOf(path)) === entry.sha256;
  }
}

export function countTree(entries: readonly TreeEntry[]): { readonly files: number; readonly bytes: number } {
  const files = entries.filter((entry) => entry.type === 'file');
  return { files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
