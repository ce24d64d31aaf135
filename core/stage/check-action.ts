/** Legality of an action in code: every constraint of seed 001 and design part 6. A refusal has no effect but its message. */
import type { ManagerAction } from '../../schemas/actions.ts';
import type { ActionCheck, StageState } from './types.ts';
import { nodeOf, runOf } from './draft.ts';
import { ok, rejected, firstOf, checkNode, checkNames, checkIdle } from './check-shared.ts';
import { checkDispatch, checkRedispatch } from './check-dispatch.ts';
import { sealBlockers } from './seal.ts';
import { isBeingRead } from './review.ts';
import { canBecome } from './transitions.ts';
import { capOf } from './work.ts';

/** Longest refusal; a manager reads it as `last_error`. */
const MESSAGE_CHARS_MAX = 4000;

/** Whether `action` may be applied to `state` now. A person may go on where a manager has used up a node's budget. */
export function checkAction(state: StageState, action: ManagerAction, isPerson = false): ActionCheck {
  const run = runOf(state);
  if (run.mode === 'dead' && action.action_type !== 'SEAL' && action.action_type !== 'HALT') {
    return rejected('MODE_DEAD', `Cannot ${action.action_type}: the turn limit is reached; SEAL or HALT`);
  }
  switch (action.action_type) {
    case 'DISPATCH':
      return checkDispatch(state, action);
    case 'REDISPATCH':
      return checkRedispatch(state, action, isPerson);
    case 'VALIDATE':
      return checkValidate(state, action.parameters.node_id);
    case 'COMMIT':
      return checkCommit(state, action.parameters);
    case 'SUSPEND':
      return checkSuspend(state, action.parameters.node_id);
    case 'CONSULT':
      return checkConsult(state, action.parameters.relevant_node_ids ?? []);
    case 'SEAL':
      return checkSeal(state);
    case 'HALT':
    case 'UPDATE_PLAN':
      return ok;
  }
}

function checkValidate(state: StageState, nodeId: string): ActionCheck {
  const known = checkNode(state, 'VALIDATE', nodeId);
  if (known.status !== 'ok') return known;
  if (state.returns[nodeId] === undefined) {
    return rejected('NO_RETURN', `Cannot VALIDATE "${nodeId}": it is not in pending_returns`);
  }
  if (nodeOf(state, nodeId).status !== 'poisoned') return ok;
  return rejected(
    'NODE_STATUS',
    `Cannot VALIDATE "${nodeId}": status must not be poisoned; heal its root first`,
  );
}

function checkCommit(
  state: StageState,
  parameters: { node_id: string; status?: 'grounded' | 'provisional' | 'suspended' | 'poisoned' | undefined },
): ActionCheck {
  const { node_id: nodeId, status } = parameters;
  const known = checkNode(state, 'COMMIT', nodeId);
  if (known.status !== 'ok') return known;
  const work = state.validated[nodeId];
  if (work === undefined || Object.values(state.gates).some((gate) => gate.nodeId === nodeId)) {
    return rejected(
      'NOT_VALIDATED',
      `Cannot COMMIT "${nodeId}": it is not in pending_commits; VALIDATE precedes`,
    );
  }
  if (status === 'poisoned') {
    return rejected('COMMIT_STATUS', `Cannot COMMIT "${nodeId}" as poisoned: poison propagates by itself`);
  }
  if (nodeOf(state, nodeId).status === 'poisoned') {
    return rejected(
      'NODE_STATUS',
      `Cannot COMMIT "${nodeId}": status must not be poisoned; heal its root first`,
    );
  }
  if (state.intent !== null) {
    return rejected(
      'COMMIT_OPEN',
      `Cannot COMMIT "${nodeId}": the commit of "${state.intent.nodeId}" is not finished`,
    );
  }
  if (isBeingRead(state, nodeId) && status !== 'suspended') {
    return rejected(
      'REVIEW_OPEN',
      `Cannot COMMIT "${nodeId}": its contract has require_review, and the reviewer still reads it`,
    );
  }
  const cap = work.role === 'builder' ? capOf(state, work) : null;
  if (status !== 'grounded' || cap === null) return ok;
  return rejected(
    'COMMIT_STATUS',
    `Cannot COMMIT "${nodeId}" as grounded: it is capped at provisional by its ${cap}`,
  );
}

function checkSuspend(state: StageState, nodeId: string): ActionCheck {
  return firstOf(
    () => checkNode(state, 'SUSPEND', nodeId),
    () => {
      const status = nodeOf(state, nodeId).status;
      if (status === 'suspended' || canBecome(status, 'suspended')) return ok;
      return rejected('NODE_STATUS', `Cannot SUSPEND "${nodeId}": a ${status} node cannot be suspended`);
    },
    () => checkIdle(state, 'SUSPEND', nodeId),
  );
}

function checkConsult(state: StageState, nodeIds: readonly string[]): ActionCheck {
  if (runOf(state).consult !== null) {
    return rejected('CONSULT_OPEN', 'Cannot CONSULT: read pending_consult and act on it first');
  }
  return checkNames(state, 'CONSULT', nodeIds);
}

function checkSeal(state: StageState): ActionCheck {
  const blockers = sealBlockers(state);
  if (blockers.length === 0) return ok;
  const list = blockers.map((blocker) => `"${blocker.nodeId}" ${blocker.code} (${blocker.detail})`);
  return {
    ...rejected('SEAL_BLOCKED', `Cannot SEAL: ${list.join('; ')}`.slice(0, MESSAGE_CHARS_MAX)),
    blockers,
  };
}
