/** Faults of `files` and `tests`: unsafe globs, scaffold, and paths that two nodes would own (gate.md part 1). */
import type { Contracts } from '../../schemas/contract.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import { checkGlob, foldPath, globsOverlap, literalPath } from '../globs.ts';
import { isReservedPath } from './reserved-paths.ts';
import { contractProblem, type ContractProblem } from './problem.ts';
import { resolveContracts } from './resolve.ts';

/** One glob of one node with its place. */
interface Claim {
  readonly nodeId: string;
  readonly part: 'files' | 'tests';
  readonly glob: string;
  readonly path: DocumentPath;
}

/** Problems of each glob by itself; if there are none, each overlap once, at the later node. */
export function checkFiles(contracts: Contracts): ContractProblem[] {
  const claims = claimsOf(contracts);
  const single = claims.flatMap(checkClaim);
  return single.length > 0 ? single : checkOverlaps(claims);
}

function claimsOf(contracts: Contracts): Claim[] {
  return resolveContracts(contracts).flatMap((contract, index) => {
    const node = contracts.nodes[index];
    return (['files', 'tests'] as const).flatMap((part) => {
      const globs = contract[part];
      if (globs === 'none') return [];
      const written = node?.[part] !== undefined;
      return globs.map((glob, at): Claim => {
        const path = written ? ['nodes', index, part, at] : ['nodes', index, 'id'];
        return { nodeId: contract.id, part, glob, path };
      });
    });
  });
}

function checkClaim(claim: Claim): ContractProblem[] {
  const subject = `Cannot use "${claim.glob}" as ${claim.part} of node "${claim.nodeId}"`;
  const fault = checkGlob(claim.glob);
  if (fault !== null) return [contractProblem(claim.path, `${subject}: ${fault}`)];
  const literal = literalPath(claim.glob);
  const fixed =
    literal ??
    claim.glob
      .split('/')
      .filter((part) => !part.includes('*'))
      .join('/');
  if (fixed !== '' && isReservedPath(fixed)) {
    return [
      contractProblem(
        claim.path,
        `${subject}: it is scaffold, which the harness writes and only a person changes`,
      ),
    ];
  }
  return [];
}

/**
 * Two globs can meet only if the fixed folders of one begin with those of the other. So claims are filed under their
 * fixed folders, shortest first, and each is compared with those filed above it: 10,000 nodes stay quick.
 */
function checkOverlaps(claims: readonly Claim[]): ContractProblem[] {
  const filed = new Map<string, Claim[]>();
  const found = new Map<string, readonly [Claim, Claim]>();
  const order = new Map(claims.map((claim, index) => [claim, index]));
  const byDepth = claims
    .map((claim) => ({ claim, folders: fixedFolders(claim.glob) }))
    .sort((a, b) => a.folders.length - b.folders.length);
  for (const { claim, folders } of byDepth) {
    const rivals = prefixes(folders).flatMap((prefix) => filed.get(prefix) ?? []);
    for (const rival of rivals) {
      if (isSame(rival, claim) || !globsOverlap(rival.glob, claim.glob)) continue;
      const pair =
        (order.get(rival) ?? 0) < (order.get(claim) ?? 0)
          ? ([rival, claim] as const)
          : ([claim, rival] as const);
      if (!found.has(pairKey(...pair))) found.set(pairKey(...pair), pair);
    }
    const own = folders.join('/');
    const group = filed.get(own);
    if (group === undefined) filed.set(own, [claim]);
    else group.push(claim);
  }
  return [...found.values()]
    .sort(([, a], [, b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map(([first, second]) => overlapProblem(first, second));
}

/** Folded names before the first wildcard; a file without wildcard counts whole. */
function fixedFolders(glob: string): string[] {
  const parts = foldPath(glob).split('/');
  const wild = parts.findIndex((part) => part.includes('*'));
  return wild < 0 ? parts : parts.slice(0, wild);
}

/** ``, `A`, `A/B` of A, B. */
function prefixes(folders: readonly string[]): string[] {
  return Array.from({ length: folders.length + 1 }, (_, count) => folders.slice(0, count).join('/'));
}

/** Two globs of the same part of the same node may match the same path. */
function isSame(a: Claim, b: Claim): boolean {
  return a.nodeId === b.nodeId && a.part === b.part;
}

function pairKey(a: Claim, b: Claim): string {
  return `${a.nodeId} ${b.nodeId}`;
}

function overlapProblem(first: Claim, second: Claim): ContractProblem {
  const owner = first.nodeId === second.nodeId ? 'its own' : `node "${first.nodeId}"'s`;
  const message = `Cannot use "${second.glob}" as ${second.part} of node "${second.nodeId}": it overlaps ${owner} ${first.part} "${first.glob}"`;
  return contractProblem(
    second.path,
    message,
    'Give the nodes "files" and "tests" that no path can match twice',
  );
}
