/** Legality of DISPATCH and REDISPATCH (seed 001; design part 6). */
import type { DispatchAction, RedispatchAction } from '../../schemas/actions.ts';
import type { ActionCheck, StageState } from './types.ts';
import { defaultMaxRetries, retriesOf, whyBlocked, whyNotReady, wildMax } from './ready.ts';
import { nodeOf } from './draft.ts';
import {
  ok,
  rejected,
  firstOf,
  checkNode,
  checkNames,
  checkSelected,
  checkStageKind,
  checkIdle,
  checkSlots,
} from './check-shared.ts';

export function checkDispatch(state: StageState, action: DispatchAction): ActionCheck {
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

export function checkRedispatch(state: StageState, action: RedispatchAction, isPerson: boolean): ActionCheck {
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
    () => (isPerson ? ok : checkBudget(state, nodeId, role)),
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
