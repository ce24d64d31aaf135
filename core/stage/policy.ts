/** The policy manager: dispatch in order, redispatch with the failure as the note, suspend when out of budget. */
import type { ManagerAction } from '../../schemas/actions.ts';
import type { SealBlocker } from '../../schemas/ledger.ts';
import { checkAction } from './check-action.ts';
import { nodeOf } from './draft.ts';
import { dueNodes, freeSlots, nextRole, selectedNodes } from './ready.ts';
import { isHeldForReview } from './review.ts';
import { allResolved, sealBlockers } from './seal.ts';
import type { NodeState, StageState } from './types.ts';

/** What a policy does next: the same for the same state. HALT when nothing else is possible. */
export function policyAction(state: StageState): ManagerAction {
  return (
    validateFirst(state) ??
    commitFirst(state) ??
    sealNow(state) ??
    dispatchFirst(state) ??
    decide(state) ??
    halt(state)
  );
}

export function validateFirst(state: StageState): ManagerAction | null {
  return firstLegal(state, Object.keys(state.returns), (nodeId) => ({
    action_type: 'VALIDATE',
    parameters: { node_id: nodeId },
  }));
}

export function commitFirst(state: StageState): ManagerAction | null {
  const free = Object.keys(state.validated).filter((nodeId) => !isHeldForReview(state, nodeId));
  return firstLegal(state, free, (nodeId) => ({
    action_type: 'COMMIT',
    parameters: { node_id: nodeId },
  }));
}

export function sealNow(state: StageState): ManagerAction | null {
  if (state.run?.options.onlyNodes !== null || !allResolved(state) || sealBlockers(state).length > 0)
    return null;
  return { action_type: 'SEAL', parameters: { summary: 'Every node is grounded or provisional' } };
}

export function dispatchFirst(state: StageState): ManagerAction | null {
  if (freeSlots(state) === 0) return null;
  return firstLegal(state, dueNodes(state), (nodeId) => ({
    action_type: 'DISPATCH',
    parameters: { node_id: nodeId, role: nextRole(nodeOf(state, nodeId)) },
  }));
}

/** A suspect suite goes back to its author by itself, once; whoever decides afterwards knows that a second one was asked. */
export function withdrawFirst(state: StageState): ManagerAction | null {
  const suspects = selectedNodes(state).filter((nodeId) => {
    const { suspect, status, reason, withdrawn, noTests } = nodeOf(state, nodeId);
    const isHere = suspect === 'suite' && status === 'suspended' && reason === 'near';
    return isHere && noTests !== true && (withdrawn ?? 0) === 0;
  });
  return firstLegal(state, suspects, (nodeId) => redispatch(nodeId, nodeOf(state, nodeId)));
}

/** Failed nodes that something can still be done about now: redispatch within the budget, else give the node up. */
export function openDecisions(state: StageState): ManagerAction[] {
  return selectedNodes(state).flatMap((nodeId) => {
    const node = nodeOf(state, nodeId);
    const failed = node.root === true || (node.status === 'suspended' && isUndecided(node));
    if (!failed) return [];
    const again = redispatch(nodeId, node);
    const check = checkAction(state, again);
    if (check.status === 'ok') return [again];
    if (check.status !== 'halt' || node.status !== 'suspended') return [];
    return [giveUp(nodeId, check.message)];
  });
}

function decide(state: StageState): ManagerAction | null {
  return openDecisions(state)[0] ?? null;
}

function isUndecided(node: NodeState): boolean {
  return node.reason === 'near' || node.reason === 'wild';
}

function redispatch(nodeId: string, node: NodeState): ManagerAction {
  const role = node.suspect === 'suite' && node.noTests !== true ? 'test_author' : nextRole(node);
  const manager_note =
    node.suspect === 'suite'
      ? `The suite was withdrawn: ${node.suiteFault ?? 'code that does what the examples of the contract say fails it'}. Write it anew from the contract`
      : 'The last attempt failed; its reasons are in the retry context: read them first and do not repeat it';
  return { action_type: 'REDISPATCH', parameters: { node_id: nodeId, role, manager_note } };
}

function giveUp(nodeId: string, detail: string): ManagerAction {
  return { action_type: 'SUSPEND', parameters: { node_id: nodeId, type: 'void', detail } };
}

function halt(state: StageState): ManagerAction {
  const open = sealBlockers(state).map((blocker) => `"${blocker.nodeId ?? ''}" ${haltText(blocker)}`);
  const left = selectedNodes(state).filter((id) => nodeOf(state, id).status === 'suspended');
  const names = [...open, ...left.map((id) => `"${id}" is suspended`)];
  const reason = `Nothing more can be done by the policy: ${names.join(', ')}`.slice(0, 2000);
  return { action_type: 'HALT', parameters: { reason, invariant: null } };
}

/** A blocker for people; the codes are the manager's. */
function haltText({ code, detail }: SealBlocker): string {
  switch (code) {
    case 'NODE_NEAR':
      return 'is not built';
    case 'NODE_POISONED':
      return `is poisoned (${detail})`;
    default:
      return detail;
  }
}

function firstLegal(
  state: StageState,
  nodeIds: readonly string[],
  make: (nodeId: string) => ManagerAction,
): ManagerAction | null {
  for (const nodeId of nodeIds) {
    const action = make(nodeId);
    if (checkAction(state, action).status === 'ok') return action;
  }
  return null;
}
