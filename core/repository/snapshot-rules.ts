/**
 * What of a repository can be judged, and how each thing that is no plain file is treated. Nothing is left out in silence:
 *  S1. Submodules, nested repositories, unmerged paths, pointers of Git LFS, links that lead out of the tree or to a folder,
 *      names that a file system could take for another: refused, each with its reason, unless the plan leaves them out.
 *  S2. A link to a file of the tree is judged as a copy of that file, and said.
 *  S3. What the plan leaves out is said, with its count.
 */
import { matchesAnyGlob } from '../globs.ts';
import type { ListedEntry } from '../ports/user-repository.ts';
import { checkPath, findCollision } from '../shadow/path-rules.ts';

export type RefusedReason =
  | 'submodule'
  | 'nested_repository'
  | 'unmerged'
  | 'symlink'
  | 'lfs_pointer'
  | 'path'
  | 'collision'
  | 'too_large'
  | 'too_many'
  | 'missing_object';

export interface RefusedPath {
  readonly path: string;
  readonly reason: RefusedReason;
  /** A whole sentence that names the path. */
  readonly text: string;
}

/** Bytes of one file, of all files, and how many there may be. */
export const SNAPSHOT_FILE_BYTES_MAX = 64 * 1024 * 1024;
export const SNAPSHOT_BYTES_MAX = 512 * 1024 * 1024;
export const SNAPSHOT_FILES_MAX = 60_000;

/** Links that are followed from one to the next. */
const LINKS_MAX = 8;
const LFS_START = 'version https://git-lfs.github.com/spec/v1\n';
const LFS_POINTER_BYTES_MAX = 1024;

const KIND_TEXTS: Partial<Record<ListedEntry['kind'], readonly [RefusedReason, string]>> = {
  submodule: ['submodule', 'is a submodule: its files are not in this repository'],
  nested: ['nested_repository', 'is a repository of its own that this one does not track'],
  unmerged: ['unmerged', 'is not merged: finish or abort the merge'],
};

/** Entries to read, what was left out, and what is refused before anything is read. */
export function sortEntries(
  entries: readonly ListedEntry[],
  leaveOut: readonly string[],
): {
  readonly kept: readonly ListedEntry[];
  readonly leftOut: number;
  readonly refused: readonly RefusedPath[];
} {
  const inside = entries.filter((entry) => !isLeftOut(entry, leaveOut));
  const refused = inside.flatMap(({ path, kind }): RefusedPath[] => {
    const known = KIND_TEXTS[kind];
    if (known !== undefined) return [refusal(path, known[0], known[1])];
    const rule = path.includes('\uFFFD') ? 'must be UTF-8' : checkPath(path)?.rule;
    return rule === undefined ? [] : [refusal(path, 'path', `cannot be judged: a path ${rule}`)];
  });
  const bad = new Set(refused.map((each) => each.path));
  const kept = inside.filter((entry) => !bad.has(entry.path));
  const twins = findCollision(kept.map((entry) => entry.path));
  const collision =
    twins === null
      ? []
      : [refusal(twins[1], 'collision', `and "${twins[0]}" are one file on file systems that fold case`)];
  const count =
    kept.length <= SNAPSHOT_FILES_MAX
      ? []
      : [
          refusal(
            '.',
            'too_many',
            `has ${String(kept.length)} files, at most ${String(SNAPSHOT_FILES_MAX)} can be judged`,
          ),
        ];
  return {
    kept: count.length > 0 ? [] : kept,
    leftOut: entries.length - inside.length,
    refused: [...refused, ...collision, ...count],
  };
}

function isLeftOut({ path, kind }: ListedEntry, leaveOut: readonly string[]): boolean {
  const isFolder = kind === 'submodule' || kind === 'nested';
  return matchesAnyGlob(leaveOut, path) || (isFolder && matchesAnyGlob(leaveOut, `${path}/x`));
}

/** The file that a link stands for, or why it stands for none. @param targets each link's target by the link's path. */
export function followLink(
  path: string,
  targets: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
): { readonly file: string } | { readonly rule: string } {
  let at = path;
  for (let hops = 0; hops < LINKS_MAX; hops += 1) {
    const target = targets.get(at);
    if (target === undefined) break;
    const next = target.startsWith('/') ? null : normal(at, target);
    if (next === null) return { rule: `is a link that leads out of the repository, to "${target}"` };
    if (files.has(next)) return { file: next };
    if (!targets.has(next)) return { rule: `is a link to "${target}", which is no file of this snapshot` };
    at = next;
  }
  return { rule: 'is a link that leads to itself, or through too many others' };
}

/** Path of a target seen from the link's folder; null above the top. */
function normal(link: string, target: string): string | null {
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** True for the text that stands in git for a file whose bytes lie elsewhere. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  if (bytes.byteLength > LFS_POINTER_BYTES_MAX) return false;
  return new TextDecoder().decode(bytes.subarray(0, LFS_START.length)) === LFS_START;
}

/** `"path" <rule>`. */
export function refusal(path: string, reason: RefusedReason, rule: string): RefusedPath {
  return { path, reason, text: `"${path}" ${rule}` };
}
