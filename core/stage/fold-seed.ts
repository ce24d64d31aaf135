/** Fold of what a person wrote: the first seed and every later change of a contract. */
import type { LedgerEventOf } from '../../schemas/ledger.ts';
import type { SeedNode } from '../../schemas/stage.ts';
import { A7Error } from '../errors.ts';
import { without, type Draft } from './draft.ts';
import { rebindPoison } from './poison.ts';
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
  for (const id of data.removed) forget(draft, id);
  for (const node of data.nodes) {
    const before = draft.nodes[node.id];
    forget(draft, node.id);
    draft.nodes[node.id] = {
      ...freshNode(node),
      ...(before?.suiteMax !== undefined && { suiteMax: before.suiteMax }),
      ...(before?.dispatches !== undefined && { dispatches: before.dispatches }),
    };
  }
  rebindPoison(draft);
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

/** Takes away everything that was under way for a node, whose contract is no longer the same. */
function forget(draft: Draft, nodeId: string): void {
  draft.nodes = without(draft.nodes, [nodeId]);
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
  };
}
