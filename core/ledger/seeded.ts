/** First events of a session: what `seed` writes from resolved contracts. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { SeedNode, SeedStage } from '../../schemas/stage.ts';
import type { StageState } from '../stage/types.ts';

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

/** What a seed of changed contracts does to a session: the event, or why it is refused (sealed nodes are immutable). */
export type Reseed =
  | { readonly status: 'unchanged' }
  | { readonly status: 'changed'; readonly event: LedgerEvent }
  | { readonly status: 'refused'; readonly nodeIds: readonly string[] };

/** Compares with the digests that the session was seeded with, by node id. */
export function reseed(
  state: StageState,
  before: Readonly<Record<string, string>>,
  source: SeedSource,
): Reseed {
  const changed = source.contracts.filter((contract) => source.digests[contract.id] !== before[contract.id]);
  const kept = new Set(source.contracts.map((contract) => contract.id));
  const removed = Object.keys(state.nodes).filter((id) => !kept.has(id));
  const sealed = (id: string) => state.stages[state.nodes[id]?.stage ?? '']?.status === 'sealed';
  const intoSealed = (contract: ResolvedContract) => state.stages[contract.stage]?.status === 'sealed';
  const refused = [
    ...changed
      .filter((contract) => sealed(contract.id) || intoSealed(contract))
      .map((contract) => contract.id),
    ...removed.filter(sealed),
  ];
  if (refused.length > 0) return { status: 'refused', nodeIds: refused };
  if (changed.length === 0 && removed.length === 0) return { status: 'unchanged' };
  const nodes = changed.map((contract) => seedNode(contract, source.digests));
  const { contractsRef } = source;
  const event: LedgerEvent = {
    type: 'contract_changed',
    data: { contractsRef, stages: [...source.stages], nodes, removed, ...planField(source) },
  };
  return { status: 'changed', event };
}
