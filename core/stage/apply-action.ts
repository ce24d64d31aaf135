/** Effects of a legal action (seed 001, the nine actions). Legality was checked before. */
import type { DispatchAction, ManagerAction, RedispatchAction } from '../../schemas/actions.ts';
import type { Actor } from '../../schemas/ledger.ts';
import type { DispatchParameters } from '../../schemas/stage.ts';
import { checkAction } from './check-action.ts';
import { nodeOf, runOf } from './draft.ts';
import { beginHalt, dispatch, emit, intendCommit, suspend, suspendWild, type Work } from './effects.ts';
import { asksProject, stageNodes } from './seal.ts';

export interface ActionSource {
  readonly by: Actor;
  readonly forced: boolean;
  readonly callKey: string | null;
  readonly costMicroUsd: number | null;
}

export const harness: ActionSource = { by: 'harness', forced: true, callKey: null, costMicroUsd: null };

/** Checks and applies one action; a refusal becomes `action_rejected`. Returns the refusal's message, or null. */
export function takeAction(work: Work, action: ManagerAction, source: ActionSource): string | null {
  const check = checkAction(work.draft, action, source.by === 'human');
  const { turn } = runOf(work.draft);
  const { by, forced, callKey, costMicroUsd } = source;
  switch (check.status) {
    case 'rejected': {
      const { code, message } = check;
      emit(work, {
        type: 'action_rejected',
        data: { turn, by, code, message, action, callKey, costMicroUsd },
      });
      return message;
    }
    case 'halt':
      emit(work, { type: 'action', data: { turn, by, forced, action, callKey, costMicroUsd } });
      beginHalt(work, check.message, check.invariant, 'core');
      return null;
    case 'ok':
      emit(work, { type: 'action', data: { turn, by, forced, action, callKey, costMicroUsd } });
      apply(work, action, by);
      return null;
  }
}

function apply(work: Work, action: ManagerAction, by: Actor): void {
  switch (action.action_type) {
    case 'DISPATCH': {
      dispatch(work, action.parameters.node_id, action.parameters.role, false, parametersOf(action));
      return;
    }
    case 'REDISPATCH': {
      applyRedispatch(work, action);
      return;
    }
    case 'VALIDATE': {
      applyValidate(work, action.parameters.node_id);
      return;
    }
    case 'COMMIT':
      if (action.parameters.status !== 'suspended') {
        intendCommit(work, action.parameters.node_id, action.parameters.status === 'provisional');
        return;
      }
      suspend(work, action.parameters.node_id, 'near', action.parameters.reason ?? 'COMMIT as suspended', by);
      return;
    case 'SUSPEND': {
      const { node_id: nodeId, type, detail } = action.parameters;
      if (type === 'wild') suspendWild(work, nodeId, detail, by);
      else suspend(work, nodeId, type, detail, by);
      return;
    }
    case 'CONSULT':
      work.commands.push({
        kind: 'consult',
        turn: runOf(work.draft).turn,
        question: action.parameters.question,
        relevantNodeIds: action.parameters.relevant_node_ids ?? [],
        constraints: action.parameters.constraints ?? [],
      });
      return;
    case 'SEAL':
      emit(work, { type: 'sealing', data: { summary: action.parameters.summary, by } });
      work.commands.push({
        kind: 'check_seal',
        nodeIds: nodesToSeal(work),
        ...(asksProject(work.draft) && { project: true as const }),
      });
      return;
    case 'HALT': {
      beginHalt(work, action.parameters.reason, action.parameters.invariant ?? null, by);
      return;
    }
    case 'UPDATE_PLAN': {
      const { narrative, checklist } = action.parameters;
      emit(work, { type: 'plan_updated', data: { turn: runOf(work.draft).turn, narrative, checklist } });
    }
  }
}

/** Redispatch of a root heals it and its victims; of a test author, it releases the lock of the suite. */
function applyRedispatch(work: Work, action: RedispatchAction): void {
  const { node_id: nodeId, role } = action.parameters;
  const node = nodeOf(work.draft, nodeId);
  if (node.root === true) emit(work, { type: 'healed', data: { root: nodeId } });
  if (role === 'test_author' && node.suite !== undefined) {
    emit(work, { type: 'suite_released', data: { nodeId, version: node.suite } });
  }
  dispatch(work, nodeId, role, true, parametersOf(action));
}

function applyValidate(work: Work, nodeId: string): void {
  const pending = work.draft.returns[nodeId];
  if (pending === undefined) return;
  const { dispatchId, faults } = pending;
  if (faults.length === 0) {
    emit(work, { type: 'validated', data: { nodeId, dispatchId } });
    return;
  }
  const reason = `Return of ${dispatchId} violates the schema of returns: ${faults.join(', ')}`;
  emit(work, { type: 'validation_failed', data: { nodeId, dispatchId, reason } });
  suspendWild(work, nodeId, reason, 'harness');
}

export function nodesToSeal(work: Work): string[] {
  return stageNodes(work.draft).filter((id) => {
    const { status } = nodeOf(work.draft, id);
    return status === 'grounded' || status === 'provisional';
  });
}

/** What the manager said, for the agent's view; absent fields stay absent. */
function parametersOf(action: DispatchAction | RedispatchAction): DispatchParameters {
  const given = action.parameters;
  const analyst = action.action_type === 'DISPATCH' ? action.parameters : null;
  return {
    ...(given.weight !== undefined && { weight: given.weight }),
    ...(given.intent !== undefined && { intent: given.intent }),
    ...(given.manager_note !== undefined && { managerNote: given.manager_note }),
    ...(given.focus_hints !== undefined && { focusHints: given.focus_hints }),
    ...(given.expected_iterations !== undefined && { expectedIterations: given.expected_iterations }),
    ...(given.view_spec !== undefined && { viewSpec: given.view_spec }),
    ...(analyst?.scope !== undefined && { scope: analyst.scope }),
    ...(analyst?.query !== undefined && { query: analyst.query }),
    ...(analyst?.target_nodes !== undefined && { targetNodes: analyst.target_nodes }),
  };
}
