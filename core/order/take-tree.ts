/**
 * What an agent left in its room, as changes of the tree it began with. The room is hostile: only what the keeper read counts.
 *  T1. A file that the keeper found unchanged keeps the entry of the tree; one that is gone is deleted.
 *  T2. Links of the tree survive unchanged or not at all; new links, devices, sockets and pipes are violations.
 *  T3. Files that the agent was not shown stay as they are.
 *  T4. If anything was cut off by a bound, nothing is taken: a file that was not seen must not read as deleted.
 */
import type { RefusedEntry, SandboxFile } from '../ports/sandbox.ts';
import type { TreeChange, TreeEntry } from '../ports/git.ts';

export interface RoomWork {
  readonly files: readonly SandboxFile[];
  readonly kept: readonly string[];
  /** Paths relative to the work folder. */
  readonly refused: readonly RefusedEntry[];
}

export interface TakenWork {
  /** Null: too much to be taken. */
  readonly changes: readonly TreeChange[] | null;
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

/** Changes of one iteration that are taken at most. */
export const CHANGES_MAX = 20_000;
/** The sandbox names that many refusals and no more. */
const REFUSALS_MAX = 1_000;

export interface TakeRules {
  /** Files that the room did not get. */
  readonly isHidden: (path: string) => boolean;
  readonly isIgnored: (path: string) => boolean;
  /** Target of each link of the tree. */
  readonly links: ReadonlyMap<string, string>;
}

/** What is taken of the room's work. */
export function takeWork(before: readonly TreeEntry[], work: RoomWork, rules: TakeRules): TakenWork {
  if (work.refused.some((entry) => entry.reason === 'too_many'))
    return { changes: null, refused: [{ path: '', reason: 'too_many' }] };
  const known = new Map(before.map((entry) => [entry.path, entry]));
  const seen = new Set(work.kept);
  const refused: { path: string; reason: string }[] = [];
  for (const entry of work.refused) {
    const own = known.get(entry.path);
    seen.add(entry.path);
    if (entry.reason === 'git') continue;
    if (
      own?.kind === 'symlink' &&
      entry.reason === 'symlink' &&
      isSame(rules.links.get(entry.path), entry.target)
    )
      continue;
    if (own !== undefined || !rules.isIgnored(entry.path))
      refused.push({ path: entry.path, reason: entry.reason });
  }
  const writes = work.files
    .filter(({ path }) => known.has(path) || !rules.isIgnored(path))
    .map(({ path, bytes, executable }): TreeChange => {
      return { kind: 'write', path, bytes, executable: executable === true };
    });
  for (const write of writes) seen.add(write.path);
  const cut = work.refused.length >= REFUSALS_MAX;
  const deletes = before
    .filter(({ path, kind }) => {
      if (seen.has(path) || rules.isHidden(path) || kind === 'gitlink') return false;
      return !(cut && kind === 'symlink');
    })
    .map(({ path }): TreeChange => ({ kind: 'delete', path }));
  const changes = [...deletes, ...writes];
  if (changes.length > CHANGES_MAX)
    return { changes: null, refused: [{ path: '', reason: `changes ${String(changes.length)} files` }] };
  return { changes, refused };
}

function isSame(target: string | undefined, found: string | undefined): boolean {
  return target !== undefined && found !== undefined && target === found && target.length < 100;
}
