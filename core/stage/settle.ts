/**
 * What happens by itself after every input, until nothing more does: housekeeping, human input, forced moves, and then
 * one of ask, wait, await a person, or end (design part 6). Forced moves are free: no turn, no model call.
 */
import { A7Error } from '../errors.ts';
import { harness, takeAction } from './apply-action.ts';
import { nodeOf, runOf } from './draft.ts';
import { askForReview, beginRest, emit, regate, type Work } from './effects.ts';
import { takeHumanInput } from './human-input.ts';
import {
  commitFirst,
  dispatchFirst,
  openDecisions,
  policyAction,
  sealNow,
  validateFirst,
  withdrawFirst,
} from './policy.ts';
import { dueNodes, freeSlots, regatesDue, runningDispatches, selectedNodes } from './ready.ts';
import { heldForManager, heldForReview, reviewsOut } from './review.ts';
import { allResolved, provenAssumptions, sealBlockers } from './seal.ts';
import type { StageState } from './types.ts';

/** Runs to the next point where something outside must happen. @throws {A7Error} INTERNAL_RULE if it never gets there. */
export function settle(work: Work): void {
  const stepsMax = 1000 + 20 * Object.keys(work.draft.nodes).length;
  for (let step = 0; step < stepsMax; step += 1) {
    if (!settleOnce(work)) return;
  }
  throw new A7Error('INTERNAL_RULE', `Cannot settle the stage: ${stepsMax} steps changed something each`);
}

/** True: something changed, look again. */
function settleOnce(work: Work): boolean {
  switch (runOf(work.draft).phase) {
    case 'halting':
    case 'resting':
      return finishEnding(work);
    case 'sealing':
    case 'halted':
    case 'rested':
    case 'sealed':
      return false;
    case 'running':
    case 'waiting':
      return keepHouse(work) || takeHumanInput(work) || goOn(work) || conclude(work);
  }
}

/** Nothing runs any more: the ledger can say that the run is over. */
function isQuiet(state: StageState): boolean {
  return (
    runningDispatches(state).length === 0 &&
    state.intent === null &&
    Object.keys(state.gates).length === 0 &&
    runOf(state).sealSummary === null
  );
}

function finishEnding(work: Work): boolean {
  const run = runOf(work.draft);
  if (!isQuiet(work.draft)) return false;
  const { code, message } = run.ending ?? { code: 'HALTED', message: '' };
  if (run.phase === 'halting') emit(work, { type: 'halted', data: { reason: message } });
  else emit(work, { type: 'rested', data: { code, message } });
  work.commands.push({ kind: 'close', status: run.phase === 'halting' ? 'halted' : 'rested', code, message });
  return false;
}

/** Facts that follow from facts. */
function keepHouse(work: Work): boolean {
  const { draft } = work;
  const run = runOf(draft);
  const before = work.events.length;
  for (const { from, to } of provenAssumptions(draft)) {
    emit(work, { type: 'assumption_verified', data: { from, to, by: 'gate' } });
  }
  for (const open of Object.values(draft.open)) {
    if (open.phase !== 'parked' || nodeOf(draft, open.record.nodeId).status !== 'near') continue;
    const data = {
      nodeId: open.record.nodeId,
      type: 'far',
      detail: 'its agent waits for a person',
      by: 'harness',
    } as const;
    emit(work, { type: 'suspended', data });
  }
  const { managerMaxTurns, drainTurn } = run.options.limits;
  const mode = run.turn >= managerMaxTurns ? 'dead' : run.turn >= drainTurn ? 'drain' : 'autonomous';
  if (mode !== run.mode) emit(work, { type: 'mode_changed', data: { mode, turn: run.turn } });
  return work.events.length > before;
}

/** Work that is already decided: held agents go on, capped and re-suited work is gated again, returns move on. */
function goOn(work: Work): boolean {
  const { draft } = work;
  const strict = runOf(draft).options.strictTurns && runOf(draft).mode !== 'dead';
  if (restartHeld(work)) return true;
  for (const { nodeId, reason } of regatesDue(draft)) {
    const last = nodeOf(draft, nodeId).last;
    if (last === undefined) continue;
    regate(work, nodeId, reason, last);
    return true;
  }
  if (askForReview(work)) return true;
  const move =
    strict || runOf(draft).mode === 'dead'
      ? null
      : (validateFirst(draft) ?? commitFirst(draft) ?? withdrawFirst(draft));
  if (move === null) return false;
  takeAction(work, move, harness);
  return true;
}

function restartHeld(work: Work): boolean {
  const { draft } = work;
  if (freeSlots(draft) === 0 || runOf(draft).mode === 'dead') return false;
  const selected = new Set(selectedNodes(draft));
  const held = Object.values(draft.open).find(
    (open) =>
      open.phase === 'held' &&
      selected.has(open.record.nodeId) &&
      nodeOf(draft, open.record.nodeId).status !== 'poisoned',
  );
  if (held === undefined) return false;
  const { record, resume } = held;
  const data = { nodeId: record.nodeId, dispatchId: record.dispatchId, why: 'resumed', resume } as const;
  emit(work, { type: 'dispatch_restarted', data });
  work.commands.push({ kind: 'start_agent', record, resume });
  return true;
}

