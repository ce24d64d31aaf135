/**
 * Which paths a role or a gate may hold (G4, gate.md parts 1 and 7). Everything is decided from resolved contracts:
 * P1. A path that no contract owns is scaffold: the harness or a person wrote it.
 * P2. A projection holds scaffold, the node's files and suite, and the files of its transitive dependencies.
 * P3. A builder's tree is its projection without any suite; a test author's tree is scaffold and its own suite; an analyst's holds no suite.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { matchesAnyGlob } from '../globs.ts';

export type PathPredicate = (path: string) => boolean;

/** Globs of a node's suite; none when it has no tests. */
export function testGlobs(contract: ResolvedContract): readonly string[] {
  return contract.tests === 'none' ? [] : contract.tests;
}

/** What a builder or a test author of this node may write. */
export function writeGlobs(contract: ResolvedContract, role: 'builder' | 'test_author'): readonly string[] {
  return role === 'builder' ? contract.files : testGlobs(contract);
}

/** Globs of everything that is committed for a node: its files and its suite. */
export function ownGlobs(contract: ResolvedContract): readonly string[] {
  return [...contract.files, ...testGlobs(contract)];
}

/** The node's structural dependencies and theirs, each once, without the node. */
export function dependencyClosure(
  all: readonly ResolvedContract[],
  nodeId: string,
): readonly ResolvedContract[] {
  const byId = new Map(all.map((contract) => [contract.id, contract]));
  const found = new Map<string, ResolvedContract>();
  const visit = (id: string): void => {
    for (const depId of byId.get(id)?.structural_deps ?? []) {
      const dep = byId.get(depId);
      if (dep === undefined || found.has(depId)) continue;
      found.set(depId, dep);
      visit(depId);
    }
  };
  visit(nodeId);
  return [...found.values()];
}

/** P1. */
export function isScaffold(all: readonly ResolvedContract[]): PathPredicate {
  const globs = all.flatMap(ownGlobs);
  return (path) => !matchesAnyGlob(globs, path);
}

/** P2. */
export function inProjection(all: readonly ResolvedContract[], contract: ResolvedContract): PathPredicate {
  const scaffold = isScaffold(all);
  const globs = [...ownGlobs(contract), ...dependencyClosure(all, contract.id).flatMap((dep) => dep.files)];
  return (path) => scaffold(path) || matchesAnyGlob(globs, path);
}

/** P3 for builders. */
export function visibleToBuilder(
  all: readonly ResolvedContract[],
  contract: ResolvedContract,
): PathPredicate {
  const suites = all.flatMap(testGlobs);
  const projected = inProjection(all, contract);
  return (path) => projected(path) && !matchesAnyGlob(suites, path);
}

/**
 * What an analyst reads: of a node or of several also what they stand on, of the project all. No suite, whatever the scope: its findings reach
 * the manager, whose notes reach builders.
 */
export function visibleToAnalyst(
  all: readonly ResolvedContract[],
  nodeIds: readonly string[],
  scope: 'node' | 'project' | 'external',
): PathPredicate {
  const suites = all.flatMap(testGlobs);
  const asked = all.filter(({ id }) => scope === 'project' || nodeIds.includes(id));
  const projected = asked.map((contract) => visibleToBuilder(all, contract));
  const scaffold = isScaffold(all);
  return (path) => !matchesAnyGlob(suites, path) && (scaffold(path) || projected.some((has) => has(path)));
}

/** P3 for test authors. */
export function visibleToAuthor(all: readonly ResolvedContract[], contract: ResolvedContract): PathPredicate {
  const scaffold = isScaffold(all);
  const own = testGlobs(contract);
  return (path) => scaffold(path) || matchesAnyGlob(own, path);
}
