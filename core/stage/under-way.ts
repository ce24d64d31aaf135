/** What a state expects to be under way: after continue-as-new nothing is, so all of it is started again. */
import { reviewsOut } from './review.ts';
import type { StageCommand, StageState } from './types.ts';

/** Whether a stage has begun and is neither sealed nor halted nor at rest. */
export function isStageOpen({ run }: Pick<StageState, 'run'>): boolean {
  return run !== null && !['sealed', 'halted', 'rested'].includes(run.phase);
}

/** Commands for every open dispatch, gate and intent, in a fixed order; each finds what an earlier attempt stored. */
export function commandsUnderWay(state: StageState): readonly StageCommand[] {
  const agents = Object.values(state.open)
    .filter((open) => open.phase === 'running')
    .map(({ record, resume }): StageCommand => ({ kind: 'start_agent', record, resume }));
  const gates = Object.values(state.gates).map((gate): StageCommand => ({ kind: 'regate', gate }));
  const waits: readonly StageCommand[] =
    state.run?.phase === 'waiting' ? [{ kind: 'await_input', nodeIds: [] }] : [];
  const intents: readonly StageCommand[] =
    state.intent === null ? [] : [{ kind: 'commit', intent: state.intent }];
  const reviews = reviewsOut(state).map((out): StageCommand => ({ kind: 'review', ...out }));
  return [...agents, ...gates, ...intents, ...reviews, ...waits];
}

/** Whether a command that is not performed now is found again by the next run: by the above, or asked for anew. */
export function isStartedAgain(command: StageCommand): boolean {
  switch (command.kind) {
    case 'start_agent':
    case 'regate':
    case 'commit':
    case 'ask_manager':
    case 'review':
      return true;
    case 'consult':
    case 'check_seal':
    case 'cancel_agents':
    case 'await_input':
    case 'close':
      return false;
  }
}
