/** From two seeds of one session to what is added, changed, moved and removed, and what evidence each voids: the plan that people read. */
import type { NodeChange, Voids } from '../../schemas/contract-change.ts';
import type { StageState } from '../stage/types.ts';
import { dependencyClosure } from '../projection/paths.ts';
import { type Moves, movedNodes } from './moved-nodes.ts';
import {
  type Book,
  contractDifference,
  declaresOtherwise,
  evidenceText,
  isPure,
  strongest,
} from '../contract/evidence.ts';

/** What a later seed does to one node. */
export interface SeedChange {
  readonly id: string;
  /** Moved: a new id for a contract that another node had, which is listed as removed. */
  readonly what: 'added' | 'changed' | 'moved' | 'removed';
  /** Id before, of a node that moved. */
  readonly from?: string;
  /** What it stands on has another path now: code that names the former one is to be written anew. */
  readonly importsMoved?: true;
  /** Fields that differ; for a node that only stands on a changed one, that one's id. */
  readonly because: readonly string[];
  readonly voids: Voids;
  /** Evidence of an earlier seed counts again. */
  readonly restores: boolean;
  /** Status before; null: a new node. */
  readonly status: string | null;
}

/** A later seed in whole. */
export interface SeedChanges {
  readonly nodes: readonly SeedChange[];
  /** In words: `core: kind pure instead of io`. */
  readonly stages: readonly string[];
}

type Hash = (text: string) => string;

/** Compares the contracts that count now with those that were read. */
export function seedChanges(state: StageState, before: Book, after: Book, hash: Hash): SeedChanges {
  const known = new Map(before.resolved.map((contract) => [contract.id, contract]));
  const kept = new Set(after.resolved.map((contract) => contract.id));
  const moves = movedNodes(before.resolved, after.resolved);
  const present = after.resolved.flatMap(
    ({ id }) => changeOf({ state, before, after, moves, hash }, id) ?? [],
  );
  const removed = [...known.keys()]
    .filter((id) => !kept.has(id))
    .map((id): SeedChange => {
      const status = state.nodes[id]?.status ?? null;
      return { id, what: 'removed', because: [], voids: 'all', restores: false, status };
    });
  return { nodes: [...present, ...removed], stages: stageChanges(state, after) };
}

interface Compared {
  readonly state: StageState;
  readonly before: Book;
  readonly after: Book;
  readonly moves: Moves;
  readonly hash: Hash;
}

function changeOf({ state, before, after, moves, hash }: Compared, id: string): SeedChange | null {
  const contract = after.resolved.find((each) => each.id === id);
  const former = before.resolved.find((each) => each.id === id);
  if (contract === undefined) return null;
  const status = state.nodes[id]?.status ?? null;
  const restores = isKept(state, id, hash(evidenceText(after, id)));
  const from = moves.get(id);
  const fresh = { id, voids: 'all', restores, status } as const;
  if (from !== undefined) return { ...fresh, what: 'moved', because: [`from ${from}`], from };
  if (former === undefined) return { ...fresh, what: 'added', because: [] };
  const own = contractDifference(former, contract);
  const isPurified = isPure(after, contract) && !isPure(before, former);
  const below = dependencyClosure(after.resolved, id).filter((dep) => {
    const old = before.resolved.find((each) => each.id === dep.id);
    return old === undefined || declaresOtherwise(old, dep);
  });
  const judgedAgain = isPurified || below.length > 0;
  if (own === null && !judgedAgain) return null;
  const voids = strongest(own?.voids ?? 'nothing', judgedAgain ? 'verdict' : 'nothing');
  const because = [...(own?.fields ?? []), ...(isPurified ? ['kind'] : []), ...below.map((dep) => dep.id)];
  const importsMoved = below.some((dep) => {
    const old = before.resolved.find((each) => each.id === (moves.get(dep.id) ?? dep.id));
    return old !== undefined && old.contentFile !== dep.contentFile;
  });
  return {
    id,
    what: 'changed',
    because,
    voids,
    restores: restores && voids !== 'nothing',
    status,
    ...(importsMoved && { importsMoved }),
  };
}

function isKept(state: StageState, id: string, evidence: string): boolean {
  return (state.kept?.[id] ?? []).some((each) => each.evidence === evidence);
}

function stageChanges(state: StageState, after: Book): string[] {
  const changed = after.stages.flatMap((stage) => {
    const old = state.stages[stage.id];
    if (old === undefined) return [`${stage.id}: added`];
    return old.kind === stage.kind ? [] : [`${stage.id}: kind ${stage.kind} instead of ${old.kind}`];
  });
  const ids = after.stages.map((stage) => stage.id);
  const removed = state.stageOrder.filter((id) => !ids.includes(id)).map((id) => `${id}: removed`);
  const others = ids.filter((id) => state.stageOrder.includes(id));
  const isOrdered = others.join() === state.stageOrder.filter((id) => ids.includes(id)).join();
  return [...changed, ...removed, ...(isOrdered ? [] : [`order: ${ids.join(', ')}`])];
}

/** Nodes of a sealed stage that lose evidence: the stage is to be opened again first. */
export function sealedAgainst(state: StageState, changes: SeedChanges, after: Book): string[] {
  const isSealed = (stage: string | undefined): boolean => state.stages[stage ?? '']?.status === 'sealed';
  return changes.nodes.flatMap(({ id, voids }) => {
    if (voids === 'nothing') return [];
    const now = after.resolved.find((each) => each.id === id)?.stage;
    return isSealed(state.nodes[id]?.stage) || isSealed(now) ? [id] : [];
  });
}

/** Whether a person is asked before: something that was paid for would be judged again, made anew or taken away. */
export function needsConsent({ nodes }: SeedChanges): boolean {
  return nodes.some(({ status, voids, what, restores }) => {
    if (restores || voids === 'nothing' || what === 'added') return false;
    return status !== null && (what === 'removed' || status !== 'near' || voids !== 'verdict');
  });
}

/** The changes as the ledger has them. */
export function changesField(
  changes: SeedChanges,
  before: Book,
  after: Book,
  hash: Hash,
): Record<string, NodeChange> {
  const nameIn = (book: Book, id: string): string | null =>
    book.resolved.some((each) => each.id === id) ? hash(evidenceText(book, id)) : null;
  return Object.fromEntries(
    changes.nodes.map(({ id, voids }) => [
      id,
      { voids, former: nameIn(before, id), evidence: nameIn(after, id) },
    ]),
  );
}
