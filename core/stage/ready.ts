/** What can be dispatched, by whom, and why not (design part 6: ready, order, depth limit, stage kinds). */
import { depthBelow } from '../graph/order.ts';
import { reach } from '../graph/edges.ts';
import { nodeOf, runOf } from './draft.ts';
import { depsGrounded } from './work.ts';
import type { NodeState, OpenDispatch, StageState } from './types.ts';

export const defaultMaxRetries = 3;
export const wildMax = 2;

/** Nodes of the open stage that this run works on, in the contract's order. */
export function selectedNodes(state: StageState): string[] {
  const run = runOf(state);
  const only = run.options.onlyNodes;
  const wanted = only === null ? null : new Set(only.flatMap((id) => [id, ...reach(id, needsOf(state))]));
  return Object.keys(state.nodes).filter(
    (id) => state.nodes[id]?.stage === run.stage && (wanted === null || wanted.has(id)),
  );
}

function needsOf(state: StageState): (nodeId: string) => readonly string[] {
  return (id) => state.nodes[id]?.structural ?? [];
}

/** Dispatches that a child workflow works on now. */
export function runningDispatches(state: StageState): OpenDispatch[] {
  return Object.values(state.open).filter((open) => open.phase === 'running');
}

export function freeSlots(state: StageState): number {
  return Math.max(0, runOf(state).options.limits.inFlightMax - runningDispatches(state).length);
}

/** The open dispatch of a node's builder or test author, in any phase. */
export function openDispatchOf(state: StageState, nodeId: string): OpenDispatch | null {
  return (
    Object.values(state.open).find(
      (open) => open.record.nodeId === nodeId && open.record.role !== 'analyst',
    ) ?? null
  );
}

/** Whether something made by an agent waits on its way to the branch. */
export function hasPendingWork(state: StageState, nodeId: string): boolean {
  return (
    state.returns[nodeId] !== undefined ||
    state.validated[nodeId] !== undefined ||
    isBeingJudged(state, nodeId)
  );
}

/** Whether a gate or a commit of the node is at work now. */
export function isBeingJudged(state: StageState, nodeId: string): boolean {
  return state.intent?.nodeId === nodeId || Object.values(state.gates).some((gate) => gate.nodeId === nodeId);
}

/** Why a node cannot be dispatched by itself, or null if it is ready. Slots and mode are asked elsewhere. */
export function whyNotReady(state: StageState, nodeId: string): string | null {
  return whyBusy(state, nodeId) ?? whyBlocked(state, nodeId);
}

function whyBusy(state: StageState, nodeId: string): string | null {
  const node = nodeOf(state, nodeId);
  if (node.status === 'provisional' && node.cap !== 'claim') {
    return `it is provisional and capped by ${node.cap === 'deps' ? 'a provisional dependency' : 'its contract'}`;
  }
  if (node.status !== 'near' && node.status !== 'provisional') return `its status is ${node.status}`;
  if (openDispatchOf(state, nodeId) !== null) return 'an agent has it';
  if (hasPendingWork(state, nodeId) || node.regateLast === true) return 'its last work is still being judged';
  return null;
}

/** What below a node keeps it from being worked on: dependencies, depth limit, pure stages. */
export function whyBlocked(state: StageState, nodeId: string): string | null {
  const reason = whyHeldBack(state, nodeId);
  if (reason !== null) return reason;
  const pure = unsealedPureStages(state, nodeOf(state, nodeId).stage);
  return pure.length > 0 ? `pure stage "${pure.join('", "')}" must be sealed first` : null;
}

/** Dependencies and depth limit alone: what is asked of every node in a round. */
function whyHeldBack(state: StageState, nodeId: string): string | null {
  const node = nodeOf(state, nodeId);
  for (const to of node.structural ?? []) {
    const reason = whyUnmet(state, node, to);
    if (reason !== null) return reason;
  }
  const limit = runOf(state).options.limits.provisionalDepthLimit;
  const depth = depthBelow(state.nodes, nodeId, (id) => state.nodes[id]?.status === 'provisional');
  if (depth > 0 && depth >= limit) return `${depth} provisional layers below it reach the limit of ${limit}`;
  return null;
}

function whyUnmet(state: StageState, node: NodeState, to: string): string | null {
  const dependency = state.nodes[to];
  if (dependency === undefined) return `dependency "${to}" does not exist`;
  if (dependency.stage !== node.stage && state.stages[dependency.stage]?.status !== 'sealed') {
    return `dependency "${to}" is in stage "${dependency.stage}", which is not sealed`;
  }
  if (dependency.status === 'grounded' || dependency.status === 'provisional') return null;
  return `dependency "${to}" is ${dependency.status}`;
}

/** Pure stages that an io stage depends on, directly or not, and that are not sealed. */
export function unsealedPureStages(state: StageState, stage: string): string[] {
  if (state.stages[stage]?.kind !== 'io') return [];
  const below = reach(stage, (id) => stageDependencies(state, id));
  return below.filter((id) => {
    const other = state.stages[id];
    return id !== stage && other?.kind === 'pure' && other.status !== 'sealed';
  });
}

/** Stages with nodes that stand on nodes of this one, directly or not, in the order of building. */
export function stagesAbove(state: StageState, stage: string): string[] {
  return state.stageOrder.filter(
    (id) => id !== stage && reach(id, (below) => stageDependencies(state, below)).includes(stage),
  );
}

function stageDependencies(state: StageState, stage: string): string[] {
  const targets = Object.values(state.nodes)
    .filter((node) => node.stage === stage)
    .flatMap((node) => (node.structural ?? []).map((to) => state.nodes[to]?.stage ?? stage));
  return [...new Set(targets)];
}

/** All nodes that DISPATCH accepts, in the contract's order: none of them waits for another. */
export function readyNodes(state: StageState): string[] {
  if (unsealedPureStages(state, runOf(state).stage).length > 0) return [];
  return selectedNodes(state).filter((id) => whyBusy(state, id) === null && whyHeldBack(state, id) === null);
}

/** Ready nodes that still need work: what the harness dispatches by itself. A provisional one counts as resolved. */
export function dueNodes(state: StageState): string[] {
  return readyNodes(state).filter((id) => state.nodes[id]?.status === 'near');
}

/** Test author first, then builder; no suite where the contract wants none. */
export function nextRole(node: NodeState): 'builder' | 'test_author' {
  return node.noTests === true || node.suite !== undefined ? 'builder' : 'test_author';
}

/** Work that the gate judges again without a model: the cap from below is lifted, or there is a new suite. */
export function regatesDue(state: StageState): { nodeId: string; reason: 'cap_lifted' | 'new_suite' }[] {
  return selectedNodes(state).flatMap((nodeId): { nodeId: string; reason: 'cap_lifted' | 'new_suite' }[] => {
    const node = nodeOf(state, nodeId);
    if (node.last === undefined || node.status === 'poisoned' || hasPendingWork(state, nodeId)) return [];
    if (openDispatchOf(state, nodeId) !== null) return [];
    if (node.regateLast === true && whyBlocked(state, nodeId) === null)
      return [{ nodeId, reason: 'new_suite' }];
    const lifted = node.status === 'provisional' && node.cap === 'deps' && depsGrounded(state, node);
    return lifted ? [{ nodeId, reason: 'cap_lifted' }] : [];
  });
}

/** Redispatches used up by the role that would do it. */
export function retriesOf(node: NodeState, role: 'builder' | 'test_author'): number {
  return (role === 'builder' ? node.retries : node.suiteRetries) ?? 0;
}
