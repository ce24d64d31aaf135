/**
 * The board of one turn within a token budget (seed 001, `manager_view`; design part 6): when everything does not fit,
 * texts get shorter, then far nodes collapse to counts per status and the ready set is paged.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Board } from '../../schemas/board.ts';
import { A7Error } from '../errors.ts';
import type { SessionDoc } from '../ledger/session-doc.ts';
import { runOf } from '../stage/draft.ts';
import { readyNodes } from '../stage/ready.ts';
import { stageNodes } from '../stage/seal.ts';
import { estimateJsonTokens } from '../text/tokens.ts';
import { boardNode, type Fidelity } from './board-node.ts';
import { boardFrame } from './board-frame.ts';
import { sharedOf } from './board-shared.ts';
import { byCloseness } from './closeness.ts';

/** Tokens below which no board is promised to fit. */
export const boardMinTokens = 6000;

/** How much is shown, from everything to the least; the first that fits is taken. `pageMax`: nodes and ready nodes. */
const levels: readonly { readonly fidelity: Fidelity; readonly pageMax: number }[] = [
  { fidelity: 'full', pageMax: Infinity },
  { fidelity: 'short', pageMax: Infinity },
  { fidelity: 'short', pageMax: 100 },
  { fidelity: 'short', pageMax: 30 },
  { fidelity: 'line', pageMax: 30 },
  { fidelity: 'line', pageMax: 10 },
  { fidelity: 'line', pageMax: 3 },
];

/** @throws {A7Error} BUDGET_EXCEEDED if even the least does not fit; impossible from `boardMinTokens` on. */
export function boardView(
  doc: SessionDoc,
  contracts: readonly ResolvedContract[],
  tokenBudget: number,
): Board {
  const shared = sharedOf(doc, contracts);
  const ready = readyNodes(doc.state);
  const order = byCloseness(doc.state, stageNodes(doc.state), ready);
  let least = 0;
  for (const { fidelity, pageMax } of levels) {
    // A node is never under 40 tokens: do not build what cannot fit.
    if (Math.min(order.length, pageMax) * 40 > tokenBudget && pageMax > 3) continue;
    const shown = order.slice(0, pageMax);
    const board = boardFrame(shared, { ready, shown, hidden: order.slice(shown.length), fidelity, pageMax });
    board.nodes = Object.fromEntries(shown.map((id) => [id, boardNode(shared, id, fidelity)]));
    const consumed = estimateJsonTokens(board);
    if (consumed <= tokenBudget) return withBudget(board, tokenBudget, consumed, order.length, ready.length);
    least = consumed;
  }
  const stage = runOf(doc.state).stage;
  throw new A7Error(
    'BUDGET_EXCEEDED',
    `Cannot show the board of stage "${stage}": it needs ${String(least)} tokens, the budget is ${String(tokenBudget)}, the minimum is ${String(boardMinTokens)}`,
  );
}

function withBudget(board: Board, allocated: number, consumed: number, nodes: number, ready: number): Board {
  return {
    ...board,
    context_pressure: Math.round((1000 * consumed) / allocated) / 1000,
    token_budget: { allocated, consumed, nodes_count: nodes, ready_count: ready },
  };
}
