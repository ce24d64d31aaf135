/** What a seed does to a session: the event to be written, the nodes to be tried, and the plan that a person reads. */
import type { LoadedContracts } from '../../adapters/contracts/load.ts';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { treeOfCommit } from '../../activities/shared/trees.ts';
import type { Book } from '../../core/contract/evidence.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { CallUsage } from '../../core/model/usage-sum.ts';
import {
  type SeedChange,
  type SeedChanges,
  changesField,
  needsConsent,
  sealedAgainst,
  seedChanges,
} from '../../core/ledger/seed-changes.ts';
import { type SeedSource, changedEvent, packagesEvent, seededEvent } from '../../core/ledger/seeded.ts';
import type { Failed, PlannedChange, SeedPlanReport } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { ownGlobs } from '../../core/projection/paths.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { LayerLock } from '../../schemas/layer.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { type ProjectPlan, StoredBook } from '../../schemas/stored-book.ts';
import { failed } from './common.ts';
import { typed } from '../../core/text/typed.ts';

type Loaded = Extract<LoadedContracts, { ok: true }>;

/** What a seed freezes beside the contracts. */
export interface Frozen {
  readonly layer: LayerLock | null;
  readonly plan: ProjectPlan | null;
}

export interface SeedPlanned {
  /** Null: nothing is to be written. */
  readonly event: LedgerEvent | null;
  /** Nodes whose declarations are tried. */
  readonly touched: ReadonlySet<string>;
  /** Null: the first seed. */
  readonly report: SeedPlanReport | null;
}

/** Compares what was read with what counts now. Nothing is written but the contracts as an object. */
export async function planSeed(
  session: Session,
  dir: string,
  loaded: Loaded,
  frozen: Frozen,
): Promise<SeedPlanned | Failed> {
  const doc = await session.doc();
  const source = await sourceOf(session, loaded, frozen, doc.project?.projectId ?? session.id);
  const all = new Set(loaded.resolved.map((each) => each.id));
  if (doc.contractsRef === null) return { event: seededEvent(source), touched: all, report: null };
  const former = StoredBook.parse(
    JSON.parse(Buffer.from(await session.objects.get(doc.contractsRef)).toString('utf8')),
  );
  const before: Book = { stages: former.contracts.stages, resolved: former.resolved };
  const after: Book = { stages: loaded.contracts.stages, resolved: loaded.resolved };
  const changes = seedChanges(doc.state, before, after, sha256);
  const sealed = sealedAgainst(doc.state, changes, after);
  if (sealed.length > 0) return sealedProblem({ ...stagesOf(after), ...doc.state.nodes }, sealed, dir);
  const isOtherLayer = former.layer?.hash !== frozen.layer?.hash;
  const isOtherPlan = canonicalJson(former.plan) !== canonicalJson(frozen.plan);
  const isChanged = changes.nodes.length > 0 || changes.stages.length > 0;
  const withdrawn = await withdrawnPaths(session, before.resolved, after.resolved);
  const report = await reportOf(session, changes, withdrawn);
  if (!isChanged && !isOtherLayer && !isOtherPlan) return { event: null, touched: new Set(), report };
  const event = isChanged
    ? changedEvent(source, changes, changesField(changes, before, after, sha256), withdrawn)
    : packagesEvent(source);
  const touched = isOtherLayer
    ? all
    : new Set(changes.nodes.filter(({ voids }) => voids !== 'nothing').map(({ id }) => id));
  return { event, touched, report };
}

function sealedProblem(
  nodes: Readonly<Record<string, { readonly stage: string }>>,
  ids: readonly string[],
  dir: string,
): Failed {
  const stage = nodes[ids[0] ?? '']?.stage ?? '';
  return failed(
    2,
    `Cannot change nodes of a sealed stage: ${ids.join(', ')}`,
    typed`a7-rt stage-reset ${dir} ${stage} opens it again, with what is built on it`,
  );
}

/** Of nodes that the edit adds. */
function stagesOf({ resolved }: Book): Record<string, { readonly stage: string }> {
  return Object.fromEntries(resolved.map(({ id, stage }) => [id, { stage }]));
}

/** Paths on the branch that a node owned and that nobody, or another node, owns now. */
async function withdrawnPaths(
  session: Session,
  before: readonly ResolvedContract[],
  after: readonly ResolvedContract[],
): Promise<string[]> {
  const owner = (book: readonly ResolvedContract[], path: string): string | undefined =>
    book.find((contract) => matchesAnyGlob(ownGlobs(contract), path))?.id;
  const tree = await treeOfCommit(session, await session.content.head());
  const paths = (await session.trees.listTree(tree)).map(({ path }) => path);
  return paths.filter((path) => {
    const former = owner(before, path);
    return former !== undefined && owner(after, path) !== former;
  });
}

async function sourceOf(
  session: Session,
  { contracts, resolved }: Loaded,
  { layer, plan }: Frozen,
  projectId: string,
): Promise<SeedSource> {
  const { name, description } = contracts.project;
  return {
    project: { projectId, name, description },
    stages: contracts.stages.map((stage) => ({
      id: stage.id,
      name: stage.name ?? stage.id,
      kind: stage.kind,
    })),
    contracts: resolved,
    contractsRef: await session.objects.put(
      canonicalJson({ contracts, resolved, layer, ...(plan !== null && { plan }) }),
    ),
    projectPlan: plan === null ? null : sha256(canonicalJson(plan)),
    digests: Object.fromEntries(resolved.map((each) => [each.id, sha256(canonicalJson(each))])),
  };
}

async function reportOf(
  session: Session,
  changes: SeedChanges,
  withdrawn: readonly string[],
): Promise<SeedPlanReport> {
  const { calls } = await sumUsage(session.dir);
  const nodes = changes.nodes.map((change): PlannedChange => ({ ...change, cost: costOf(change, calls) }));
  return { nodes, stages: changes.stages, withdrawn, needsConsent: needsConsent(changes) };
}

/** What such work cost before: of this node, else of a node on the average. */
function costOf(
  { id, from = id, what, voids, restores, importsMoved }: SeedChange,
  calls: readonly CallUsage[],
): PlannedChange['cost'] {
  if (restores || what === 'removed' || voids === 'nothing') return null;
  if (voids === 'verdict' && importsMoved !== true) return null;
  const roles = [
    ...(voids === 'verdict' ? [] : ['test_author']),
    ...(voids === 'all' || importsMoved === true ? ['builder'] : []),
  ];
  const such = calls.filter(
    ({ coordinates }) => coordinates.node !== null && roles.includes(coordinates.role),
  );
  const own = such.filter(({ coordinates }) => coordinates.node === from);
  const of = own.length > 0 ? own : such;
  const nodes = own.length > 0 ? 1 : Math.max(1, new Set(such.map((each) => each.coordinates.node)).size);
  const known = of.every((each) => each.costMicroUsd !== null);
  const sum = of.reduce((total, each) => total + (each.costMicroUsd ?? 0), 0);
  return { calls: Math.ceil(of.length / nodes), costMicroUsd: known ? Math.round(sum / nodes) : null };
}