/** The end of a round: seal, dispatch, ask, wait or end. */
function conclude(work: Work): boolean {
  const { draft } = work;
  const run = runOf(draft);
  if (run.mode === 'dead') return kill(work);
  if (run.options.onlyNodes !== null && isIdle(draft) && allResolved(draft)) {
    beginRest(work, 'NODES_DONE', `Built: ${run.options.onlyNodes.join(', ')}; the stage is not sealed`);
    return true;
  }
  if (run.options.strictTurns) return askOrWait(work);
  if (run.mode === 'drain')
    return isIdle(draft)
      ? sealOrHalt(work, `Turn ${run.turn}: draining, and nothing is left in flight`)
      : false;
  return forcedSealOrDispatch(work) || askOrWait(work);
}

/** Neither agents nor gates nor commits nor a consult nor a review are out. */
export function isIdle(state: StageState): boolean {
  return isQuiet(state) && runOf(state).consult?.status !== 'asked' && reviewsOut(state).length === 0;
}

/** At the turn limit: what is validated is lost for this run, what is in flight is held for the next. */
function kill(work: Work): boolean {
  const { draft } = work;
  if (runningDispatches(draft).length === 0 && !isIdle(draft)) return false;
  return sealOrHalt(work, `The limit of ${runOf(draft).options.limits.managerMaxTurns} turns is reached`);
}

function sealOrHalt(work: Work, reason: string): boolean {
  const blockers = sealBlockers(work.draft);
  if (blockers.length === 0) {
    takeAction(work, { action_type: 'SEAL', parameters: { summary: reason } }, harness);
    return true;
  }
  const list = blockers.map((blocker) => `"${blocker.nodeId}" ${blocker.code}`).join(', ');
  const parameters = { reason: `${reason}; unresolved: ${list}`.slice(0, 2000), invariant: null };
  takeAction(work, { action_type: 'HALT', parameters }, harness);
  return true;
}

/** A model or a person has something to read before the next step is taken for granted. */
export function wantsAttention(state: StageState): boolean {
  const run = runOf(state);
  if (run.options.manager === 'policy') return false;
  const texts = state.inputs.some((input) => input.kind === 'text');
  return texts || run.lastError !== null || run.consult?.status === 'answered';
}

function forcedSealOrDispatch(work: Work): boolean {
  const { draft } = work;
  if (wantsAttention(draft)) return false;
  const due = dueNodes(draft);
  const fits = due.length <= freeSlots(draft) || runOf(draft).options.manager === 'policy';
  const move = isIdle(draft) ? (sealNow(draft) ?? dispatchIf(draft, fits)) : dispatchIf(draft, fits);
  if (move === null) return false;
  takeAction(work, move, harness);
  return true;
}

function dispatchIf(state: StageState, fits: boolean): ReturnType<typeof dispatchFirst> {
  return fits ? dispatchFirst(state) : null;
}

/** Ask when there is a choice, wait when something is out, else a person, else the manager must end it. */
function askOrWait(work: Work): boolean {
  const { draft } = work;
  const run = runOf(draft);
  if (run.consult?.status === 'asked') return false;
  const idle = isIdle(draft);
  if (wantsAttention(draft) || hasChoice(draft, idle)) return ask(work);
  if (!idle) return false;
  const waiting = nodesForPerson(draft);
  if (waiting.length === 0) return ask(work);
  if (run.phase === 'waiting') return false;
  emit(work, { type: 'waiting', data: { nodes: waiting, detail: 'Only a person can move it on' } });
  work.commands.push({ kind: 'await_input', nodeIds: waiting });
  return false;
}

export function hasChoice(state: StageState, idle: boolean): boolean {
  const run = runOf(state);
  const strictMove =
    run.options.strictTurns &&
    (validateFirst(state) ?? commitFirst(state) ?? (idle ? sealNow(state) : null)) !== null;
  if (strictMove) return true;
  if (run.mode !== 'autonomous') return false;
  const due = freeSlots(state) > 0 && dueNodes(state).length > 0;
  return (
    (due && (run.news || idle || run.options.strictTurns)) ||
    (run.news && (openDecisions(state).length > 0 || heldForManager(state).length > 0))
  );
}

/** Nodes that only a person can move: by an answer, or by a move where no manager decides. */
export function nodesForPerson(state: StageState): string[] {
  const held = runOf(state).options.manager === 'policy' ? heldForReview(state) : [];
  return selectedNodes(state).filter((id) => nodeOf(state, id).reason === 'far' || held.includes(id));
}

/** A policy answers at once; a model or a person is asked. */
function ask(work: Work): boolean {
  const run = runOf(work.draft);
  if (run.options.manager === 'policy') {
    takeAction(work, policyAction(work.draft), {
      by: 'policy',
      forced: false,
      callKey: null,
      costMicroUsd: null,
    });
    return true;
  }
  const inputIds = work.draft.inputs.filter((input) => input.kind === 'text').map((input) => input.id);
  work.commands.push({ kind: 'ask_manager', turn: run.turn, inputIds });
  return false;
}
