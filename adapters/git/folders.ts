/** Folders of trees, decoded once: a tree id never changes its meaning, so a cache cannot be stale. */
import { type TreeItem, decodeTree, encodeTree, sortItems } from './tree-codec.ts';
import { type PackedObject, makeObject, writeLoose } from './loose-objects.ts';
import { GitObjectError, type ObjectReader } from './object-reader.ts';

export type Folder = ReadonlyMap<string, TreeItem>;

/** Decoded folders kept in memory. */
const FOLDERS_MAX = 8_192;
/** The tree without entries; git knows it without storing it, so it is never read. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export class Folders {
  readonly #gitDir: string;
  readonly reader: ObjectReader;
  readonly #known = new Map<string, Folder>();

  constructor(gitDir: string, reader: ObjectReader) {
    this.#gitDir = gitDir;
    this.reader = reader;
  }

  /** Entries of one folder. @throws {GitObjectError} or {UnsafeTreeError} */
  async load(oid: string): Promise<Folder> {
    if (oid === EMPTY_TREE) return new Map();
    const known = this.#known.get(oid);
    if (known !== undefined) return known;
    const object = await this.reader.read(oid);
    if (object.type !== 'tree')
      throw new GitObjectError(oid, `it must be a tree, current type is ${object.type}`);
    return this.#remember(oid, decodeTree(object.body));
  }

  /** Collects new objects; nothing is on disk before `flush`. */
  batch(): ObjectBatch {
    return new ObjectBatch(this.#gitDir, this.reader, (oid, folder) => this.#remember(oid, folder));
  }

  #remember(oid: string, folder: Folder): Folder {
    if (this.#known.size >= FOLDERS_MAX) {
      const oldest = this.#known.keys().next().value;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(oid, folder);
    return folder;
  }
}

/** Objects of one change: written together, or not at all. */
export class ObjectBatch {
  readonly #gitDir: string;
  readonly #reader: ObjectReader;
  readonly #rememberFolder: (oid: string, folder: Folder) => void;
  readonly #objects = new Map<string, PackedObject>();
  readonly #folders = new Map<string, Folder>();

  constructor(gitDir: string, reader: ObjectReader, rememberFolder: (oid: string, folder: Folder) => void) {
    this.#gitDir = gitDir;
    this.#reader = reader;
    this.#rememberFolder = rememberFolder;
  }

  addBlob(bytes: Uint8Array): string {
    // Copied: the caller may go on using its buffer, the cache must not see that.
    return this.#add(makeObject('blob', Buffer.from(bytes)));
  }

  /** Id of the folder; equal to an existing one's when nothing changed. */
  addFolder(folder: Folder): string {
    if (folder.size === 0) return EMPTY_TREE;
    const items = sortItems(folder.values());
    const oid = this.#add(makeObject('tree', encodeTree(items)));
    this.#folders.set(oid, new Map(items.map((item) => [item.name, item])));
    return oid;
  }

  /** Writes all that is not stored yet, with fsync. `known` are ids that are stored for certain. */
  async flush(known: ReadonlySet<string> = new Set()): Promise<void> {
    const objects = [...this.#objects.values()].filter((object) => !known.has(object.oid));
    await writeLoose(this.#gitDir, objects);
    for (const { oid, type, body } of objects) this.#reader.remember(oid, { type, body });
    for (const [oid, folder] of this.#folders) this.#rememberFolder(oid, folder);
  }

  #add(object: PackedObject): string {
    this.#objects.set(object.oid, object);
    return object.oid;
  }
}
