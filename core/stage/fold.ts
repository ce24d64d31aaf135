/**
 * The fold: state + event → state. Decision state is nothing else (G7). Events are facts: they are applied, not judged;
 * one that cannot follow is EVENT_ORDER or TRANSITION_FORBIDDEN.
 */
import type { LedgerEvent, LedgerEventOf } from '../../schemas/ledger.ts';
import { draftOf, patchNode, without, type Draft } from './draft.ts';
import { foldAction, foldRejection } from './fold-actions.ts';
import {
  foldAnswered,
  foldDispatched,
  foldRestarted,
  foldReturned,
  foldSuspended,
  foldWithdrawn,
} from './fold-agents.ts';
import { foldCommitRefused, foldCommitted, foldRegated, foldRegateRequested } from './fold-commits.ts';
import { foldRunEvent, isRunEvent } from './fold-run.ts';
import {
  foldBranchSettled,
  foldContractChanged,
  foldReplaced,
  foldSeeded,
  foldStageReopened,
} from './fold-seed.ts';
import { heal, poison } from './poison.ts';
import { nodeOf, patchRun } from './draft.ts';
import { foldReview } from './review.ts';
import type { StageState } from './types.ts';

/** The state after these events; `state` itself stays. */
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
    case 'contract_changed':
    case 'branch_settled':
    case 'stage_reopened':
    case 'replaced':
      applyPersonsEvent(draft, event);
      return;
    case 'action': {
      foldAction(draft, event.data);
      return;
    }
    case 'action_rejected': {
      foldRejection(draft, event.data);
      return;
    }
    case 'dispatched': {
      foldDispatched(draft, event.data.record);
      return;
    }
    case 'dispatch_restarted': {
      foldRestarted(draft, event.data);
      return;
    }
    case 'returned': {
      foldReturned(draft, event.data);
      return;
    }
    case 'validated': {
      foldValidated(draft, event.data.nodeId);
      return;
    }
    case 'validation_failed':
      draft.returns = without(draft.returns, [event.data.nodeId]);
      return;
    case 'verdict_withdrawn': {
      foldWithdrawn(draft, event.data);
      return;
    }
    case 'regate_requested': {
      foldRegateRequested(draft, event.data);
      return;
    }
    case 'regated': {
      foldRegated(draft, event.data);
      return;
    }
    case 'commit_intent':
    case 'committed':
    case 'commit_refused':
      applyCommitEvent(draft, event);
      return;
    case 'suspended':
    case 'answered':
    case 'poisoned':
    case 'healed':
    case 'suite_released':
    case 'assumption_verified':
    case 'review_asked':
    case 'reviewed':
      foldStatusEvent(draft, event);
      return;
    case 'analyst_found':
    case 'tagged':
      return;
  }
}

type CommitEvent = LedgerEventOf<'commit_intent' | 'committed' | 'commit_refused'>;

function applyCommitEvent(draft: Draft, event: CommitEvent): void {
  switch (event.type) {
    case 'commit_intent':
      draft.intent = event.data.intent;
      return;
    case 'committed': {
      foldCommitted(draft, event.data);
      return;
    }
    case 'commit_refused': {
      foldCommitRefused(draft, event.data);
      return;
    }
  }
}

type PersonsEvent = LedgerEventOf<
  'seeded' | 'contract_changed' | 'branch_settled' | 'stage_reopened' | 'replaced'
>;

/** What a person wrote or changed between two runs. */
function applyPersonsEvent(draft: Draft, event: PersonsEvent): void {
  switch (event.type) {
    case 'seeded': {
      foldSeeded(draft, event.data);
      return;
    }
    case 'contract_changed': {
      foldContractChanged(draft, event.data);
      return;
    }
    case 'branch_settled': {
      foldBranchSettled(draft, event.data);
      return;
    }
    case 'stage_reopened': {
      foldStageReopened(draft, event.data);
      return;
    }
    case 'replaced': {
      foldReplaced(draft, event.data);
      return;
    }
  }
}

type StatusEvent = LedgerEventOf<
  | 'suspended'
  | 'answered'
  | 'poisoned'
  | 'healed'
  | 'suite_released'
  | 'assumption_verified'
  | 'review_asked'
  | 'reviewed'
>;

function foldStatusEvent(draft: Draft, event: StatusEvent): void {
  switch (event.type) {
    case 'suspended': {
      foldSuspended(draft, event.data);
      return;
    }
    case 'answered': {
      foldAnswered(draft, event.data.nodeId);
      return;
    }
    case 'poisoned': {
      poison(draft, event.data.root);
      return;
    }
    case 'healed': {
      heal(draft, event.data.root);
      return;
    }
    case 'suite_released': {
      const { suspect, withdrawn = 0 } = nodeOf(draft, event.data.nodeId);
      patchNode(draft, event.data.nodeId, {
        suite: undefined,
        retries: undefined,
        ...(suspect === 'suite' && { withdrawn: withdrawn + 1 }),
      });
      return;
    }
    case 'assumption_verified': {
      foldVerified(draft, event.data.from, event.data.to);
      return;
    }
    case 'review_asked':
    case 'reviewed': {
      foldReview(draft, event);
      return;
    }
  }
}

function foldValidated(draft: Draft, nodeId: string): void {
  const work = draft.returns[nodeId];
  if (work === undefined) return;
  draft.returns = without(draft.returns, [nodeId]);
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
    case 'verdict_withdrawn':
    case 'regated':
    case 'committed':
    case 'commit_refused':
    case 'validation_failed':
    case 'suspended':
    case 'poisoned':
    case 'answered':
    case 'consulted':
    case 'reviewed':
    case 'input_received':
    case 'seal_refused':
    case 'run_opened':
      return true;
    default:
      return false;
  }
}
