/** The command that goes on after a stage ended early. */
import { higherCapIn } from '../../core/stage/agent-result.ts';
import type { StageState } from '../../core/stage/types.ts';
import type { StageOutcome } from '../../schemas/stage-io.ts';

/** How which stage ended. */
export interface EndedStage {
  /** The session as the person named it. */
  readonly shown: string;
  readonly stageId: string;
  readonly outcome: StageOutcome;
  readonly state: StageState;
}

/** One line; a command that can be copied as it is, where one is enough. */
export function nextStepAfter({ shown, stageId, outcome, state }: EndedStage): string {
  const again = `a7-rt run ${shown}`;
  if (outcome.code === 'BUDGET_REACHED')
    return `${again} ${higherCapIn(outcome.message) ?? '--max-cost MORE'}`;
  const stuck = stuckNode(state, stageId);
  return outcome.status === 'halted' && stuck !== null
    ? `a7-rt why ${shown} ${stuck} says what moves it; then ${again}`
    : again;
}

/** A node that a further run alone would not move. */
function stuckNode(state: StageState, stageId: string): string | null {
  const found = Object.entries(state.nodes).find(
    ([, node]) => node.stage === stageId && (node.root === true || node.status === 'suspended'),
  );
  return found?.[0] ?? null;
}
