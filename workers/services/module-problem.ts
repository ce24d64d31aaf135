/** A repository's `"type": "commonjs"` is met at seed: no suite could import such a node, and its author would be paid to find out. */
import { treeOfCommit } from '../../activities/shared/trees.ts';
import { commonJsNodes } from '../../core/contract/module-kind.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { Contracts, ResolvedContract } from '../../schemas/contract.ts';
import { failedWith } from './common.ts';

const MANIFEST = /(?:^|\/)package\.json$/u;

/** Null where all nodes can be imported. */
export async function moduleProblem(
  session: Session,
  { project }: Contracts,
  resolved: readonly ResolvedContract[],
): Promise<Failed | null> {
  if (project.scaffold === undefined || project.language === 'python') return null;
  const tree = await treeOfCommit(session, await session.content.head());
  const files = await session.trees.files(
    await session.trees.filterTree(tree, (path) => MANIFEST.test(path)),
  );
  const manifests = new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('utf8')]));
  const found = commonJsNodes(resolved, manifests);
  if (found.length === 0) return null;
  const problems = found.map(({ nodeId, file, manifest }) => ({
    message: `Cannot use node "${nodeId}": "${file}" must be a module, and ${manifest} says "type": "commonjs"`,
  }));
  const [first] = found;
  const named = first?.file.replace(/\.([jt]s)x?$/u, '.m$1') ?? '';
  return failedWith(2, problems, `Name the file of the node in contracts.yaml: files: [${named}]`);
}
