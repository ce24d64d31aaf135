/** Fold of what a person wrote: the first seed and every later change of a contract. */
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import type { SeedNode } from '../../schemas/stage.ts';
import { A7Error } from '../errors.ts';
import type { NodeChange } from '../../schemas/contract-change.ts';
import { nodeOf, without, type Draft } from './draft.ts';
import { changedNode, judgedAgain, keptMax } from './fold-change.ts';
import { heal, rebindPoison } from './poison.ts';
import type { NodeState } from './types.ts';

export function foldSeeded(draft: Draft, data: LedgerEventOf<'seeded'>['data']): void {
  if (draft.stageOrder.length > 0) throw new A7Error('EVENT_ORDER', 'Cannot seed a session twice');
  foldStages(draft, data.stages);
  foldProjectPlan(draft, data.projectPlan);
  for (const node of data.nodes) draft.nodes[node.id] = freshNode(node);
}

/** Changed nodes start anew as near; what counted suites and dispatches goes on, so that no id is used twice. */
export function foldContractChanged(draft: Draft, data: LedgerEventOf<'contract_changed'>['data']): void {
  foldStages(draft, data.stages);
  foldProjectPlan(draft, data.projectPlan);
  const { changes, withdrawn } = data;
  for (const id of data.removed) {
    keep(draft, id, changes?.[id]);
    forget(draft, id);
  }
  for (const node of data.nodes) {
    const change = changes?.[node.id];
    const next =
      change === undefined ? startedAnew(draft, node) : changedNode(draft, node.id, freshNode(node), change);
    keep(draft, node.id, change);
    if (change?.voids !== 'nothing') forget(draft, node.id);
    draft.nodes[node.id] = next;
  }
  if (withdrawn !== undefined && withdrawn.length > 0) draft.withdrawn = withdrawn;
  rebindPoison(draft);
}

/** The branch is as the contracts want it; nothing is due any more. */
export function foldBranchSettled(draft: Draft, data: LedgerEventOf<'branch_settled'>['data']): void {
  draft.head = data.head;
  delete draft.withdrawn;
}

/** Opened stages are built and sealed again; what is grounded in them stays so. */
export function foldStageReopened(draft: Draft, data: LedgerEventOf<'stage_reopened'>['data']): void {
  for (const id of data.stages) {
    const stage = draft.stages[id];
    if (stage !== undefined) draft.stages[id] = { ...stage, status: 'active' };
  }
  // A seal kept its nodes out of what fell below it.
  rebindPoison(draft);
}

/** A person's files stand where a builder's would, to be judged; what stands on them is judged again after them. */
export function foldReplaced(draft: Draft, data: LedgerEventOf<'replaced'>['data']): void {
  const { nodeId, tree, dispatchId, dependents } = data;
  draft.dispatchSeq += 1;
  if (nodeOf(draft, nodeId).root === true) heal(draft, nodeId);
  const { status: _status, ...before } = nodeOf(draft, nodeId);
  drop(draft, nodeId);
  const work = judgedAgain(nodeOf(draft, nodeId), { tree, dispatchId });
  draft.nodes[nodeId] = { ...withoutFailure(before), status: 'near', ...work };
  for (const id of dependents) {
    const node = nodeOf(draft, id);
    if (node.status !== 'grounded' && node.status !== 'provisional') continue;
    const { cap: _cap, ...rest } = node;
    draft.nodes[id] = { ...rest, status: 'near', ...judgedAgain(node, node.done ?? node.last) };
  }
  rebindPoison(draft);
}

type Unfailed = Omit<NodeState, 'status'>;

function withoutFailure({
  reason: _reason,
  cap: _cap,
  suspect: _suspect,
  suiteFault: _fault,
  ...node
}: Unfailed): Unfailed {
  return node;
}

/** As older versions changed a node: nothing of its work stays. */
function startedAnew(draft: Draft, node: SeedNode): NodeState {
  const before = draft.nodes[node.id];
  return {
    ...freshNode(node),
    ...(before?.suiteMax !== undefined && { suiteMax: before.suiteMax }),
    ...(before?.dispatches !== undefined && { dispatches: before.dispatches }),
  };
}

/** Puts a node's work aside under the name of its evidence. */
function keep(draft: Draft, nodeId: string, change: NodeChange | undefined): void {
  const node = draft.nodes[nodeId];
  const evidence = change?.former ?? null;
  if (node === undefined || evidence === null || change?.voids === 'nothing') return;
  if (node.suite === undefined && node.done === undefined && node.last === undefined) return;
  const others = (draft.kept?.[nodeId] ?? []).filter((each) => each.evidence !== evidence);
  draft.kept = { ...draft.kept, [nodeId]: [...others, { evidence, node }].slice(-keptMax) };
}

function foldProjectPlan(draft: Draft, plan: string | undefined): void {
  if (plan === undefined) delete draft.projectPlan;
  else draft.projectPlan = plan;
}

function foldStages(draft: Draft, stages: LedgerEventOf<'seeded'>['data']['stages']): void {
  draft.stageOrder = stages.map((stage) => stage.id);
  for (const stage of stages) {
    const status = draft.stages[stage.id]?.status ?? 'active';
    draft.stages[stage.id] = { name: stage.name, kind: stage.kind, status };
  }
}

/** Takes away a node whose contract is no longer the same, with everything that was under way for it. */
function forget(draft: Draft, nodeId: string): void {
  draft.nodes = without(draft.nodes, [nodeId]);
  drop(draft, nodeId);
}

function drop(draft: Draft, nodeId: string): void {
  draft.returns = without(draft.returns, [nodeId]);
  draft.validated = without(draft.validated, [nodeId]);
  for (const open of Object.values(draft.open)) {
    if (open.record.nodeId === nodeId) draft.open = without(draft.open, [open.record.dispatchId]);
  }
  for (const gate of Object.values(draft.gates))
    if (gate.nodeId === nodeId) draft.gates = without(draft.gates, [gate.gateId]);
}

function freshNode(node: SeedNode): NodeState {
  return {
    stage: node.stage,
    status: 'near',
    ...(node.structural.length > 0 && { structural: node.structural }),
    ...(node.assumption.length > 0 && { assumption: node.assumption, unverified: node.assumption }),
    ...(node.type !== 'feature' && { type: node.type }),
    ...(node.mode === 'B' && { mode: 'B' }),
    ...(node.weight !== 'lean' && { weight: node.weight }),
    ...(node.noTests && { noTests: true }),
    ...(node.maxRetries !== 3 && { maxRetries: node.maxRetries }),
    ...(node.requireReview === true && { requireReview: true }),
  };
}
