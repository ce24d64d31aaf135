/** Nodes that a later seed knows under another id: `price.money` that is `price.amount` now, with the same contract. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { defaultLayout } from '../contract/layout.ts';
import { canonicalJson } from '../text/canonical.ts';

/** Former id by id now. */
export type Moves = ReadonlyMap<string, string>;

/**
 * A node has moved if one node that is gone has its very contract but for the id and the paths that follow from it. Where two
 * would fit, none is taken. What stands on moved nodes may have moved with them, so it is looked again until nothing is found.
 */
export function movedNodes(before: readonly ResolvedContract[], after: readonly ResolvedContract[]): Moves {
  const [known, present] = [idsOf(before), idsOf(after)];
  const moves = new Map<string, string>();
  for (let found = -1; found !== moves.size;) {
    found = moves.size;
    const taken = new Set(moves.values());
    const gone = textsOf(before.filter(({ id }) => !present.has(id) && !taken.has(id)));
    const come = textsOf(
      after.filter(({ id }) => !known.has(id) && !moves.has(id)),
      moves,
    );
    for (const [text, [now, ...others]] of come) {
      const [from, ...rivals] = gone.get(text) ?? [];
      if (now === undefined || from === undefined || others.length + rivals.length > 0) continue;
      moves.set(now, from);
    }
  }
  return moves;
}

function idsOf(book: readonly ResolvedContract[]): ReadonlySet<string> {
  return new Set(book.map(({ id }) => id));
}

/** Ids by contract, for nodes of one side. */
function textsOf(book: readonly ResolvedContract[], moves: Moves = new Map()): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const contract of book) {
    const text = textWithoutId(contract, moves);
    found.set(text, [...(found.get(text) ?? []), contract.id]);
  }
  return found;
}

function textWithoutId(contract: ResolvedContract, moves: Moves): string {
  const { id, contentFile: _file, importLine: _line, files, tests, ...rest } = contract;
  const layout = defaultLayout(contract.language, id, contract.sourceRoot);
  const former = (dep: string): string => moves.get(dep) ?? dep;
  const owned = (globs: unknown, byDefault: readonly string[]): unknown =>
    canonicalJson(globs) === canonicalJson(byDefault) ? 'by id' : globs;
  return canonicalJson({
    ...rest,
    files: owned(files, layout.files),
    tests: owned(tests, layout.tests),
    structural_deps: rest.structural_deps.map(former),
    assumption_deps: rest.assumption_deps.map(former),
  });
}
