/**
 * The git ports: a store of immutable trees for shadows, and the content repository that commits reach (gate.md part 8).
 *
 * Contract of every adapter:
 *  T1. A tree id names its content for ever; no method changes a tree.
 *  T2. What a method wrote is on disk before it returns. An id that others receive is put under a ref with `keep` first.
 *  T3. Names that enter a tree are checked by `core/shadow/path-rules.ts` against the whole tree; a refusal is a value.
 *  T4. No git call reads system, user or hook configuration, runs a filter, or takes anything but 40-hex ids as objects.
 */
import type { BranchCommit } from '../record/branch.ts';
import type { SandboxFile } from './sandbox.ts';

/** `blob` 0644, `executable` 0755; links of either kind only ever survive unchanged. */
export type FileKind = 'blob' | 'executable' | 'symlink' | 'gitlink';

export interface TreeEntry {
  readonly path: string;
  readonly kind: FileKind;
  readonly oid: string;
}

export type TreeChange =
  /** Without `executable` an existing file keeps its mode. */
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly executable?: boolean | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  /** Puts an existing object at a path: renames, overlays. */
  | {
      readonly kind: 'place';
      readonly path: string;
      readonly entry: { readonly kind: FileKind; readonly oid: string };
    };

/** Why one path was not accepted; `rule` is half a sentence, for example `must be relative`. */
export interface TreeRefusal {
  readonly path: string;
  readonly reason:
    'path' | 'collision' | 'file_and_folder' | 'link' | 'missing' | 'outside_write_set' | 'changed_in_head';
  readonly rule: string;
}

export type TreeResult =
  | { readonly status: 'ok'; readonly tree: string }
  | { readonly status: 'refused'; readonly refusals: readonly TreeRefusal[] };

export interface TreeDifference {
  readonly path: string;
  readonly before: Omit<TreeEntry, 'path'> | null;
  readonly after: Omit<TreeEntry, 'path'> | null;
}

export type Lookup =
  | { readonly kind: 'file'; readonly entry: TreeEntry }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' };

export interface TreeReader {
  /** Exact path, by a walk of our own. */
  lookup(tree: string, path: string): Promise<Lookup>;
  /** Bytes of one blob. @throws {GitObjectError} when it is missing or no blob. */
  readBlob(oid: string): Promise<Buffer>;
  /** Bytes of a regular file, or null when there is none at this path. */
  readFile(tree: string, path: string): Promise<Buffer | null>;
  /** Every entry that is no folder, in git's order. */
  listTree(tree: string): Promise<readonly TreeEntry[]>;
  /** Paths whose entry differs, sorted. */
  diff(before: string, after: string): Promise<readonly TreeDifference[]>;
  /** The same as a patch that `git apply` takes. @throws when an object is missing or the patch is larger than 64 MiB. */
  patch(before: string, after: string): Promise<Uint8Array>;
  /** Regular files for materialising. @throws {UnsafeTreeError} for links and names that P1 to P5 forbid. */
  files(tree: string): Promise<readonly SandboxFile[]>;
}

/** `start` tells what the agent began with: its own shadow and the head's tree at that time. */
export interface OverlayInput {
  readonly headTree: string;
  readonly ownGlobs: readonly string[];
  readonly sourceTree: string;
  /** With it, changes outside the globs and own paths that head changed meanwhile are refused. */
  readonly start?: { readonly sourceTree: string; readonly headTree: string };
}

export interface TreeWriter {
  /** The tree with changes applied: deletions first, all or none. Only changed folders are written. */
  writeFiles(tree: string, changes: readonly TreeChange[]): Promise<TreeResult>;
  /** A new tree of checked files, for example what a sandbox gave back. */
  importFiles(files: readonly SandboxFile[]): Promise<TreeResult>;
  /** Head with exactly the node's own paths replaced by those of the source (gate.md part 7). */
  overlay(input: OverlayInput): Promise<TreeResult>;
  /** The tree without the paths that `keep` refuses. */
  filterTree(tree: string, keep: (path: string) => boolean): Promise<string>;
  /** One tree of many; equal entries may repeat, anything else that meets is refused. */
  mergeDisjoint(trees: readonly string[]): Promise<TreeResult>;
}

