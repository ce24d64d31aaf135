/**
 * The tree of an agent's room, without what judges it: a repository of one commit without a past, out of which git lays the files
 * there. Each file crosses once, as git packed it; whether it changed is told by git's own id of its bytes.
 */
import { ROOM } from '../../core/ports/agent-driver.ts';
import { SNAPSHOT_BYTES_MAX } from '../../core/repository/snapshot-rules.ts';
import type { TreeEntry } from '../../core/ports/git.ts';
import type { Workspace } from '../../core/ports/orders.ts';
import type { PreparedFile, SandboxFile } from '../../core/ports/sandbox.ts';

/** What is laid, made from the tree that the iteration begins with. */
export interface RoomTree {
  /** Laid as they are. */
  readonly files: readonly SandboxFile[];
  /** Laid out of the repository. */
  readonly prepared: readonly PreparedFile[];
  /** Target of each link. */
  readonly links: ReadonlyMap<string, string>;
  readonly repository: RoomRepository | null;
}

export interface RoomRepository {
  readonly files: readonly SandboxFile[];
  /** What lies in the work folder; the commit is of the base. */
  readonly tree: string;
}

/** What the gate does not judge may lie in the room, too: twice its bound. */
const ROOM_BYTES_MAX = 2 * SNAPSHOT_BYTES_MAX;

/** Reads the tree for a room. @param isHidden files that judge. */
export async function roomTree(
  workspace: Workspace,
  trees: { readonly work: string; readonly base: string },
  isHidden: (path: string) => boolean,
): Promise<RoomTree & { readonly before: readonly TreeEntry[] }> {
  const store = workspace.trees;
  const before = await store.listTree(trees.work);
  const shown = before.filter(({ path }) => !isHidden(path));
  const tree = await store.filterTree(trees.work, (path) => !isHidden(path));
  const prepared = await preparedOf(workspace, tree, shown);
  const links = new Map<string, string>();
  for (const { path, kind, oid } of shown)
    if (kind === 'symlink') links.set(path, (await store.readBlob(oid)).toString('utf8'));
  const base = await store.filterTree(trees.base, (path) => !isHidden(path));
  const commit = await workspace.commitTree({ tree: base, parent: null, message: 'base', dateSeconds: 0 });
  return {
    files: [],
    prepared,
    links,
    repository: { files: await repositoryFiles(workspace, commit, tree), tree },
    before,
  };
}

async function preparedOf(
  workspace: Workspace,
  tree: string,
  shown: readonly TreeEntry[],
): Promise<PreparedFile[]> {
  const sizes = await workspace.sizesOf(tree);
  const prepared = shown
    .filter(({ kind }) => kind === 'blob' || kind === 'executable')
    .map(({ path, kind, oid }) => ({
      path,
      size: sizes.get(path) ?? 0,
      executable: kind === 'executable',
      oid,
    }));
  if (prepared.reduce((sum, { size }) => sum + size, 0) > ROOM_BYTES_MAX)
    throw new RangeError(
      `Cannot lay the agent's room: its tree has more than ${String(ROOM_BYTES_MAX)} bytes; leave files out of the repository`,
    );
  return prepared;
}

async function repositoryFiles(workspace: Workspace, commit: string, tree: string): Promise<SandboxFile[]> {
  const { pack, index } = await workspace.packOf(commit, tree);
  const text = (path: string, content: string): SandboxFile => ({
    path,
    bytes: new TextEncoder().encode(content),
  });
  return [
    text('HEAD', 'ref: refs/heads/main\n'),
    text('config', GIT_CONFIG),
    // Stands above every .gitattributes of the tree: its bytes lie as they are.
    text('info/attributes', '* -text -crlf -eol -ident -filter -working-tree-encoding\n'),
    text('refs/heads/main', `${commit}\n`),
    { path: 'objects/pack/pack-base.pack', bytes: pack },
    { path: 'objects/pack/pack-base.idx', bytes: index },
  ];
}

/** Names that other systems take for something else are names here. */
const GIT_CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = false
\tworktree = ${ROOM.work}
\tlogallrefupdates = false
\tprotectNTFS = false
\tprotectHFS = false
[user]
\tname = agent
\temail = agent@localhost
[gc]
\tauto = 0
`;
