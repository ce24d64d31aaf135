/** Trees that agents and gates are given: branch + provisional closure − what they may not see (design part 5). */
import type { Session } from '../../core/ports/session.ts';
import { dependencyClosure } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { SuiteRecord } from '../../schemas/suite-record.ts';

/** Ref of a node's provisional code. */
export function provisionalRef(nodeId: string): string {
  return `refs/a7/prov/${nodeId}`;
}

/** Tree of a branch commit inside the shadow store; the empty tree before the first commit. */
export async function treeOfCommit(session: Session, commit: string | null): Promise<string> {
  if (commit === null) return session.trees.emptyTree;
  const known = await session.trees.readRef(headRef(commit));
  if (known !== null) return known;
  const tree = await session.trees.importCommit(`${session.contentDir}/.git`, commit);
  await session.trees.keep(headRef(commit), tree);
  return tree;
}

/** Notes the tree of a commit that was made from the shadow store: it is there whole, and is not fetched back. */
export async function keepTreeOfCommit(session: Session, commit: string, tree: string): Promise<void> {
  await session.trees.keep(headRef(commit), tree);
}

function headRef(commit: string): string {
  return `refs/a7/head/${commit}`;
}

/** Branch head with the provisional code of the node's dependencies laid over it. */
export async function baseTree(
  session: Session,
  commit: string | null,
  contract: ResolvedContract,
): Promise<string> {
  const { resolved } = await session.book();
  const { state } = await session.doc();
  let tree = await treeOfCommit(session, commit);
  for (const dep of dependencyClosure(resolved, contract.id)) {
    if (state.nodes[dep.id]?.status !== 'provisional') continue;
    const provisional = await session.trees.readRef(provisionalRef(dep.id));
    if (provisional !== null) tree = await layOver(session, tree, dep.files, provisional);
  }
  return tree;
}

/** `tree` with the globs' paths taken from `source`. */
export async function layOver(
  session: Session,
  tree: string,
  globs: readonly string[],
  source: string,
): Promise<string> {
  const result = await session.trees.overlay({ headTree: tree, ownGlobs: globs, sourceTree: source });
  if (result.status === 'ok') return result.tree;
  const first = result.refusals[0];
  throw new Error(
    `Cannot lay ${globs.join(', ')} over a tree: "${first?.path ?? '?'}" ${first?.rule ?? 'is refused'}`,
  );
}

/** The suite that a node is judged by, or null when it has none. Version 0 means none. */
export async function suiteOf(
  session: Session,
  nodeId: string,
  version: number,
): Promise<SuiteRecord | null> {
  if (version === 0) return null;
  const key = suiteKey(nodeId, version);
  return (
    (await session.results.get(key, 'suite', SuiteRecord)) ??
    (await session.spare.get(key, 'suite', SuiteRecord))
  );
}

/** Key of a locked suite's record. */
export function suiteKey(nodeId: string, version: number): string {
  return `suites/${nodeId}/${String(version)}`;
}

/** The contract as frozen by its suite: in Mode B the author's exports. */
function frozenContract(contract: ResolvedContract, suite: SuiteRecord | null): ResolvedContract {
  const exports = suite?.exports ?? null;
  if (exports === null) return contract;
  return { ...contract, interface: { ...contract.interface, exports } };
}

/** Contract of a node as the session's book has it. @throws when the node is unknown: the ledger and the book disagree. */
export async function contractOf(session: Session, nodeId: string): Promise<ResolvedContract> {
  return contractIn((await session.book()).resolved, nodeId);
}

/** Contract of a node in this book. @throws when it is not there. */
export function contractIn(book: readonly ResolvedContract[], nodeId: string): ResolvedContract {
  const contract = book.find((each) => each.id === nodeId);
  if (contract === undefined)
    throw new Error(`Cannot find the contract of node "${nodeId}" in the last seed`);
  return contract;
}

/** All contracts, those of Mode B with the surface that their suite froze. */
export async function frozenBook(session: Session): Promise<readonly ResolvedContract[]> {
  const { resolved } = await session.book();
  const { state } = await session.doc();
  return Promise.all(
    resolved.map(async (contract) =>
      contract.mode === 'A'
        ? contract
        : frozenContract(contract, await suiteOf(session, contract.id, state.nodes[contract.id]?.suite ?? 0)),
    ),
  );
}
