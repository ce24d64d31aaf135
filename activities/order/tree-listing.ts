/** A tree of the workspace's store as a listing, so that it is judged by the same rules as a user's repository. */
import type { FileKind, TreeStore } from '../../core/ports/git.ts';
import type { ListedKind, Listing } from '../../core/ports/user-repository.ts';

const KINDS: Readonly<Record<FileKind, ListedKind>> = {
  blob: 'file',
  executable: 'executable',
  symlink: 'symlink',
  gitlink: 'submodule',
};

/** Everything of a tree. */
export async function treeListing(
  trees: Pick<TreeStore, 'listTree' | 'readBlob'>,
  tree: string,
  commit: string,
): Promise<Listing> {
  const listed = await trees.listTree(tree);
  const oids = new Map(listed.map(({ path, oid }) => [path, oid]));
  return {
    kind: 'commit',
    commit,
    base: null,
    entries: listed.map(({ path, kind }) => ({ path, kind: KINDS[kind] })),
    read: async ({ path }, maxBytes): Promise<Uint8Array | null> => {
      const oid = oids.get(path);
      if (oid === undefined) return null;
      const bytes = await trees.readBlob(oid);
      if (bytes.byteLength > maxBytes)
        throw new RangeError(
          `"${path}" has ${String(bytes.byteLength)} bytes, at most ${String(maxBytes)} can be judged`,
        );
      return bytes;
    },
  };
}
