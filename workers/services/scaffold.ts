/** The scaffold on the branch: written by the harness at seed, changed only by a person (gate.md part 1). */
import type { ScaffoldFile } from '../../core/contract/scaffold.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { failed } from './common.ts';

/**
 * Commits the files that are missing on the branch, and those that are still as the `former` seed wrote them; others stay
 * as a person left them. Null when all is well. `isRepository`: folders that are there are left alone.
 */
export async function commitScaffold(
  session: Session,
  files: readonly ScaffoldFile[],
  former: readonly ScaffoldFile[] = [],
  isRepository = false,
): Promise<Failed | null> {
  const status = await session.content.status();
  if (status.status !== 'clean') {
    const paths =
      status.status === 'dirty' ? status.paths.map((each) => each.path).join(', ') : `branch ${status.found}`;
    return failed(
      2,
      `Cannot seed: content/ has changes that are not committed: ${paths}`,
      'Commit or undo them in content/',
    );
  }
  const { head } = status;
  const base =
    head === null
      ? session.trees.emptyTree
      : await session.trees.importCommit(`${session.contentDir}/.git`, head);
  const wanted = isRepository ? await inNewFolders(session, base, files) : files;
  const missing = await outdated(session, base, wanted, former);
  if (missing.length === 0) return null;
  const changes = missing.map((file) => ({
    kind: 'write' as const,
    path: file.path,
    bytes: Buffer.from(file.text),
  }));
  const written = await session.trees.writeFiles(base, changes);
  if (written.status === 'refused') {
    const [first] = written.refusals;
    return failed(2, `Cannot write the scaffold: "${first?.path ?? '?'}" ${first?.rule ?? 'is refused'}`);
  }
  await session.trees.keep('refs/a7/scaffold', written.tree);
  const result = await session.content.commit({
    expectedHead: head,
    tree: written.tree,
    message: head === null ? 'Scaffold' : 'Extend the scaffold',
    trailers: [['A7-Scaffold', String(missing.length)]],
    dateSeconds: Math.floor(Date.now() / 1000),
  });
  return result.status === 'committed'
    ? null
    : failed(2, `Cannot commit the scaffold: ${result.status.replaceAll('_', ' ')}`);
}

/** A folder that the repository has is a package or a namespace as its people made it. */
async function inNewFolders(
  session: Session,
  base: string,
  files: readonly ScaffoldFile[],
): Promise<readonly ScaffoldFile[]> {
  const paths = (await session.trees.listTree(base)).map((entry) => entry.path);
  return files.filter(({ path }) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    return !paths.some((each) => each.startsWith(folder));
  });
}

/** Files that the tree lacks, or holds exactly as an earlier seed wrote them with another text. */
async function outdated(
  session: Session,
  base: string,
  files: readonly ScaffoldFile[],
  former: readonly ScaffoldFile[],
): Promise<ScaffoldFile[]> {
  const present = new Map((await session.trees.listTree(base)).map((entry) => [entry.path, entry.oid]));
  const before = new Map(former.map((file) => [file.path, file.text]));
  const wanted = await Promise.all(
    files.map(async (file) => {
      const oid = present.get(file.path);
      if (oid === undefined) return [file];
      const old = before.get(file.path);
      if (old === undefined || old === file.text) return [];
      return (await session.trees.readBlob(oid)).toString('utf8') === old ? [file] : [];
    }),
  );
  return wanted.flat();
}