/** Names below `refs/a7/`. A ref is on disk when the call returns. */
export interface RefStore {
  keep(ref: string, oid: string): Promise<void>;
  readRef(ref: string): Promise<string | null>;
  deleteRef(ref: string): Promise<void>;
  listRefs(prefix: string): Promise<readonly { readonly ref: string; readonly oid: string }[]>;
}

export interface ObjectStoreMaintenance {
  /** Copies a commit's tree out of another repository as one pack; returns the tree's id. */
  importCommit(gitDir: string, commit: string): Promise<string>;
  /** Puts all objects of a tree into one pack: reading a base of thousands of files gets faster. */
  packBase(tree: string): Promise<void>;
  /** Ends the reader process. */
  close(): Promise<void>;
}

export interface TreeStore extends TreeReader, TreeWriter, RefStore, ObjectStoreMaintenance {
  /** The empty tree. */
  readonly emptyTree: string;
}

/** One commit as asked for. The same request gives the same commit id. */
export interface CommitRequest {
  /** Null for the first commit of an empty branch. */
  readonly expectedHead: string | null;
  readonly tree: string;
  /** Subject and body. */
  readonly message: string;
  /** In this order, one `Name: value` line each. */
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /** Seconds since 1970 for author and committer. */
  readonly dateSeconds: number;
}

export interface DirtyPath {
  readonly path: string;
  readonly state: 'modified' | 'deleted' | 'staged' | 'in_the_way';
}

/** Untracked files (ignored ones left out) do not make a repository dirty; they are named. */
export type ContentStatus =
  | { readonly status: 'clean'; readonly head: string | null; readonly untracked: readonly string[] }
  | { readonly status: 'dirty'; readonly paths: readonly DirtyPath[]; readonly untracked: readonly string[] }
  /** Another branch, or none, is checked out. */
  | { readonly status: 'wrong_branch'; readonly found: string; readonly expected: string };

export type CommitResult =
  /** `repeated`: an earlier attempt had done it already. */
  | { readonly status: 'committed'; readonly commit: string; readonly repeated: boolean }
  | { readonly status: 'head_moved'; readonly expected: string | null; readonly actual: string | null }
  | { readonly status: 'dirty'; readonly paths: readonly DirtyPath[] }
  | { readonly status: 'wrong_branch'; readonly found: string; readonly expected: string }
  /** The branch has moved, but these paths hold what neither tree has: nobody overwrites them. */
  | { readonly status: 'conflict'; readonly commit: string; readonly paths: readonly DirtyPath[] }
  /** A living process holds this lock file; try again later. */
  | { readonly status: 'locked'; readonly lock: string };

export type RecoverResult =
  | { readonly status: 'nothing_to_do' }
  /** An intent was found whose branch had not moved and whose commit was never written. */
  | { readonly status: 'dropped'; readonly commit: string }
  | { readonly status: 'rolled_forward'; readonly commit: string }
  | Exclude<CommitResult, { readonly status: 'committed' }>;

export interface ContentRepo {
  /** Creates repository and branch when there is none; leaves an existing one alone. */
  init(): Promise<void>;
  /** Commit of the branch, null before the first. */
  head(): Promise<string | null>;
  status(): Promise<ContentStatus>;
  /** Every commit of the branch, the oldest first; empty where there is none. */
  log(): Promise<readonly BranchCommit[]>;
  /** Moves the branch by compare-and-swap, then brings index and work tree along. Idempotent. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Finishes what a killed process began. Call at start, under the session's lock. */
  recover(): Promise<RecoverResult>;
}
