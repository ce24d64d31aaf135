/**
 * git's index (version 2), written in process. `git read-tree` leaves it without file times, so the next `git status` would
 * run the repository's clean filters over every file; an index with times needs no filter, for nobody.
 */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeEntry } from '../../core/ports/git.ts';
import type { DiskState } from './disk-state.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { clearStaleLocks } from './stale-locks.ts';
import type { ContentContext } from './content-context.ts';

const MODES = { blob: 0o100644, executable: 0o100755, symlink: 0o120000, gitlink: 0o160000 } as const;
/** Bytes of an entry before its path. */
const FIXED_BYTES = 62;
const PATH_LENGTH_MAX = 0xfff;

/** Bytes of an index that holds exactly the entries; `states` are what lies on disk, in the same order. */
export function encodeIndex(entries: readonly TreeEntry[], states: readonly DiskState[]): Buffer {
  const rows = entries.map((entry, index) => ({
    name: Buffer.from(entry.path),
    entry,
    state: states[index],
  }));
  rows.sort((a, b) => Buffer.compare(a.name, b.name));
  const head = Buffer.alloc(12);
  head.write('DIRC', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(rows.length, 8);
  const body = Buffer.concat([
    head,
    ...rows.map(({ name, entry, state }) => encodeEntry(name, entry, state)),
  ]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Replaces the index by git's own lock protocol. Returns a lock that a living process holds, or null when done. */
export async function writeIndex(context: ContentContext, bytes: Buffer): Promise<string | null> {
  const lock = join(context.gitDir, 'index.lock');
  let handle = await openLock(lock);
  if (handle === null) {
    const held = await clearStaleLocks(context);
    if (held !== null) return held;
    handle = await openLock(lock);
    if (handle === null) return lock;
  }
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(lock, join(context.gitDir, 'index'));
  return null;
}

async function openLock(lock: string): Promise<Awaited<ReturnType<typeof open>> | null> {
  try {
    return await open(lock, 'wx', 0o644);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return null;
    throw error;
  }
}

/** Numbers are cut to 32 bits, as git cuts them. */
function encodeEntry(name: Buffer, entry: TreeEntry, state: DiskState | undefined): Buffer {
  const bytes = Buffer.alloc((FIXED_BYTES + name.length + 8) & ~7);
  if (state !== undefined && 'stats' in state) {
    const { stats } = state;
    const second = 1_000_000_000n;
    const numbers = [
      stats.ctimeNs / second,
      stats.ctimeNs % second,
      stats.mtimeNs / second,
      stats.mtimeNs % second,
      stats.dev,
      stats.ino,
      0n,
      stats.uid,
      stats.gid,
      stats.size,
    ];
    for (const [index, value] of numbers.entries())
      bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), index * 4);
  }
  bytes.writeUInt32BE(MODES[entry.kind], 24);
  bytes.write(entry.oid, 40, 'hex');
  bytes.writeUInt16BE(Math.min(name.length, PATH_LENGTH_MAX), 60);
  name.copy(bytes, FIXED_BYTES);
  return bytes;
}
