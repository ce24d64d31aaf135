/** When a stage may be sealed: every reason against it is named (design part 6, SEAL). */
import type { SealBlocker } from '../../schemas/ledger.ts';
import { nodeOf, runOf } from './draft.ts';
import { selectedNodes } from './ready.ts';
import type { StageState } from './types.ts';

/** One blocker in a line: `"tax.rate" NODE_NEAR`. The project's own names its cause, which no node shows. */
export function blockerText({ code, nodeId, detail }: SealBlocker): string {
  return nodeId === null ? `${code} (${detail})` : `"${nodeId}" ${code}`;
}

export function stageNodes(state: StageState): string[] {
  const stage = runOf(state).stage;
  return Object.keys(state.nodes).filter((id) => state.nodes[id]?.stage === stage);
}

/** All reasons against SEAL, in the order of the contract; empty: it may be tried. */
export function sealBlockers(state: StageState): SealBlocker[] {
  return stageNodes(state).flatMap((nodeId) => blockersOf(state, nodeId));
}

function blockersOf(state: StageState, nodeId: string): SealBlocker[] {
  const node = nodeOf(state, nodeId);
  const found: SealBlocker[] = [];
  const add = (code: SealBlocker['code'], detail: string) => found.push({ code, nodeId, detail });
  if (node.status === 'near') add('NODE_NEAR', 'no accepted work yet');
  if (node.status === 'poisoned') {
    add(
      'NODE_POISONED',
      node.heldBy === undefined ? 'it failed itself' : `held by "${node.heldBy.join('", "')}"`,
    );
  }
  const needs = node.status === 'suspended' ? neededBy(state, nodeId) : [];
  if (needs.length > 0) add('NODE_NEEDED', `it is suspended, and "${needs.join('", "')}" needs it`);
  if (state.returns[nodeId] !== undefined) add('PENDING_RETURN', 'VALIDATE it first');
  if (state.validated[nodeId] !== undefined || state.intent?.nodeId === nodeId) {
    add('PENDING_COMMIT', 'COMMIT it first');
  }
  for (const open of Object.values(state.open)) {
    if (open.record.nodeId === nodeId && open.phase !== 'parked') {
      add('IN_FLIGHT', `${open.record.role} ${open.record.dispatchId} is at work`);
    }
  }
  for (const gate of Object.values(state.gates)) {
    if (gate.nodeId === nodeId) add('IN_FLIGHT', `gate ${gate.gateId} is at work`);
  }
  for (const to of node.unverified ?? [])
    add('UNVERIFIED_ASSUMPTION', `its assumption about "${to}" is not verified`);
  return found;
}

/** Nodes of other stages, not sealed yet, that stand on this one: once its stage is sealed, they could never be built. */
function neededBy(state: StageState, nodeId: string): string[] {
  const { stage } = nodeOf(state, nodeId);
  return Object.keys(state.nodes).filter((id) => {
    const other = nodeOf(state, id);
    const isOpen = other.stage !== stage && state.stages[other.stage]?.status !== 'sealed';
    return isOpen && (other.structural ?? []).includes(nodeId);
  });
}

/** Whether this SEAL asks the project's own plan: its commands need the whole project, so the last open stage does. */
export function asksProject(state: StageState): boolean {
  const { stage } = runOf(state);
  const others = state.stageOrder.filter((id) => id !== stage);
  return state.projectPlan !== undefined && others.every((id) => state.stages[id]?.status === 'sealed');
}

/** Every node of this run's selection is grounded or provisional and nothing is under way. */
export function allResolved(state: StageState, nodeIds: readonly string[] = selectedNodes(state)): boolean {
  return nodeIds.every((id) => {
    const status = state.nodes[id]?.status;
    return (
      (status === 'grounded' || status === 'provisional') &&
      blockersOf(state, id).every((blocker) => blocker.code === 'UNVERIFIED_ASSUMPTION')
    );
  });
}

/** Assumption edges of the open stage whose target is grounded: its gate proved what it guarantees. */
export function provenAssumptions(state: StageState): { from: string; to: string }[] {
  return stageNodes(state).flatMap((from) =>
    (nodeOf(state, from).unverified ?? [])
      .filter((to) => state.nodes[to]?.status === 'grounded')
      .map((to) => ({ from, to })),
  );
}
