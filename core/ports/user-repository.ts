/**
 * A repository of somebody else's, read and never written: no hook, filter or setting of it runs, no lock is taken.
 */

/** What git says lies at a path. `nested` is another repository that git does not track. */
export type ListedKind = 'file' | 'executable' | 'symlink' | 'submodule' | 'nested' | 'unmerged';

export interface ListedEntry {
  readonly path: string;
  readonly kind: ListedKind;
}

/** Which state of the repository: files as they lie there, the index, or a commit. */
export type SnapshotKind = 'work_tree' | 'staged' | 'commit';

/** One state, listed. Entries are sorted by path. */
export interface Listing {
  readonly kind: SnapshotKind;
  /** The commit itself, or the one that work tree and index are based on; null before the first. */
  readonly commit: string | null;
  /** Commit before it, whose plan judges a change of the plan; null where there is none. */
  readonly base: string | null;
  readonly entries: readonly ListedEntry[];
  /**
   * Bytes of a file, or the target of a symlink. Null where nothing lies there any more, or its folder is a link.
   * @throws {RangeError} for more than `maxBytes`.
   */
  read(entry: ListedEntry, maxBytes: number): Promise<Uint8Array | null>;
}

export interface UserRepository {
  /** Top of the work tree, with links resolved. */
  readonly root: string;
  readonly gitDir: string;
  list(state: { readonly kind: SnapshotKind; readonly revision: string | null }): Promise<Listing>;
  close(): Promise<void>;
}
