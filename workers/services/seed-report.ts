/** What a seed tells: each node as resolved, its packages, and what this version does not act on. */
import type { LoadedContracts } from '../../adapters/contracts/load.ts';
import { allRequires } from '../../core/contract/scaffold.ts';
import { ecosystemOf } from '../../core/layers/layer-spec.ts';
import type { SeedReport } from '../../core/ports/services.ts';
import type { Contracts, ResolvedContract } from '../../schemas/contract.ts';
import { lintNotes } from './lint-contracts.ts';
import type { SeedLayer } from './seed-layer.ts';

type Loaded = Extract<LoadedContracts, { ok: true }>;

/** `changed` is false when the contracts are as they were. */
export function reportOf(
  loaded: Loaded,
  { told }: SeedLayer,
  changed: boolean,
  plan: SeedReport['plan'] = null,
): SeedReport {
  const { contracts, resolved } = loaded;
  const nodes = resolved.map(({ id, stage, mode, files, tests, importLine }) => ({
    id,
    stage,
    mode,
    files,
    tests,
    importLine,
  }));
  return {
    changed,
    plan,
    nodes,
    layer: told,
    warnings: [...notYetHonoured(contracts, resolved), ...lintNotes(loaded)],
  };
}

/** What a contract may say and this version does not act on: said at seed, so that nobody relies on it. */
function notYetHonoured(contracts: Contracts, resolved: readonly ResolvedContract[]): string[] {
  const isResolved = ecosystemOf(contracts.project.language) !== null;
  const pins = isResolved ? [] : allRequires(contracts.project, resolved);
  const notGated = resolved
    .filter((contract) => ['go', 'rust'].includes(contract.language))
    .map((contract) => contract.id);
  const note = (ids: readonly string[], text: string): string[] =>
    ids.length === 0 ? [] : [`${ids.join(', ')}: ${text}`];
  return [
    ...note(
      pins,
      'packages of Go and Rust are not resolved yet, so code that imports them fails in the gate',
    ),
    ...note(notGated, 'nodes in Go and Rust cannot be gated yet; a run would end without a commit for them'),
  ];
}
