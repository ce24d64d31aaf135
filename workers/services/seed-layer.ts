/** `requires` at seed: resolved once into a layer, told with its packages, or refused with the line that asks for it. */
import { isEmptySpec, joinedSpec } from '../../core/layers/layer-spec.ts';
import { pathOfPin, sessionSpec } from '../../core/layers/session-spec.ts';
import type { LayerProblem } from '../../core/ports/layers.ts';
import type { Failed, SeededLayer } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import type { LoadedContracts } from '../../adapters/contracts/load.ts';
import type { LayerLock, LayerSpec } from '../../schemas/layer.ts';
import type { Machine } from '../machine.ts';
import { failed, failedWith } from './common.ts';

type Loaded = Extract<LoadedContracts, { ok: true }>;

export interface SeedLayer {
  readonly lock: LayerLock | null;
  readonly told: SeededLayer | null;
}

/**
 * The layer of these contracts. What an earlier seed resolved stays as it is while the pins are the same; `machine` is
 * opened only where something must be resolved. `ofPlan` is what the commands of the project's own plan need.
 */
export async function seedLayer(
  session: Session,
  loaded: Loaded,
  machine: () => Promise<Machine | Failed>,
  place: (line: number, column: number) => string,
  ofPlan: LayerSpec | null = null,
): Promise<SeedLayer | Failed> {
  const own = sessionSpec(loaded.contracts, loaded.resolved);
  const spec = joinedSpec([own, ofPlan ?? {}]);
  if (isEmptySpec(spec)) return { lock: null, told: null };
  const { contractsRef } = await session.doc();
  const earlier = contractsRef === null ? null : (await session.book()).layer;
  if (earlier !== null && canonicalJson(earlier.spec) === canonicalJson(spec))
    return { lock: earlier, told: { ...toldOf(earlier), isFresh: false, bytes: null } };
  const opened = await machine();
  if ('ok' in opened) return opened;
  const outcome = await opened.layers.ensure({ spec });
  if (!outcome.ok) return problemOf(outcome.problem, loaded, place);
  const { lock, isFresh, bytes } = outcome;
  return { lock, told: { ...toldOf(lock), isFresh, bytes } };
}

function toldOf(lock: LayerLock): Pick<SeededLayer, 'hash' | 'packages' | 'notes'> {
  const packages = lock.packages.map(({ name, version }) => `${name} ${version}`);
  return { hash: lock.hash, packages: [...new Set(packages)].toSorted(), notes: lock.notes };
}

/** What the document can mend is wrong use; what the machine lacks is the machine's. */
function problemOf(
  { kind, pin, message, suggestion }: LayerProblem,
  { contracts, locate }: Loaded,
  place: (line: number, column: number) => string,
): Failed {
  if (kind === 'offline' || kind === 'no_client') return failed(4, message, suggestion);
  const path = pin === null ? null : pathOfPin(contracts, pin);
  const at = locate(path ?? ['project']);
  return failedWith(2, [{ message, suggestion, place: place(at.line, at.column) }]);
}
