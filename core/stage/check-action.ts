/** Legality of an action in code: every constraint of seed 001 and design part 6. A refusal has no effect but its message. */
import type { DispatchAction, ManagerAction, RedispatchAction } from '../../schemas/actions.ts';
import { nodeOf, runOf } from './draft.ts';
import {
  defaultMaxRetries,
  freeSlots,
  hasPendingWork,
  isBeingJudged,
  openDispatchOf,
  retriesOf,
  selectedNodes,
  unsealedPureStages,
  whyBlocked,
  whyNotReady,
  wildMax,
} from './ready.ts';
import { sealBlockers } from './seal.ts';
import { canBecome } from './transitions.ts';
import type { ActionCheck, RejectionCode, StageState } from './types.ts';
import { capOf } from './work.ts';

const ok: ActionCheck = { status: 'ok' };

function rejected(code: RejectionCode, message: string): ActionCheck {
  return { status: 'rejected', code, message };
}

/** Whether `action` may be applied to `state` now. */
export function checkAction(state: StageState, action: ManagerAction): ActionCheck {
  const run = runOf(state);
  if (run.mode === 'dead' && action.action_type !== 'SEAL' && action.action_type !== 'HALT') {
    return rejected('MODE_DEAD', `Cannot ${action.action_type}: the turn limit is reached; SEAL or HALT`);
  }
  switch (action.action_type) {
    case 'DISPATCH':
      return checkDispatch(state, action);
    case 'REDISPATCH':
      return checkRedispatch(state, action);
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

function firstOf(...checks: (() => ActionCheck)[]): ActionCheck {
  for (const check of checks) {
    const result = check();
    if (result.status !== 'ok') return result;
  }
  return ok;
}

function checkNode(state: StageState, verb: string, nodeId: string): ActionCheck {
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

function checkSlots(state: StageState, verb: string): ActionCheck {
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

function checkDispatch(state: StageState, action: DispatchAction): ActionCheck {
  const { node_id: nodeId, role } = action.parameters;
  const common = firstOf(
    () => checkNode(state, 'DISPATCH', nodeId),
    () => checkSlots(state, 'DISPATCH'),
    () => checkNames(state, 'DISPATCH', action.parameters.focus_hints),
  );
  if (common.status !== 'ok') return common;
  if (role === 'analyst') return checkAnalyst(state, action.parameters);
  return firstOf(
    () => checkSelected(state, nodeId),
    () => checkStageKind(state, nodeId),
    () => checkIdle(state, 'DISPATCH', nodeId),
    () => {
      const why = whyNotReady(state, nodeId);
      return why === null ? ok : rejected('NOT_READY', `Cannot DISPATCH "${nodeId}": ${why}`);
    },
    () => checkRoleOrder(state, nodeId, role),
  );
}

function checkAnalyst(state: StageState, parameters: DispatchAction['parameters']): ActionCheck {
  const missing = (['scope', 'query', 'target_nodes'] as const).filter(
    (name) => parameters[name] === undefined,
  );
  if (missing.length > 0) {
    return rejected('PARAMETER_MISSING', `Cannot DISPATCH an analyst: ${missing.join(', ')} must be given`);
  }
  const busy = Object.values(state.open).some(
    (open) => open.record.nodeId === parameters.node_id && open.record.role === 'analyst',
  );
  if (!busy) return checkNames(state, 'DISPATCH', parameters.target_nodes);
  return rejected('NODE_IN_FLIGHT', `Cannot DISPATCH an analyst: one is at work on "${parameters.node_id}"`);
}

/** Order of roles: a suite before its code, never a second author without REDISPATCH. */
function checkRoleOrder(state: StageState, nodeId: string, role: 'builder' | 'test_author'): ActionCheck {
  const node = nodeOf(state, nodeId);
  if (role === 'builder' && node.noTests !== true && node.suite === undefined) {
    return rejected(
      'ROLE_ORDER',
      `Cannot DISPATCH a builder to "${nodeId}": it has no locked suite; send a test_author`,
    );
  }
  if (role === 'test_author' && node.noTests === true) {
    return rejected(
      'ROLE_ORDER',
      `Cannot DISPATCH a test_author to "${nodeId}": its contract says tests: none`,
    );
  }
  if (role === 'test_author' && node.suite !== undefined) {
    return rejected(
      'ROLE_ORDER',
      `Cannot DISPATCH a test_author to "${nodeId}": its suite is locked; REDISPATCH releases it`,
    );
  }
  return ok;
}

function checkSelected(state: StageState, nodeId: string): ActionCheck {
  if (runOf(state).options.onlyNodes === null || selectedNodes(state).includes(nodeId)) return ok;
  return rejected('NOT_SELECTED', `Cannot work on "${nodeId}": this run builds other nodes only (--node)`);
}

function checkStageKind(state: StageState, nodeId: string): ActionCheck {
  const pure = unsealedPureStages(state, nodeOf(state, nodeId).stage);
  if (pure.length === 0) return ok;
  return rejected(
    'STAGE_KIND',
    `Cannot work on "${nodeId}": its io stage needs pure stage "${pure.join('", "')}" sealed`,
  );
}

/**
 * No agent has the node and nothing of it is on its way. REDISPATCH may give up an agent that does not run, and the
 * returns of a poisoned node, which could never be validated.
 */
function checkIdle(state: StageState, verb: string, nodeId: string): ActionCheck {
  const open = openDispatchOf(state, nodeId);
  const again = verb === 'REDISPATCH';
  if (open !== null && !(again && open.phase !== 'running')) {
    return rejected(
      'NODE_IN_FLIGHT',
      `Cannot ${verb} "${nodeId}": ${open.record.role} ${open.record.dispatchId} has it`,
    );
  }
  const givenUp = again && nodeOf(state, nodeId).status === 'poisoned' && !isBeingJudged(state, nodeId);
  if (givenUp || !hasPendingWork(state, nodeId)) return ok;
  return rejected(
    'NODE_PENDING',
    `Cannot ${verb} "${nodeId}": its last return awaits VALIDATE, COMMIT or a gate`,
  );
}

function checkRedispatch(state: StageState, action: RedispatchAction): ActionCheck {
  const { node_id: nodeId, role, manager_note: note } = action.parameters;
  return firstOf(
    () => checkNode(state, 'REDISPATCH', nodeId),
    () => checkSlots(state, 'REDISPATCH'),
    () => checkNames(state, 'REDISPATCH', action.parameters.focus_hints),
    () => checkSelected(state, nodeId),
    () => checkStageKind(state, nodeId),
    () =>
      note === undefined || note.trim() === ''
        ? rejected(
            'PARAMETER_MISSING',
            'Cannot REDISPATCH: manager_note must say what failed and what to do differently',
          )
        : ok,
    () => checkIdle(state, 'REDISPATCH', nodeId),
    () => checkRedispatchStatus(state, nodeId),
    () => checkRedispatchRole(state, nodeId, role),
    () => checkBudget(state, nodeId, role),
  );
}

function checkRedispatchStatus(state: StageState, nodeId: string): ActionCheck {
  const node = nodeOf(state, nodeId);
  const fail = (why: string) => rejected('NODE_STATUS', `Cannot REDISPATCH "${nodeId}": ${why}`);
  if (node.status === 'grounded') return fail('it is grounded; poison it first if it is wrong');
  if (node.heldBy !== undefined)
    return fail(`it is held by "${node.heldBy.join('", "')}"; redispatch that root first`);
  if ((node.dispatches ?? 0) === 0 && node.status === 'near')
    return fail('it was never dispatched; use DISPATCH');
  if (node.status === 'provisional' && node.cap !== 'claim')
    return fail('it is provisional by a cap that work cannot lift');
  const blocked = whyBlocked(state, nodeId);
  return blocked === null ? ok : rejected('NOT_READY', `Cannot REDISPATCH "${nodeId}": ${blocked}`);
}

function checkRedispatchRole(
  state: StageState,
  nodeId: string,
  role: RedispatchAction['parameters']['role'],
): ActionCheck {
  if (role === 'analyst') {
    return rejected('ROLE_ORDER', `Cannot REDISPATCH an analyst to "${nodeId}": DISPATCH one with a query`);
  }
  const node = nodeOf(state, nodeId);
  if (role === 'test_author' && node.noTests !== true) return ok;
  return checkRoleOrder(state, nodeId, role);
}

/** Over a budget the seed wants a halt, not a rejection. */
function checkBudget(
  state: StageState,
  nodeId: string,
  role: 'builder' | 'test_author' | 'analyst',
): ActionCheck {
  const node = nodeOf(state, nodeId);
  if ((node.wild ?? 0) >= wildMax) {
    const message = `Node "${nodeId}" was wild ${node.wild ?? 0} times, the limit is ${wildMax}`;
    return { status: 'halt', invariant: 'WILD_RECURRENCE', message };
  }
  const max = node.maxRetries ?? defaultMaxRetries;
  const used = role === 'analyst' ? 0 : retriesOf(node, role);
  if (used < max) return ok;
  const message = `Node "${nodeId}" used ${used} of ${max} redispatches of its ${role}`;
  return { status: 'halt', invariant: 'RETRY_BUDGET', message };
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

function checkNames(state: StageState, verb: string, nodeIds: readonly string[] | undefined): ActionCheck {
  const unknown = (nodeIds ?? []).filter((id) => state.nodes[id] === undefined);
  if (unknown.length === 0) return ok;
  return rejected('UNKNOWN_NODE', `Cannot ${verb}: the board has no node "${unknown.join('", "')}"`);
}

function checkSeal(state: StageState): ActionCheck {
  const blockers = sealBlockers(state);
  if (blockers.length === 0) return ok;
  const list = blockers.map((blocker) => `"${blocker.nodeId}" ${blocker.code} (${blocker.detail})`);
  return {
    ...rejected('SEAL_BLOCKED', `Cannot SEAL: ${list.join('; ')}`.slice(0, 4000)),
    blockers,
  } as ActionCheck;
}
