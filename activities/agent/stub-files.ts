/** Stand-ins for code in a test author's tree: its own node and the nodes it depends on (gate.md part 1). */
import type { Session } from '../../core/ports/session.ts';
import { dependencyClosure } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';

/** Generated stand-ins that a test author sees in place of code. */
export interface StubSource {
  /** @param soon contracts that will be asked for: they may be made in the same room. */
  files(
    contract: ResolvedContract,
    soon?: readonly ResolvedContract[],
  ): Promise<readonly { readonly path: string; readonly text: string }[]>;
}

/** `tree` with stubs written where code would be. A Mode B node without a surface yet has none. */
export async function stubsFor(
  stubs: StubSource,
  session: Session,
  tree: string,
  book: readonly ResolvedContract[],
  contract: ResolvedContract,
): Promise<string> {
  const shown = [contract, ...dependencyClosure(book, contract.id)].filter(
    (each) => each.interface.exports.length > 0,
  );
  const files = (await Promise.all(shown.map((each) => stubs.files(each, book)))).flat();
  if (files.length === 0) return tree;
  const changes = files.map((file) => ({
    kind: 'write' as const,
    path: file.path,
    bytes: Buffer.from(file.text),
  }));
  const result = await session.trees.writeFiles(tree, changes);
  if (result.status === 'ok') return result.tree;
  throw new Error(`Cannot write stubs of "${contract.id}": "${result.refusals[0]?.path ?? '?'}" is refused`);
}
