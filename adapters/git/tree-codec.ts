/** Git's tree format: `<mode> <name>\0<20 bytes>` for each entry, sorted as if folders ended in "/". */
import type { FileKind } from '../../core/ports/git.ts';

/** One entry of one folder. */
export interface TreeItem {
  readonly name: string;
  readonly kind: FileKind | 'folder';
  readonly oid: string;
}

/** A tree holds what cannot be worked on: a strange mode, a name that is no UTF-8, a link, a forbidden path. */
export class UnsafeTreeError extends Error {
  override readonly name = 'UnsafeTreeError';
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string) {
    super(`Cannot use tree entry "${path}": ${rule}`);
    this.path = path;
    this.rule = rule;
  }
}

const MODES: Readonly<Record<TreeItem['kind'], string>> = {
  blob: '100644',
  executable: '100755',
  symlink: '120000',
  gitlink: '160000',
  folder: '40000',
};

/** Modes that git writes or has written; 100664 is an old form of 100644. */
const KINDS: Readonly<Record<string, TreeItem['kind']>> = {
  '100644': 'blob',
  '100664': 'blob',
  '100755': 'executable',
  '120000': 'symlink',
  '160000': 'gitlink',
  '40000': 'folder',
  '040000': 'folder',
};

const SPACE = 0x20;

/** Entries of a tree object. @throws {UnsafeTreeError} */
export function decodeTree(body: Buffer): Map<string, TreeItem> {
  const items = new Map<string, TreeItem>();
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(SPACE, at);
    const zero = body.indexOf(0, space);
    if (space < 0 || zero < 0 || zero + 21 > body.length)
      throw new UnsafeTreeError('', 'the tree object is cut short');
    const name = body.toString('utf8', space + 1, zero);
    const kind = KINDS[body.toString('latin1', at, space)];
    if (kind === undefined) throw new UnsafeTreeError(name, 'its mode is unknown');
    if (name.includes('\uFFFD') && Buffer.compare(Buffer.from(name), body.subarray(space + 1, zero)) !== 0) {
      throw new UnsafeTreeError(name, 'its name must be UTF-8; rename it in the repository');
    }
    if (items.has(name)) throw new UnsafeTreeError(name, 'its name must be unique in its folder');
    items.set(name, { name, kind, oid: body.toString('hex', zero + 1, zero + 21) });
    at = zero + 21;
  }
  return items;
}

/** Items in git's order. A folder that is kept in memory has the same order as one that was read. */
export function sortItems(items: Iterable<TreeItem>): TreeItem[] {
  const keyed = [...items].map((item) => ({
    item,
    key: Buffer.from(item.kind === 'folder' ? `${item.name}/` : item.name),
  }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ item }) => item);
}

/** Bytes of a tree object; the items must be in git's order. */
export function encodeTree(items: readonly TreeItem[]): Buffer {
  return Buffer.concat(
    items.flatMap((item) => [
      Buffer.from(`${MODES[item.kind]} ${item.name}\0`),
      Buffer.from(item.oid, 'hex'),
    ]),
  );
}
