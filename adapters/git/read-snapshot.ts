/** Reads the files of a listing into memory, by the rules of core/repository/snapshot-rules.ts. */
import {
  followLink,
  isLfsPointer,
  refusal,
  type RefusedPath,
  SNAPSHOT_BYTES_MAX,
  SNAPSHOT_FILE_BYTES_MAX,
  sortEntries,
} from '../../core/repository/snapshot-rules.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ListedEntry, Listing } from '../../core/ports/user-repository.ts';

export interface SnapshotFiles {
  readonly files: readonly SandboxFile[];
  readonly refused: readonly RefusedPath[];
  /** One sentence each: what was left out, which links were followed. */
  readonly notes: readonly string[];
}

/** Links named in a note. */
const LINKS_NAMED_MAX = 5;

/** Files that are asked for together: answers come in order, and the way there and back is waited for once. */
const READ_AT_ONCE = 64;

/** Everything that can be judged, within the bounds of a snapshot. */
export async function readSnapshot(listing: Listing, leaveOut: readonly string[]): Promise<SnapshotFiles> {
  const { kept, leftOut, refused } = sortEntries(listing.entries, leaveOut);
  const reading: Reading = { files: new Map(), refused: [...refused], bytes: 0 };
  const links = kept.filter((entry) => entry.kind === 'symlink');
  const files = kept.filter((entry) => entry.kind !== 'symlink');
  for (let at = 0; at < files.length; at += READ_AT_ONCE)
    await Promise.all(files.slice(at, at + READ_AT_ONCE).map((entry) => readFile(listing, reading, entry)));
  const followed = await followAll(listing, reading, links);
  const all = [...reading.files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const notes = [
    ...(leftOut === 0 ? [] : [`${String(leftOut)} paths were left out, as the plan says`]),
    ...(followed.length === 0 ? [] : [linksNote(followed)]),
  ];
  return { files: all, refused: reading.refused, notes };
}

interface Reading {
  readonly files: Map<string, SandboxFile>;
  readonly refused: RefusedPath[];
  bytes: number;
}

async function readFile(listing: Listing, reading: Reading, entry: ListedEntry): Promise<void> {
  const { path } = entry;
  let bytes: Uint8Array | null;
  try {
    bytes = await listing.read(entry, SNAPSHOT_FILE_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reading.refused.push({ path, reason: 'too_large', text: error.message });
    return;
  }
  if (bytes === null) {
    reading.refused.push(
      refusal(path, 'missing_object', 'cannot be read: it is missing, or lies behind a link'),
    );
    return;
  }
  if (isLfsPointer(bytes)) {
    reading.refused.push(refusal(path, 'lfs_pointer', 'is a pointer of Git LFS: its bytes are not in git'));
    return;
  }
  const wasBelow = reading.bytes <= SNAPSHOT_BYTES_MAX;
  reading.bytes += bytes.byteLength;
  if (reading.bytes > SNAPSHOT_BYTES_MAX) {
    const rule = `is one file too many: all together at most ${String(SNAPSHOT_BYTES_MAX)} bytes can be judged`;
    if (wasBelow) reading.refused.push(refusal(path, 'too_large', rule));
    return;
  }
  reading.files.set(path, { path, bytes, executable: entry.kind === 'executable' });
}

/** The first link that no gate can follow, known without a file being read; null for none. */
export async function linkProblem(
  listing: Listing,
  leaveOut: readonly string[],
): Promise<RefusedPath | null> {
  const { kept } = sortEntries(listing.entries, leaveOut);
  const links = kept.filter((entry) => entry.kind === 'symlink');
  if (links.length === 0) return null;
  const targets = await targetsOf(listing, links);
  const paths = new Set(kept.filter((entry) => entry.kind !== 'symlink').map(({ path }) => path));
  for (const { path } of links) {
    const found = followLink(path, targets, paths);
    if ('rule' in found) return refusal(path, 'symlink', found.rule);
  }
  return null;
}

async function targetsOf(
  listing: Listing,
  links: readonly ListedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  for (const link of links) {
    const bytes = await listing.read(link, SNAPSHOT_FILE_BYTES_MAX);
    targets.set(link.path, bytes === null ? '/' : Buffer.from(bytes).toString('utf8'));
  }
  return targets;
}

/** Each link becomes a copy of its file. */
async function followAll(
  listing: Listing,
  reading: Reading,
  links: readonly ListedEntry[],
): Promise<string[]> {
  const targets = await targetsOf(listing, links);
  const paths = new Set(reading.files.keys());
  const followed: string[] = [];
  for (const { path } of links) {
    const found = followLink(path, targets, paths);
    const file = 'file' in found ? reading.files.get(found.file) : undefined;
    if (file === undefined)
      reading.refused.push(refusal(path, 'symlink', 'rule' in found ? found.rule : 'is a link'));
    else {
      reading.files.set(path, { ...file, path });
      followed.push(`${path} -> ${file.path}`);
    }
  }
  return followed;
}

function linksNote(followed: readonly string[]): string {
  const shown = followed.slice(0, LINKS_NAMED_MAX).join(', ');
  const rest = followed.length - LINKS_NAMED_MAX;
  return `Links are judged as copies of their files: ${shown}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
}
