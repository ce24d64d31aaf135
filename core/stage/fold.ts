/**
 * The fold: state + event → state. Decision state is nothing else (G7). Events are facts: they are applied, not judged;
 * one that cannot follow is EVENT_ORDER or TRANSITION_FORBIDDEN.
 */
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { draftOf, patchNode, type Draft } from './draft.ts';
import { foldAction, foldRejection } from './fold-actions.ts';
import { foldAnswered, foldDispatched, foldRestarted, foldReturned, foldSuspended } from './fold-agents.ts';
import { foldCommitRefused, foldCommitted, foldRegated, foldRegateRequested } from './fold-commits.ts';
import { foldRunEvent, isRunEvent } from './fold-run.ts';
import { foldContractChanged, foldSeeded } from './fold-seed.ts';
import { heal, poison } from './poison.ts';
import { nodeOf, patchRun } from './draft.ts';
import type { StageState } from './types.ts';

/** One event. For many use `foldEvents`: it copies once. */
export function foldStage(state: StageState, event: LedgerEvent): StageState {
  return foldEvents(state, [event]);
}

export function foldEvents(state: StageState, events: readonly LedgerEvent[]): StageState {
  const draft = draftOf(state);
  for (const event of events) applyEvent(draft, event);
  return draft;
}

/** Changes the draft. Whoever calls this owns the draft. */
export function applyEvent(draft: Draft, event: LedgerEvent): void {
  draft.seq += 1;
  if (isRunEvent(event)) foldRunEvent(draft, event);
  else applyNodeEvent(draft, event);
  if (draft.run !== null && isNews(event)) patchRun(draft, { news: true });
}

type NodeEvent = Exclude<LedgerEvent, Parameters<typeof foldRunEvent>[1]>;

function applyNodeEvent(draft: Draft, event: NodeEvent): void {
  switch (event.type) {
    case 'seeded':
      return foldSeeded(draft, event.data);
    case 'contract_changed':
      return foldContractChanged(draft, event.data);
    case 'action':
      return foldAction(draft, event.data);
    case 'action_rejected':
      return foldRejection(draft, event.data);
    case 'dispatched':
      return foldDispatched(draft, event.data.record);
    case 'dispatch_restarted':
      return foldRestarted(draft, event.data);
    case 'returned':
      return foldReturned(draft, event.data);
    case 'validated':
      return foldValidated(draft, event.data.nodeId);
    case 'validation_failed':
      delete draft.returns[event.data.nodeId];
      return;
    case 'regate_requested':
      return foldRegateRequested(draft, event.data);
    case 'regated':
      return foldRegated(draft, event.data);
    case 'commit_intent':
      draft.intent = event.data.intent;
      return;
    case 'committed':
      return foldCommitted(draft, event.data);
    case 'commit_refused':
      return foldCommitRefused(draft, event.data);
    case 'suspended':
      return foldSuspended(draft, event.data);
    case 'answered':
      return foldAnswered(draft, event.data.nodeId);
    case 'poisoned':
      return poison(draft, event.data.root);
    case 'healed':
      return heal(draft, event.data.root);
    case 'suite_released':
      return patchNode(draft, event.data.nodeId, { suite: undefined, retries: undefined });
    case 'assumption_verified':
      return foldVerified(draft, event.data.from, event.data.to);
    case 'analyst_found':
    case 'tagged':
      return;
  }
}

function foldValidated(draft: Draft, nodeId: string): void {
  const work = draft.returns[nodeId];
  if (work === undefined) return;
  delete draft.returns[nodeId];
  draft.validated[nodeId] = work;
}

function foldVerified(draft: Draft, from: string, to: string): void {
  const left = (nodeOf(draft, from).unverified ?? []).filter((id) => id !== to);
  patchNode(draft, from, { unverified: left.length > 0 ? left : undefined });
}

/** Events after which a manager may decide otherwise than before. */
function isNews(event: LedgerEvent): boolean {
  switch (event.type) {
    case 'returned':
    case 'regated':
    case 'committed':
    case 'commit_refused':
    case 'validation_failed':
    case 'suspended':
    case 'poisoned':
    case 'answered':
    case 'consulted':
    case 'input_received':
    case 'seal_refused':
    case 'run_opened':
      return true;
    default:
      return false;
  }
}
