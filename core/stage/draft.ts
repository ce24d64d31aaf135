/** A state under construction: containers of its own, node objects replaced, never changed in place. */
import type { CommitIntent, NodeStatus } from '../../schemas/stage.ts';
import type { HumanInput } from '../../schemas/ledger.ts';
import { A7Error } from '../errors.ts';
import { assertTransition } from './transitions.ts';
import type {
  NodeState,
  OpenDispatch,
  OpenGate,
  PendingWork,
  RunState,
  StageRecord,
  StageState,
} from './types.ts';

export interface Draft extends StageState {
  seq: number;
  stages: Record<string, StageRecord>;
  stageOrder: readonly string[];
  nodes: Record<string, NodeState>;
  projectPlan?: string;
  head: string | null;
  dispatchSeq: number;
  run: RunState | null;
  open: Record<string, OpenDispatch>;
  gates: Record<string, OpenGate>;
  returns: Record<string, PendingWork>;
  validated: Record<string, PendingWork>;
  intent: CommitIntent | null;
  inputs: readonly HumanInput[];
  inputIds: readonly string[];
  kept?: NonNullable<StageState['kept']>;
  withdrawn?: readonly string[];
  refusedInputs?: readonly { readonly id: string; readonly reason: string }[];
}

/** New values of fields; `undefined` takes a field that may be absent away (back to its default). */
export type NodePatch = Partial<Pick<NodeState, 'stage' | 'status'>> & {
  readonly [K in Exclude<keyof NodeState, 'stage' | 'status'>]?: NodeState[K] | undefined;
};

/** The state of a session before its first event. */
export const emptyState: StageState = {
  seq: 0,
  stages: {},
  stageOrder: [],
  nodes: {},
  head: null,
  dispatchSeq: 0,
  run: null,
  open: {},
  gates: {},
  returns: {},
  validated: {},
  intent: null,
  inputs: [],
  inputIds: [],
};

/** Copies the containers once, so that many events can be applied without touching `state`. */
export function draftOf(state: StageState): Draft {
  return {
    ...state,
    stages: { ...state.stages },
    nodes: { ...state.nodes },
    open: { ...state.open },
    gates: { ...state.gates },
    returns: { ...state.returns },
    validated: { ...state.validated },
  };
}

/** @throws {A7Error} EVENT_ORDER if the session has no such node. */
export function nodeOf(state: StageState, nodeId: string): NodeState {
  const node = state.nodes[nodeId];
  if (node === undefined) throw new A7Error('EVENT_ORDER', `Cannot find node "${nodeId}" in the session`);
  return node;
}

/** @throws {A7Error} EVENT_ORDER if no run was opened. */
export function runOf(state: StageState): RunState {
  if (state.run === null) throw new A7Error('EVENT_ORDER', 'Cannot go on: no stage run was opened');
  return state.run;
}

/** Replaces fields of a node. */
export function patchNode(draft: Draft, nodeId: string, patch: NodePatch): void {
  const { stage, status, ...rest } = { ...nodeOf(draft, nodeId), ...patch };
  draft.nodes[nodeId] = { stage, status, ...present(rest) };
}

/** Changes a status by the table of transitions. @throws {A7Error} TRANSITION_FORBIDDEN */
export function setStatus(draft: Draft, nodeId: string, status: NodeStatus, patch: NodePatch = {}): void {
  assertTransition(nodeId, nodeOf(draft, nodeId).status, status);
  patchNode(draft, nodeId, { reason: undefined, ...patch, status });
}

export function patchRun(draft: Draft, patch: Partial<RunState>): void {
  const { unreadable, ...run } = { ...runOf(draft), ...patch };
  draft.run = unreadable === undefined ? run : { ...run, unreadable };
}

/** Adds money that is known to be spent; an unpriced call adds nothing here and is capped by tokens elsewhere. */
export function addCost(draft: Draft, microUsd: number | null): void {
  if (draft.run === null || microUsd === null || microUsd === 0) return;
  patchRun(draft, { spentMicroUsd: draft.run.spentMicroUsd + microUsd });
}

/** A copy without some keys. */
export function without<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** The fields of a record that have a value. */
function present<T extends object>(record: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key in record) {
    const value = record[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}
