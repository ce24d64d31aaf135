/**
 * The derived totals of a scope. Neighbour: `call-state.ts` says what a call is charged; the adapter keeps the index
 * as a file and changes it under a lock.
 *
 * B1. A call is in `open` before its `sent` row exists, and leaves only after its end was counted.
 * B2. `settled` plus the worst case of the open calls is never less than what may have been billed.
 */
import type { BudgetIndex } from '../../schemas/model-call.ts';
import {
  type CallCharge,
  type CallState,
  NO_CHARGE,
  addCharge,
  openCharge,
  settledCharge,
  sumCharges,
} from './call-state.ts';

export function settledOf(index: BudgetIndex): CallCharge {
  return { microUsd: index.settledMicroUsd, unpricedTokens: index.settledUnpricedTokens };
}

/** The index made anew from the state of every call of the scope. */
export function rebuildIndex(scope: string, states: ReadonlyMap<string, CallState>): BudgetIndex {
  const entries = [...states];
  const settled = sumCharges(entries.map(([, state]) => settledCharge(state)));
  const open = entries
    .filter(([, state]) => state.kind === 'sent')
    .map(([key, state]) => [key, settledCharge(state)]);
  return {
    version: 1,
    scope,
    settledMicroUsd: settled.microUsd,
    settledUnpricedTokens: settled.unpricedTokens,
    open: Object.fromEntries(open) as BudgetIndex['open'],
  };
}

/** Counts the open calls that have ended; `reserved` is the worst case of those still under way. */
export function settleEnded(
  index: BudgetIndex,
  states: ReadonlyMap<string, CallState>,
): { readonly index: BudgetIndex; readonly reserved: CallCharge } {
  let settled = settledOf(index);
  let reserved = NO_CHARGE;
  const open: BudgetIndex['open'] = {};
  for (const [key, counted] of Object.entries(index.open)) {
    const state = states.get(key) ?? { kind: 'none' };
    settled = addCharge(addCharge(settled, settledCharge(state), 1), counted, -1);
    if (state.kind !== 'sent') continue;
    open[key] = { ...settledCharge(state) };
    reserved = addCharge(reserved, openCharge(state), 1);
  }
  return {
    index: {
      ...index,
      settledMicroUsd: settled.microUsd,
      settledUnpricedTokens: settled.unpricedTokens,
      open,
    },
    reserved,
  };
}

/** Marks a call as about to be sent (B1). Its earlier unknown attempts are part of `settled` already. */
export function openCall(index: BudgetIndex, key: string, state: CallState): BudgetIndex {
  return { ...index, open: { ...index.open, [key]: { ...settledCharge(state) } } };
}
