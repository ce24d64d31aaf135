/** The tree of an agent's room: files without what judges them, links, and a repository of one commit without a past. */
import { ROOM } from '../../core/ports/agent-driver.ts';
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
  for (const { path, kind, oid } of shown) {
    if (kind === 'symlink') links.set(path, (await store.readBlob(oid)).toString('utf8'));
    else if (kind !== 'gitlink')
      files.push({ path, bytes: await store.readBlob(oid), executable: kind === 'executable' });
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
