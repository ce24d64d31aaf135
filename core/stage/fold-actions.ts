/** Fold of the manager's answers: turns, last error, one-turn verdicts. */
import type { Actor, LedgerEventOf } from '../../schemas/ledger.ts';
import { addCost, patchRun, runOf, type Draft } from './draft.ts';

export function foldAction(draft: Draft, data: LedgerEventOf<'action'>['data']): void {
  addCost(draft, data.costMicroUsd);
  if (data.forced) return;
  const run = runOf(draft);
  patchRun(draft, {
    turn: run.turn + turnsOf(draft, data.by),
    news: false,
    lastError: null,
    consult: data.action.action_type === 'CONSULT' ? { status: 'asked' } : null,
    unreadable: undefined,
  });
}

/** A rejection has no effect but the error on the board. An answer to a turn that is gone is only paid for. */
export function foldRejection(draft: Draft, data: LedgerEventOf<'action_rejected'>['data']): void {
  addCost(draft, data.costMicroUsd);
  if (data.code === 'STALE_TURN') return;
  const run = runOf(draft);
  const isUnreadable = data.code === 'NOT_AN_ACTION';
  patchRun(draft, {
    // Whoever types wrongly is told so and types again: nothing was asked of a model, and nobody goes on without them.
    turn: run.turn + (data.by === 'human' ? 0 : turnsOf(draft, data.by)),
    news: true,
    lastError: data.message,
    // Whoever answered no action has not read the verdict: it is there at the next turn, too.
    consult: run.consult?.status === 'answered' && !isUnreadable ? null : run.consult,
    unreadable: isUnreadable ? (run.unreadable ?? 0) + 1 : undefined,
  });
}

/** A person who steps in beside a model or a policy spends none of its turns; past the limit none is left to spend (G9). */
function turnsOf(draft: Draft, by: Actor): 0 | 1 {
  const run = runOf(draft);
  if (run.mode === 'dead' || by === 'harness') return 0;
  return by === 'human' && run.options.manager !== 'human' ? 0 : 1;
}
