/** Reading trees: exact lookup, listing, difference. Paths are resolved here, never by git (gate.md part 8). */
import type { FileKind, Lookup, TreeDifference, TreeEntry } from '../../core/ports/git.ts';
import type { Folders } from './folders.ts';
import type { TreeItem } from './tree-codec.ts';

/** What lies at an exact path; the empty path is the tree itself. */
export async function lookup(folders: Folders, tree: string, path: string): Promise<Lookup> {
  if (path === '') return { kind: 'folder' };
  const names = path.split('/');
  let oid = tree;
  for (const [index, name] of names.entries()) {
    const item = (await folders.load(oid)).get(name);
    if (item === undefined) return { kind: 'missing' };
    const last = index === names.length - 1;
    if (item.kind !== 'folder') {
      return last ? { kind: 'file', entry: { path, kind: item.kind, oid: item.oid } } : { kind: 'missing' };
    }
    oid = item.oid;
  }
  return { kind: 'folder' };
}

/** All entries that are no folders, in git's order. Folders of one level are read together. */
export async function listTree(folders: Folders, tree: string, prefix = ''): Promise<TreeEntry[]> {
  const items = [...(await folders.load(tree)).values()];
  const parts = await Promise.all(
    items.map(async (item): Promise<TreeEntry[]> => {
      const path = prefix + item.name;
      if (item.kind === 'folder') return listTree(folders, item.oid, `${path}/`);
      return [{ path, kind: item.kind, oid: item.oid }];
    }),
  );
  return parts.flat();
}

/** Where to read each side of a comparison: the two trees may lie in different repositories. */
interface Sides {
  readonly before: Folders;
  readonly after: Folders;
}

/** Paths whose entry differs, sorted by code units. Equal folders are not entered. `after` may be in another repository. */
export async function diffTrees(
  folders: Folders,
  before: string,
  after: string,
  afterFolders: Folders = folders,
): Promise<TreeDifference[]> {
  const found = await diffFolders({ before: folders, after: afterFolders }, before, after, '');
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function diffFolders(
  sides: Sides,
  before: string | null,
  after: string | null,
  prefix: string,
): Promise<TreeDifference[]> {
  if (before === after) return [];
  const old = before === null ? new Map<string, TreeItem>() : await sides.before.load(before);
  const now = after === null ? new Map<string, TreeItem>() : await sides.after.load(after);
  const parts = await Promise.all(
    [...new Set([...old.keys(), ...now.keys()])].map((name) =>
      diffItems(sides, old.get(name), now.get(name), prefix + name),
    ),
  );
  return parts.flat();
}

/** One name on both sides: folders are compared inside, a file against a folder is a removal and additions. */
async function diffItems(
  sides: Sides,
  old: TreeItem | undefined,
  now: TreeItem | undefined,
  path: string,
): Promise<TreeDifference[]> {
  if (old?.kind === now?.kind && old?.oid === now?.oid) return [];
  const before = fileOf(old);
  const after = fileOf(now);
  const own: TreeDifference[] = before === null && after === null ? [] : [{ path, before, after }];
  const inside = await diffFolders(sides, folderOf(old), folderOf(now), `${path}/`);
  return [...own, ...inside];
}

function fileOf(item: TreeItem | undefined): { kind: FileKind; oid: string } | null {
  return item === undefined || item.kind === 'folder' ? null : { kind: item.kind, oid: item.oid };
}

function folderOf(item: TreeItem | undefined): string | null {
  return item?.kind === 'folder' ? item.oid : null;
}
