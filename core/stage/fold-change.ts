/** Fold of a changed contract: what of a node's work stays, and what an earlier seed left that counts again. */
import type { NodeChange } from '../../schemas/contract-change.ts';
import type { NodeState, StageState } from './types.ts';

/** Evidence that is remembered for each node; the ledger and the stores have all. */
export const keptMax = 4;

/** The node after the change. `fixed` holds what the new contract says, and no work. */
export function changedNode(
  state: StageState,
  nodeId: string,
  fixed: NodeState,
  change: NodeChange,
): NodeState {
  const before = state.nodes[nodeId];
  const kept =
    change.evidence === change.former
      ? undefined
      : (state.kept?.[nodeId] ?? []).findLast((each) => each.evidence === change.evidence)?.node;
  if (change.voids === 'nothing' && before !== undefined)
    return { ...withoutContract(before), ...fixedOf(fixed, before) };
  const counters = countersOf(before, kept);
  if (kept !== undefined) return restored(fixed, kept, before, counters);
  if (before === undefined) return { ...fixed, ...counters };
  const last = before.done ?? before.last;
  const done = before.done === undefined ? {} : { done: before.done };
  switch (change.voids) {
    case 'nothing':
    case 'all':
      return { ...fixed, ...counters, ...done };
    case 'suite':
      return { ...fixed, ...counters, ...done, ...(last !== undefined && { last }) };
    case 'verdict':
      return { ...fixed, ...counters, ...done, ...judgedAgain(before, last) };
  }
}

/** The branch still has the very work that the evidence is about: it stands. Else that work is judged again, without a model. */
function restored(
  fixed: NodeState,
  kept: NodeState,
  before: NodeState | undefined,
  counters: Partial<NodeState>,
): NodeState {
  const isThere = kept.done !== undefined && before?.done?.tree === kept.done.tree;
  const isEarned = kept.status === 'grounded' || kept.status === 'provisional';
  if (isThere && isEarned)
    return { ...withoutContract(kept), ...fixedOf(fixed, kept), status: kept.status, ...counters };
  const done = before?.done === undefined ? {} : { done: before.done };
  return { ...fixed, ...counters, ...done, ...judgedAgain(kept, kept.done ?? kept.last) };
}

/** Suite and code as they are, to be judged before anything else. */
export function judgedAgain(
  node: NodeState,
  last: NodeState['last'],
): Pick<NodeState, 'suite' | 'last' | 'regateLast'> {
  const isJudgeable = last !== undefined && (node.suite !== undefined || node.noTests === true);
  return {
    ...(node.suite !== undefined && { suite: node.suite }),
    ...(last !== undefined && { last }),
    ...(isJudgeable && { regateLast: true as const }),
  };
}

/** What counts on, so that no id is used twice. */
function countersOf(before: NodeState | undefined, kept: NodeState | undefined): Partial<NodeState> {
  const suiteMax = Math.max(before?.suiteMax ?? 0, kept?.suiteMax ?? 0);
  const dispatches = Math.max(before?.dispatches ?? 0, kept?.dispatches ?? 0);
  return { ...(suiteMax > 0 && { suiteMax }), ...(dispatches > 0 && { dispatches }) };
}

/** Work and counters alone. */
function withoutContract(node: NodeState): Omit<NodeState, 'stage'> & { stage: string } {
  const {
    structural: _structural,
    assumption: _assumption,
    unverified: _unverified,
    type: _type,
    mode: _mode,
    weight: _weight,
    noTests: _noTests,
    maxRetries: _maxRetries,
    requireReview: _requireReview,
    ...work
  } = node;
  return work;
}

/** What the contract says, with the assumptions that were proven before. */
function fixedOf(fixed: NodeState, before: NodeState): Partial<NodeState> {
  const { status: _status, unverified, ...said } = fixed;
  const proven = (before.assumption ?? []).filter((id) => !(before.unverified ?? []).includes(id));
  const left = (unverified ?? []).filter((id) => !proven.includes(id));
  return { ...said, ...(left.length > 0 && { unverified: left }) };
}
