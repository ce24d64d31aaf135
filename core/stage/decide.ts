/**
 * The heart: state + input → events + commands (design part 3). Pure: the same state and input give the same decision.
 *
 * D1. The new state is the fold of the events, never anything else (G7).
 * D2. Events go to the ledger before any command is performed.
 * D3. A node is grounded only by `committed` of kind code, which needs an intent, which needs a PASS (G1, G2).
 * D4. No node has two running dispatches; no more run than there are slots; at most one commit intent is open.
 */
import { A7Error } from '../errors.ts';
import { budgetText } from './agent-result.ts';
import { takeAction } from './apply-action.ts';
import { draftOf, runOf } from './draft.ts';
import { beginHalt, beginRest, emit, isEnding, type Work } from './effects.ts';
import { consumeRead, takeHaltAtOnce } from './human-input.ts';
import { reviewsOut } from './review.ts';
import { takeCommitResult, takeGateOutcome, takeReturn, takeSealCheck } from './results.ts';
import { settle } from './settle.ts';
import type { Decision, StageInput, StageState } from './types.ts';

/** Unreadable answers of a manager in a row; each is told what was wrong with it. */
const UNREADABLE_MAX = 3;

/** @throws {A7Error} STAGE_UNKNOWN or STAGE_SEALED when a run cannot be opened; EVENT_ORDER for input without a run. */
export function decide(state: StageState, input: StageInput): Decision {
  const work: Work = { draft: draftOf(state), events: [], commands: [] };
  take(work, input);
  settle(work);
  return { events: work.events, commands: work.commands, state: work.draft };
}

function take(work: Work, input: StageInput): void {
  switch (input.kind) {
    case 'opened': {
      takeOpened(work, input);
      return;
    }
    case 'wake':
      return;
    case 'manager_answered': {
      takeAnswer(work, input);
      return;
    }
    case 'agent_returned': {
      takeReturn(work, input);
      return;
    }
    case 'gate_finished': {
      takeGateOutcome(work, input);
      return;
    }
    case 'commit_finished': {
      takeCommitResult(work, input);
      return;
    }
    case 'seal_checked': {
      takeSealCheck(work, input);
      return;
    }
    case 'consult_answered': {
      const { verdict, callKey, costMicroUsd } = input;
      if (runOf(work.draft).consult?.status !== 'asked') return;
      emit(work, {
        type: 'consulted',
        data: { verdict: verdict.slice(0, 4000), callKey, costMicroUsd },
      });
      return;
    }
    case 'reviewed': {
      takeReview(work, input);
      return;
    }
    case 'input':
      if (work.draft.inputIds.includes(input.input.id)) return;
      emit(work, { type: 'input_received', data: { input: input.input } });
      takeHaltAtOnce(work, input.input);
      return;
    case 'halt_requested': {
      beginHalt(work, input.reason, null, input.source);
      return;
    }
    case 'call_rested': {
      beginRest(work, input.code, input.message);
      return;
    }
    case 'budget_reached': {
      beginRest(work, 'BUDGET_REACHED', budgetMessage(input));
      return;
    }
    case 'noted': {
      emit(work, input.event);
      return;
    }
  }
}

/** A review of work that is gone is only paid for. */
function takeReview(work: Work, input: Extract<StageInput, { kind: 'reviewed' }>): void {
  const review = work.draft.nodes[input.nodeId]?.review;
  if (review?.tree !== input.tree || review.findings !== 'asked') return;
  const { nodeId, dispatchId, tree, findings, callKey, costMicroUsd } = input;
  const data = { nodeId, dispatchId, tree, findings: [...findings], callKey, costMicroUsd };
  emit(work, { type: 'reviewed', data });
}

/** Opens a run and takes up what the former one left: intents are asked for again, gates run again. */
function takeOpened(work: Work, input: Extract<StageInput, { kind: 'opened' }>): void {
  const { draft } = work;
  const record = draft.stages[input.stage];
  if (record === undefined) {
    throw new A7Error('STAGE_UNKNOWN', `Cannot open stage "${input.stage}": the session has no such stage`);
  }
  if (record.status === 'sealed')
    throw new A7Error('STAGE_SEALED', `Cannot open stage "${input.stage}": it is sealed`);
  const { stage, run, lifecycle, head, options, owner } = input;
  if (lifecycle === 'taken_over') {
    const data = {
      formerRun: draft.run?.run ?? 0,
      reason: input.takeOverReason ?? 'no live workflow drives it',
    };
    emit(work, { type: 'run_taken_over', data });
  }
  emit(work, { type: 'run_opened', data: { stage, run, lifecycle, head, options, owner } });
  if (draft.intent !== null) work.commands.push({ kind: 'commit', intent: draft.intent });
  for (const gate of Object.values(draft.gates)) work.commands.push({ kind: 'regate', gate });
  for (const out of reviewsOut(draft)) work.commands.push({ kind: 'review', ...out });
}

/** One answer is one action or one rejection; an answer to a turn that is gone is only paid for. */
function takeAnswer(work: Work, input: Extract<StageInput, { kind: 'manager_answered' }>): void {
  const run = runOf(work.draft);
  const by = run.options.manager;
  const { callKey, costMicroUsd, answer, turn } = input;
  const action = answer.kind === 'action' ? answer.action : null;
  if (turn !== run.turn || isEnding(work) || run.phase === 'sealing') {
    const message = `Answer to turn ${turn} came too late: the stage is ${run.phase} at turn ${run.turn}`;
    emit(work, {
      type: 'action_rejected',
      data: { turn, by, code: 'STALE_TURN', message, action, callKey, costMicroUsd },
    });
    return;
  }
  if (action === null) {
    const reason = answer.kind === 'garbage' ? answer.reason : '';
    const message = `Answer is no action: ${reason}`.slice(0, 4000);
    emit(work, {
      type: 'action_rejected',
      data: { turn, by, code: 'NOT_AN_ACTION', message, action, callKey, costMicroUsd },
    });
    const times = runOf(work.draft).unreadable ?? 0;
    if (times >= UNREADABLE_MAX)
      beginHalt(work, unreadableText(times, message), 'MANAGER_UNREADABLE', 'core');
  } else {
    takeAction(work, action, { by, forced: false, callKey, costMicroUsd });
  }
  consumeRead(work, input.readInputIds ?? work.draft.inputs.map((waiting) => waiting.id));
}

/** The manager was shown what was wrong as its last error, and answered the same way again. */
function unreadableText(times: number, message: string): string {
  const rule = `The manager gave ${times} answers in a row that are no action, the limit is ${UNREADABLE_MAX}`;
  return `${rule}; the last: ${message}`.slice(0, 2000);
}

function budgetMessage(input: Extract<StageInput, { kind: 'budget_reached' }>): string {
  const { spentMicroUsd: spent, capMicroUsd: cap, nextMicroUsd: worstCase } = input;
  return budgetText({ unit: 'micro_usd', spent, cap, worstCase });
}
