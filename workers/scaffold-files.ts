/** Files of a repository that declarations may import (`init --from`): the rooms of their stubs hold them as well. */
import { treeOfCommit } from '../activities/shared/trees.ts';
import type { RunInSandbox } from '../adapters/stubs/stub-build.ts';
import type { SandboxFile } from '../core/ports/sandbox.ts';
import type { Session } from '../core/ports/session.ts';
import { isScaffold } from '../core/projection/paths.ts';
import type { Contracts, ResolvedContract } from '../schemas/contract.ts';

/** What is imported, and the manifests that say how. */
const IMPORTED = /\.(?:py|pyi|[cm]?[jt]s|json)$/u;

/** Sources on the branch that no node owns; none where the harness itself wrote the scaffold. */
export async function scaffoldSources(
  session: Session,
  { project }: Contracts,
  resolved: readonly ResolvedContract[],
): Promise<readonly SandboxFile[]> {
  if (project.scaffold === undefined) return [];
  const tree = await treeOfCommit(session, await session.content.head());
  const isGiven = isScaffold(resolved);
  const sources = await session.trees.filterTree(tree, (path) => IMPORTED.test(path) && isGiven(path));
  return session.trees.files(sources);
}

/** The same rooms with these files beneath: what a run brings itself lies over them, but for the empty packages around it. */
export function overScaffold(run: RunInSandbox, scaffold: readonly SandboxFile[]): RunInSandbox {
  if (scaffold.length === 0) return run;
  const there = new Set(scaffold.map(({ path }) => path));
  return (asked) => {
    const own = asked.files.filter(
      ({ path, bytes }) => !(bytes.byteLength === 0 && path.endsWith('__init__.py') && there.has(path)),
    );
    const over = new Set(own.map(({ path }) => path));
    return run({ ...asked, files: [...scaffold.filter(({ path }) => !over.has(path)), ...own] });
  };
}
