/** Which layer a session's contracts ask for, and where in them a pin was written. */
import type { Contracts, ResolvedContract } from '../../schemas/contract.ts';
import type { LayerLock, LayerSpec } from '../../schemas/layer.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import { parsePin } from '../contract/pins.ts';
import { allRequires } from '../contract/scaffold.ts';
import { ecosystemOf, EMPTY_SPEC, normalSpec } from './layer-spec.ts';

/** One layer for all nodes: what the project and its nodes require. Languages without a registry add nothing. */
export function sessionSpec(contracts: Contracts, resolved: readonly ResolvedContract[]): LayerSpec {
  const { project } = contracts;
  const ecosystem = ecosystemOf(project.language);
  if (ecosystem === null) return EMPTY_SPEC;
  return normalSpec({ ...EMPTY_SPEC, [ecosystem]: allRequires(project, resolved) });
}

/** Where the document asks for this entry of the spec; the first place, null if there is none. */
export function pathOfPin({ project, nodes }: Contracts, pin: string): DocumentPath | null {
  const lists: readonly (readonly [DocumentPath, readonly string[]])[] = [
    [['project', 'requires'], project.requires],
    ...nodes.map((node, index) => [['nodes', index, 'requires'], node.requires] as const),
  ];
  const ecosystem = ecosystemOf(project.language);
  if (ecosystem === null) return null;
  for (const [path, pins] of lists) {
    const at = pins.findIndex(
      (each) => normalSpec({ ...EMPTY_SPEC, [ecosystem]: [each] })[ecosystem]?.[0] === pin,
    );
    if (at !== -1) return [...path, at];
  }
  return null;
}

/** `plus-one 1.0: import plus_one`, for the packages that a node requires itself. */
export function packageLines(lock: LayerLock | null, requires: readonly string[]): string[] {
  const names = new Set(
    requires.flatMap((pin) => (['python', 'javascript'] as const).map((each) => parsePin(pin, each)?.name)),
  );
  const own = (lock?.packages ?? []).filter(
    ({ name, file }) => names.has(name) && !/node_modules\/.*node_modules\//.test(file),
  );
  return own.map(
    ({ name, version, imports }) => `- ${name} ${version}: import ${(imports ?? [name]).join(', ')}`,
  );
}

/** Contracts with the project's packages among their own: every node may import them, and every agent is told. */
export function withProjectRequires<T extends Pick<ResolvedContract, 'requires'>>(
  contracts: Pick<Contracts, 'project'>,
  resolved: readonly T[],
): T[] {
  const shared = contracts.project.requires;
  if (shared.length === 0) return [...resolved];
  return resolved.map((each) => ({
    ...each,
    requires: [...new Set([...shared, ...each.requires])].toSorted(),
  }));
}
