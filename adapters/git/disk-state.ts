/** What lies in the work tree, compared raw: no filter, no line ending rule, no following of links (gate.md part 8). */
import { type BigIntStats, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { FileKind } from '../../core/ports/git.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { makeObject } from './loose-objects.ts';

export type DiskState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'folder' }
  | { readonly kind: Exclude<FileKind, 'gitlink'>; readonly oid: string; readonly stats: BigIntStats }
  /** A device, a socket, or a path that leads through a link. */
  | { readonly kind: 'strange' };

/** Files looked at between two pauses: about 10 ms of work. */
const SLICE_FILES = 250;
/** A file that changed so shortly before it was hashed may change again within the same tick of its clock. */
const RACY_NS = 2_000_000_000n;

/** Looks at a work tree; remembers hashes as long as inode, size and times stay the same. */
export class Disk {
  readonly #root: string;
  readonly #hashes = new Map<string, { readonly key: string; readonly oid: string }>();

  constructor(root: string) {
    this.#root = root;
  }

  /** States of many paths, in their order. */
  async states(paths: readonly string[]): Promise<DiskState[]> {
    const found: DiskState[] = [];
    const folders = new Map<string, boolean>();
    for (const [index, path] of paths.entries()) {
      if (index > 0 && index % SLICE_FILES === 0) await pause();
      found.push(this.#parentsAreFolders(path, folders) ? this.#look(path) : { kind: 'strange' });
    }
    return found;
  }

  #look(path: string): DiskState {
    const full = join(this.#root, path);
    const stats = lstat(full);
    if (stats === null) return { kind: 'absent' };
    if (stats.isDirectory()) return { kind: 'folder' };
    if (stats.isSymbolicLink()) {
      return {
        kind: 'symlink',
        oid: makeObject('blob', readlinkSync(full, { encoding: 'buffer' })).oid,
        stats,
      };
    }
    if (!stats.isFile()) return { kind: 'strange' };
    const kind = (stats.mode & 0o100n) === 0n ? 'blob' : 'executable';
    return { kind, oid: this.#hash(path, full, stats), stats };
  }

  #hash(path: string, full: string, stats: BigIntStats): string {
    const key = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
    const known = this.#hashes.get(path);
    if (known?.key === key) return known.oid;
    const { oid } = makeObject('blob', readFileSync(full));
    if (BigInt(Date.now()) * 1_000_000n - stats.ctimeNs > RACY_NS) this.#hashes.set(path, { key, oid });
    return oid;
  }

  /** A link among the parents would lead out of the work tree. A missing or plain-file parent is no danger. */
  #parentsAreFolders(path: string, known: Map<string, boolean>): boolean {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end);
      let fine = known.get(folder);
      if (fine === undefined) {
        fine = lstat(join(this.#root, folder))?.isSymbolicLink() !== true;
        known.set(folder, fine);
      }
      if (!fine) return false;
    }
    return true;
  }
}

function lstat(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
