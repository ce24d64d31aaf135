/** What a state expects to be under way: after continue-as-new nothing is, so all of it is started again. */
import type { StageCommand, StageState } from './types.ts';

/** Commands for every open dispatch, gate and intent, in a fixed order; each finds what an earlier attempt stored. */
export function commandsUnderWay(state: StageState): readonly StageCommand[] {
  const agents = Object.values(state.open)
    .filter((open) => open.phase === 'running')
    .map(({ record, resume }): StageCommand => ({ kind: 'start_agent', record, resume }));
  const gates = Object.values(state.gates).map((gate): StageCommand => ({ kind: 'regate', gate }));
  const intents: readonly StageCommand[] =
    state.intent === null ? [] : [{ kind: 'commit', intent: state.intent }];
  return [...agents, ...gates, ...intents];
}
