/** Steps that several decisions share: each emits its events and the commands that follow from them. */
import type { Actor, LedgerEvent } from '../../schemas/ledger.ts';
import type { DispatchParameters } from '../../schemas/stage.ts';
import { nodeOf, runOf, type Draft } from './draft.ts';
import { applyEvent } from './fold.ts';
import { retriesOf, runningDispatches, wildMax } from './ready.ts';
import { reviewsDue } from './review.ts';
import { canBecome } from './transitions.ts';
import type { StageCommand } from './types.ts';
import { commitKind } from './work.ts';

/** A decision under construction. `draft` is always the fold of `events`. */
export interface Work {
  readonly draft: Draft;
  readonly events: LedgerEvent[];
  readonly commands: StageCommand[];
}

export function emit(work: Work, event: LedgerEvent): void {
  applyEvent(work.draft, event);
  work.events.push(event);
}

/** Whether the run is on its way out, or over. */
export function isEnding(work: Work): boolean {
  const phase = runOf(work.draft).phase;
  return phase !== 'running' && phase !== 'waiting' && phase !== 'sealing';
}

export function beginHalt(work: Work, reason: string, invariant: string | null, source: string): void {
  if (isEnding(work)) return;
  emit(work, { type: 'halting', data: { reason, invariant, source } });
  cancelAgents(work);
}

/** For causes outside the stage (key, cap, dirty tree): nothing is counted, `run` goes on. */
export function beginRest(work: Work, code: string, message: string): void {
  if (isEnding(work)) return;
  emit(work, { type: 'resting', data: { code, message } });
  cancelAgents(work);
}

function cancelAgents(work: Work): void {
  const dispatchIds = runningDispatches(work.draft).map((open) => open.record.dispatchId);
  if (dispatchIds.length > 0) work.commands.push({ kind: 'cancel_agents', dispatchIds });
}

const initials = { builder: 'b', test_author: 't', analyst: 'a' } as const;

/** Starts an agent. `again`: a redispatch, the only thing that the retry budget counts. */
export function dispatch(
  work: Work,
  nodeId: string,
  role: keyof typeof initials,
  again: boolean,
  parameters: DispatchParameters,
): void {
  const { draft } = work;
  const node = nodeOf(draft, nodeId);
  const dispatchSeq = draft.dispatchSeq + 1;
  const agent = role === 'analyst' ? undefined : draft.run?.options.agents?.[role];
  const record = {
    dispatchId: `${nodeId}.${initials[role]}${dispatchSeq}`,
    nodeId,
    role,
    dispatchSeq,
    attempt: role === 'analyst' ? 0 : retriesOf(node, role) + (again ? 1 : 0),
    baseCommit: draft.head,
    suite: role === 'builder' ? (node.suite ?? 0) : 0,
    parameters,
    ...(agent === undefined ? {} : { agent }),
  };
  emit(work, { type: 'dispatched', data: { record } });
  work.commands.push({ kind: 'start_agent', record, resume: null });
}

/** Suspends a node unless it is poisoned: then it stays so, and is what it was once it is healed. */
export function suspend(
  work: Work,
  nodeId: string,
  type: 'near' | 'far' | 'void',
  detail: string,
  by: Actor,
): void {
  const { status } = nodeOf(work.draft, nodeId);
  if (status !== 'suspended' && !canBecome(status, 'suspended')) return;
  emit(work, { type: 'suspended', data: { nodeId, type, detail, by } });
}

/** Every wild suspension counts, whatever its source; the second of one node halts. */
export function suspendWild(work: Work, nodeId: string, detail: string, by: Actor): void {
  const { status } = nodeOf(work.draft, nodeId);
  if (status !== 'suspended' && !canBecome(status, 'suspended')) return;
  emit(work, { type: 'suspended', data: { nodeId, type: 'wild', detail, by } });
  const count = nodeOf(work.draft, nodeId).wild ?? 0;
  if (count >= wildMax) {
    beginHalt(
      work,
      `Node "${nodeId}" was wild ${count} times, the limit is ${wildMax}`,
      'WILD_RECURRENCE',
      'core',
    );
  }
}

export function poisonRoot(
  work: Work,
  root: string,
  cause: 'gate_failed' | 'by_hand' | 'seal_failed',
  detail: string,
): void {
  if (nodeOf(work.draft, root).root === true) return;
  emit(work, { type: 'poisoned', data: { root, cause, detail: detail.slice(0, 4000) } });
}

/** Writes the intent of committing validated work, then asks for it (gate.md part 8). `lower`: a manager wants less. */
export function intendCommit(work: Work, nodeId: string, lower: boolean): void {
  const { draft } = work;
  const pending = draft.validated[nodeId];
  if (pending?.gate === undefined || pending.gate === null) return;
  const kind = commitKind(draft, pending);
  const suite = kind === 'suite' ? (nodeOf(draft, nodeId).suiteMax ?? 0) + 1 : pending.suite;
  const intent = {
    intentId: `${pending.dispatchId}/c${draft.seq + 1}`,
    kind: lower && kind === 'code' ? ('provisional' as const) : kind,
    nodeId,
    dispatchId: pending.dispatchId,
    tree: pending.tree,
    baseCommit: pending.baseCommit,
    expectedHead: draft.head,
    reportDigest: pending.gate.reportDigest,
    suite,
  };
  emit(work, { type: 'commit_intent', data: { intent } });
  work.commands.push({ kind: 'commit', intent });
}

/** Has the reviewer read the first work that nobody has read. False: there is none. */
export function askForReview(work: Work): boolean {
  const due = reviewsDue(work.draft)[0];
  if (due === undefined) return false;
  const { nodeId, dispatchId, tree } = due;
  emit(work, { type: 'review_asked', data: { nodeId, dispatchId, tree } });
  work.commands.push({ kind: 'review', nodeId, dispatchId, tree });
  return true;
}

/** Has the gate judge work again without a model. */
export function regate(
  work: Work,
  nodeId: string,
  reason: 'head_moved' | 'cap_lifted' | 'new_suite',
  source: { readonly tree: string; readonly dispatchId: string },
): void {
  const { draft } = work;
  const gate = {
    gateId: `${nodeId}.g${draft.dispatchSeq + 1}`,
    nodeId,
    dispatchId: source.dispatchId,
    reason,
    tree: source.tree,
    baseCommit: draft.head,
    suite: nodeOf(draft, nodeId).suite ?? 0,
  };
  emit(work, { type: 'regate_requested', data: gate });
  work.commands.push({ kind: 'regate', gate });
}
