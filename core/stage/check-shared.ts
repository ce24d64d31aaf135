/** Checks that several actions share; each names the action, the rule and the value. */
import type { ActionCheck, RejectionCode, StageState } from './types.ts';
import {
  freeSlots,
  hasPendingWork,
  isBeingJudged,
  openDispatchOf,
  selectedNodes,
  unsealedPureStages,
} from './ready.ts';
import { nodeOf, runOf } from './draft.ts';
import { heldForReview } from './review.ts';

export const ok: ActionCheck = { status: 'ok' };

export function rejected(
  code: RejectionCode,
  message: string,
): ActionCheck & { readonly status: 'rejected' } {
  return { status: 'rejected', code, message };
}

export function firstOf(...checks: (() => ActionCheck)[]): ActionCheck {
  for (const check of checks) {
    const result = check();
    if (result.status !== 'ok') return result;
  }
  return ok;
}

export function checkNode(state: StageState, verb: string, nodeId: string): ActionCheck {
  const node = state.nodes[nodeId];
  const stage = runOf(state).stage;
  if (node === undefined)
    return rejected('UNKNOWN_NODE', `Cannot ${verb} "${nodeId}": the board has no such node`);
  if (node.stage === stage) return ok;
  return rejected(
    'OTHER_STAGE',
    `Cannot ${verb} "${nodeId}": it is in stage "${node.stage}", this one is "${stage}"`,
  );
}

export function checkNames(
  state: StageState,
  verb: string,
  nodeIds: readonly string[] | undefined,
): ActionCheck {
  const unknown = (nodeIds ?? []).filter((id) => state.nodes[id] === undefined);
  if (unknown.length === 0) return ok;
  return rejected('UNKNOWN_NODE', `Cannot ${verb}: the board has no node "${unknown.join('", "')}"`);
}

export function checkSelected(state: StageState, nodeId: string): ActionCheck {
  if (runOf(state).options.onlyNodes === null || selectedNodes(state).includes(nodeId)) return ok;
  return rejected('NOT_SELECTED', `Cannot work on "${nodeId}": this run builds other nodes only (--node)`);
}

export function checkStageKind(state: StageState, nodeId: string): ActionCheck {
  const pure = unsealedPureStages(state, nodeOf(state, nodeId).stage);
  if (pure.length === 0) return ok;
  return rejected(
    'STAGE_KIND',
    `Cannot work on "${nodeId}": its io stage needs pure stage "${pure.join('", "')}" sealed`,
  );
}

/**
 * No agent has the node and nothing of it is on its way. REDISPATCH may give up an agent that does not run, and the
 * returns of a poisoned node, which could never be validated, and code that a review holds.
 */
export function checkIdle(state: StageState, verb: string, nodeId: string): ActionCheck {
  const open = openDispatchOf(state, nodeId);
  const again = verb === 'REDISPATCH';
  if (open !== null && !(again && open.phase !== 'running')) {
    return rejected(
      'NODE_IN_FLIGHT',
      `Cannot ${verb} "${nodeId}": ${open.record.role} ${open.record.dispatchId} has it`,
    );
  }
  const isOver = nodeOf(state, nodeId).status === 'poisoned' || heldForReview(state).includes(nodeId);
  const givenUp = again && isOver && !isBeingJudged(state, nodeId);
  if (givenUp || !hasPendingWork(state, nodeId)) return ok;
  return rejected(
    'NODE_PENDING',
    `Cannot ${verb} "${nodeId}": its last return awaits VALIDATE, COMMIT or a gate`,
  );
}

export function checkSlots(state: StageState, verb: string): ActionCheck {
  if (runOf(state).mode !== 'autonomous') {
    return rejected(
      'MODE_DRAIN',
      `Cannot ${verb}: mode is drain; finish what is in flight, then SEAL or HALT`,
    );
  }
  if (freeSlots(state) > 0) return ok;
  const max = runOf(state).options.limits.inFlightMax;
  return rejected('NO_FREE_SLOT', `Cannot ${verb}: all ${max} slots are taken; wait for a return`);
}
