/** For whom and for what an open stage waits: the answer of `run`, `status` and the Temporal UI to "why does nothing happen?" */
import type { SessionDoc } from '../ledger/session-doc.ts';
import { hasChoice, isIdle, nodesForPerson, wantsAttention } from './settle.ts';
import { findingText, heldForReview } from './review.ts';
import type { StageState } from './types.ts';
import { typed } from '../text/typed.ts';

export interface Waiting {
  /** Who asks; null: the stage itself waits for a move of its manager, a person. */
  readonly nodeId: string | null;
  readonly question: string;
  /** Without `a7-rt` and with `SESSION` for the folder. */
  readonly command: string;
}

/** Everything that only a person can move on; empty where nothing waits, or no run is open. */
export function waitingFor({ state, nodes }: Pick<SessionDoc, 'state' | 'nodes'>): readonly Waiting[] {
  const { run } = state;
  if (run === null || ['halted', 'rested', 'sealed'].includes(run.phase)) return [];
  const asking = Object.entries(state.nodes).filter(
    ([, node]) => node.stage === run.stage && node.status === 'suspended' && node.reason === 'far',
  );
  const questions = asking.map(([nodeId]) => ({
    nodeId,
    question: (nodes[nodeId]?.suspensionDetail ?? 'it needs an answer').replace(/^question: /u, ''),
    command: typed`a7-rt input SESSION --node ${nodeId} "your answer"`,
  }));
  const asked = [...questions, ...reviews({ state, nodes })];
  if (!isWaitingForMove(state)) return asked;
  return [
    ...asked,
    {
      nodeId: null,
      question: `Turn ${String(run.turn)}: the manager of this stage is a person, and a move is due`,
      command: 'a7-rt board SESSION',
    },
  ];
}

/** Code that its contract holds until somebody has answered its review. */
function reviews({ state, nodes }: Pick<SessionDoc, 'state' | 'nodes'>): Waiting[] {
  if (state.run?.options.manager === 'llm') return [];
  return heldForReview(state).map((nodeId) => {
    const found = nodes[nodeId]?.review?.findings ?? [];
    const what =
      state.nodes[nodeId]?.review?.tree === state.validated[nodeId]?.tree
        ? `the reviewer found ${found.map(findingText).join('; ')}`
        : 'its contract has require_review, and no reviewer is configured (reviewer_model)';
    return {
      nodeId,
      question: `${what}; commit it all the same?`,
      command: typed`a7-rt act SESSION COMMIT ${nodeId}`,
    };
  });
}

/** The manager is a person, and a move is due: as `askOrWait` would ask. */
export function isWaitingForMove(state: StageState): boolean {
  const { run } = state;
  if (run?.options.manager !== 'human' || run.phase !== 'running') return false;
  const choice = wantsAttention(state) || hasChoice(state, isIdle(state));
  return choice || (isIdle(state) && nodesForPerson(state).length === 0);
}
