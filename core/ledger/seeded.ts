/** First events of a session: what `seed` writes from resolved contracts. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { NodeChange } from '../../schemas/contract-change.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { SeedNode, SeedStage } from '../../schemas/stage.ts';
import type { SeedChanges } from './seed-changes.ts';

export interface SeedSource {
  readonly project: { readonly projectId: string; readonly name: string; readonly description: string };
  /** In the order of building. */
  readonly stages: readonly SeedStage[];
  readonly contracts: readonly ResolvedContract[];
  /** Where the resolved contracts are stored as one object. */
  readonly contractsRef: string;
  /** Hash of one resolved contract, by node id. */
  readonly digests: Readonly<Record<string, string>>;
  /** Hash of the project's own gate plan; null or absent: it has none. */
  readonly projectPlan?: string | null;
}

/** The compact form of one contract. @throws {TypeError} if its digest is not given. */
export function seedNode(contract: ResolvedContract, digests: SeedSource['digests']): SeedNode {
  const digest = digests[contract.id];
  if (digest === undefined) throw new TypeError(`Cannot seed "${contract.id}": its digest must be given`);
  return {
    id: contract.id,
    stage: contract.stage,
    type: contract.type,
    mode: contract.mode,
    weight: contract.protocol_weight,
    noTests: contract.tests === 'none',
    maxRetries: contract.max_retries,
    structural: [...contract.structural_deps],
    assumption: [...contract.assumption_deps],
    ...(contract.require_review === true && { requireReview: true as const }),
    digest,
  };
}

export function seededEvent(source: SeedSource): LedgerEvent {
  return {
    type: 'seeded',
    data: {
      project: source.project,
      contractsRef: source.contractsRef,
      stages: [...source.stages],
      nodes: source.contracts.map((contract) => seedNode(contract, source.digests)),
      ...planField(source),
    },
  };
}

function planField({ projectPlan }: SeedSource): { projectPlan?: string } {
  return projectPlan === undefined || projectPlan === null ? {} : { projectPlan };
}

/** Only packages or the project's plan changed: the contracts are the same, what they are judged with is not. */
export function packagesEvent(source: SeedSource): LedgerEvent {
  const { contractsRef, stages } = source;
  return {
    type: 'contract_changed',
    data: { contractsRef, stages: [...stages], nodes: [], removed: [], ...planField(source) },
  };
}

/** A later seed: the nodes that it touches as they are now, what their change voids, and the paths that leave the branch. */
export function changedEvent(
  source: SeedSource,
  changes: SeedChanges,
  names: Readonly<Record<string, NodeChange>>,
  withdrawn: readonly string[],
): LedgerEvent {
  const touched = new Set(changes.nodes.filter(({ what }) => what !== 'removed').map(({ id }) => id));
  const removed = changes.nodes.filter(({ what }) => what === 'removed').map(({ id }) => id);
  const { contractsRef, stages } = source;
  return {
    type: 'contract_changed',
    data: {
      contractsRef,
      stages: [...stages],
      nodes: source.contracts
        .filter(({ id }) => touched.has(id))
        .map((contract) => seedNode(contract, source.digests)),
      removed,
      ...planField(source),
      changes: { ...names },
      ...(withdrawn.length > 0 && { withdrawn: [...withdrawn] }),
    },
  };
}
