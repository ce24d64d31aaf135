/** The tree of an agent's room: files without what judges them, links, and a repository of one commit without a past. */
import { ROOM } from '../../core/ports/agent-driver.ts';
import { SNAPSHOT_BYTES_MAX } from '../../core/repository/snapshot-rules.ts';
import type { TreeEntry } from '../../core/ports/git.ts';
import type { Workspace } from '../../core/ports/orders.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';

/** What is laid, made from the tree that the iteration begins with. */
export interface RoomTree {
  readonly files: readonly SandboxFile[];
  readonly links: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
  readonly git: readonly SandboxFile[];
}

/** Files that are asked for together. */
const READ_AT_ONCE = 64;
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
  const files: SandboxFile[] = [];
  const links = new Map<string, string>();
  const blobs = shown.filter(({ kind }) => kind !== 'gitlink');
  let total = 0;
  for (let at = 0; at < blobs.length; at += READ_AT_ONCE) {
    const window = blobs.slice(at, at + READ_AT_ONCE);
    const read = await Promise.all(window.map(({ oid }) => store.readBlob(oid)));
    for (const [index, { path, kind }] of window.entries()) {
      const bytes = read[index] ?? Buffer.alloc(0);
      total += bytes.byteLength;
      if (kind === 'symlink') links.set(path, bytes.toString('utf8'));
      else files.push({ path, bytes, executable: kind === 'executable' });
    }
    if (total > ROOM_BYTES_MAX)
      throw new RangeError(
        `Cannot lay the agent's room: its tree has more than ${String(ROOM_BYTES_MAX)} bytes; leave files out of the repository`,
      );
  }
  const folders = shown.filter(({ kind }) => kind === 'gitlink').map(({ path }) => path);
  const base = await store.filterTree(trees.base, (path) => !isHidden(path));
  const commit = await workspace.commitTree({ tree: base, parent: null, message: 'base', dateSeconds: 0 });
  const { pack, index } = await workspace.packOf(commit);
  const text = (path: string, content: string): SandboxFile => ({
    path,
    bytes: new TextEncoder().encode(content),
  });
  const git = [
    text('HEAD', 'ref: refs/heads/main\n'),
    text('config', GIT_CONFIG),
    text('refs/heads/main', `${commit}\n`),
    { path: 'objects/pack/pack-base.pack', bytes: pack },
    { path: 'objects/pack/pack-base.idx', bytes: index },
  ];
  return { files, links, folders, git, before };
}

const GIT_CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = false
\tworktree = ${ROOM.work}
\tlogallrefupdates = false
[user]
\tname = agent
\temail = agent@localhost
[gc]
\tauto = 0
`;
