/** Fold of the run itself: opened, waiting, sealing, ending, human input. */
import type { LedgerEvent, LedgerEventOf } from '../../schemas/ledger.ts';
import { addCost, patchRun, runOf, type Draft } from './draft.ts';
import { foldReviewersOf } from './review.ts';
import { blockerText } from './seal.ts';
import type { RunState } from './types.ts';

/** How many input ids are remembered for deduplication. */
export const inputIdsMax = 500;
/** Refused signals that a state shows; the ledger has all. */
const refusedInputsMax = 3;

const runEventTypes = [
  'run_taken_over',
  'run_opened',
  'consulted',
  'plan_updated',
  'input_received',
  'input_consumed',
  'input_refused',
  'mode_changed',
  'waiting',
  'resting',
  'rested',
  'halting',
  'halted',
  'sealing',
  'seal_refused',
  'sealed',
  'call_unknown',
] as const;
type RunEvent = LedgerEventOf<(typeof runEventTypes)[number]>;

export function isRunEvent(event: LedgerEvent): event is RunEvent {
  return (runEventTypes as readonly string[]).includes(event.type);
}

export function foldRunEvent(draft: Draft, event: RunEvent): void {
  switch (event.type) {
    case 'run_taken_over':
    case 'plan_updated':
      return;
    case 'run_opened': {
      foldOpened(draft, event.data);
      return;
    }
    case 'consulted':
      addCost(draft, event.data.costMicroUsd);
      patchRun(draft, { consult: { status: 'answered', verdict: event.data.verdict } });
      return;
    case 'input_received': {
      foldInput(draft, event.data);
      return;
    }
    case 'input_consumed':
      draft.inputs = draft.inputs.filter((input) => input.id !== event.data.id);
      return;
    case 'input_refused': {
      const { id, reason } = event.data;
      draft.refusedInputs = [...(draft.refusedInputs ?? []), { id, reason }].slice(-refusedInputsMax);
      return;
    }
    case 'mode_changed': {
      patchRun(draft, { mode: event.data.mode });
      return;
    }
    case 'waiting': {
      patchRun(draft, { phase: 'waiting' });
      return;
    }
    case 'call_unknown': {
      addCost(draft, event.data.costMicroUsd);
      return;
    }
    default: {
      foldEnding(draft, event);
      return;
    }
  }
}

type EndingEvent = LedgerEventOf<
  'resting' | 'rested' | 'halting' | 'halted' | 'sealing' | 'seal_refused' | 'sealed'
>;

function foldEnding(draft: Draft, event: EndingEvent): void {
  switch (event.type) {
    case 'resting': {
      patchRun(draft, { phase: 'resting', ending: event.data });
      return;
    }
    case 'rested': {
      patchRun(draft, { phase: 'rested', ending: event.data });
      return;
    }
    case 'halting': {
      patchRun(draft, {
        phase: 'halting',
        ending: { code: event.data.invariant ?? 'HALTED', message: event.data.reason },
      });
      return;
    }
    case 'halted': {
      patchRun(draft, { phase: 'halted' });
      return;
    }
    case 'sealing': {
      patchRun(draft, { phase: 'sealing', sealSummary: event.data.summary });
      return;
    }
    case 'seal_refused': {
      foldSealRefused(draft, event.data);
      return;
    }
    case 'sealed': {
      foldSealed(draft, event.data.stage);
      return;
    }
  }
}

/** What ran in the former run runs no more: its dispatches are held until they are started again, its asks are void. */
function foldOpened(draft: Draft, data: LedgerEventOf<'run_opened'>['data']): void {
  const former = draft.run;
  const goesOn = data.lifecycle === 'taken_over' && former?.stage === data.stage ? former : null;
  const lostConsult = former?.consult?.status === 'asked' && former.stage === data.stage;
  draft.head = data.head;
  delete draft.refusedInputs;
  for (const [id, open] of Object.entries(draft.open)) {
    if (open.phase === 'running') draft.open[id] = { ...open, phase: 'held' };
  }
  draft.run = {
    stage: data.stage,
    run: data.run,
    lifecycle: data.lifecycle,
    phase: 'running',
    mode: goesOn?.mode ?? 'autonomous',
    options: data.options,
    turn: goesOn?.turn ?? 0,
    news: true,
    lastError: lostConsult
      ? 'The last CONSULT was interrupted before its verdict; ask again if it still matters'
      : null,
    consult: null,
    ending: null,
    sealSummary: null,
    sealFaults: 0,
    spentMicroUsd: goesOn?.spentMicroUsd ?? 0,
  };
  foldReviewersOf(draft);
}

function foldInput(draft: Draft, data: LedgerEventOf<'input_received'>['data']): void {
  draft.inputs = [...draft.inputs, data.input];
  draft.inputIds = [...draft.inputIds, data.input.id].slice(-inputIdsMax);
  if (draft.run?.phase === 'waiting') patchRun(draft, { phase: 'running' });
}

/** The check is over. While the stage halts or rests, it goes on doing so. */
function foldSealRefused(draft: Draft, data: LedgerEventOf<'seal_refused'>['data']): void {
  const run = runOf(draft);
  const phase: RunState['phase'] = run.phase === 'sealing' ? 'running' : run.phase;
  const invalid = data.blockers.some(
    (blocker) => blocker.code === 'GATE_INVALID' || blocker.code === 'PROJECT_INVALID',
  );
  patchRun(draft, {
    phase,
    sealSummary: null,
    sealFaults: invalid ? run.sealFaults + 1 : 0,
    lastError:
      data.blockers.length === 0
        ? run.lastError
        : `Cannot seal: ${data.blockers.map(blockerText).join(', ')}`,
  });
}

function foldSealed(draft: Draft, stage: string): void {
  const record = draft.stages[stage];
  if (record !== undefined) draft.stages[stage] = { ...record, status: 'sealed' };
  patchRun(draft, { phase: 'sealed', sealSummary: null });
}
