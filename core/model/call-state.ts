/**
 * What the rows of one call mean: its state, what may be done next, and what it is charged (design part 4, G6).
 *
 * C1. Only `sent` and `unknown` and `received` attempts may be billed.
 * C2. An unknown attempt stays charged at its worst case, also after it was repaid.
 */
import type { CallRow, ReceivedRow, SentRow } from '../../schemas/model-call.ts';

export type CallState =
  | { readonly kind: 'none' }
  /** Nothing is under way: never sent, or the last attempt was not billed. */
  | { readonly kind: 'reserved'; readonly attempts: number; readonly unknown: readonly SentRow[] }
  | { readonly kind: 'sent'; readonly sent: SentRow; readonly unknown: readonly SentRow[] }
  | {
      readonly kind: 'unknown';
      readonly attempts: number;
      readonly reason: string;
      readonly unknown: readonly SentRow[];
    }
  | {
      readonly kind: 'received';
      readonly sent: SentRow;
      readonly received: ReceivedRow;
      readonly unknown: readonly SentRow[];
    };

/** Charge of a call against its cap; `unpricedTokens` count where the model has no price. */
export interface CallCharge {
  readonly microUsd: number;
  readonly unpricedTokens: number;
}

export const NO_CHARGE: CallCharge = { microUsd: 0, unpricedTokens: 0 };

/** State of a call from its rows, in any order. @throws when an attempt has an end without a beginning. */
export function callState(rows: readonly CallRow[]): CallState {
  if (rows.length === 0) return { kind: 'none' };
  const sents = rows.filter((row) => row.kind === 'sent').sort((left, right) => left.attempt - right.attempt);
  const unknown = sents.filter((sent) => endOf(rows, sent.attempt)?.kind === 'unknown');
  const orphan = rows.find((row) => 'attempt' in row && !sents.some((sent) => sent.attempt === row.attempt));
  if (orphan !== undefined)
    throw new Error(`Cannot read call: row "${orphan.kind}" has no sent row of its attempt`);
  const received = rows.find((row) => row.kind === 'received');
  const answered = sents.find((sent) => sent.attempt === received?.attempt);
  if (received !== undefined && answered !== undefined)
    return { kind: 'received', sent: answered, received, unknown };
  return pendingState(rows, sents, unknown);
}

function pendingState(
  rows: readonly CallRow[],
  sents: readonly SentRow[],
  unknown: readonly SentRow[],
): CallState {
  const last = sents.at(-1);
  if (last === undefined) return { kind: 'reserved', attempts: 0, unknown };
  const end = endOf(rows, last.attempt);
  if (end === undefined) return { kind: 'sent', sent: last, unknown };
  if (end.kind === 'unknown') return { kind: 'unknown', attempts: sents.length, reason: end.reason, unknown };
  return { kind: 'reserved', attempts: sents.length, unknown };
}

/** What is charged for good. A call that is under way adds `openCharge`. */
export function settledCharge(state: CallState): CallCharge {
  if (state.kind === 'none') return NO_CHARGE;
  const unknown = state.unknown.map(worstCharge);
  if (state.kind !== 'received') return sumCharges(unknown);
  return sumCharges([...unknown, receivedCharge(state.sent, state.received)]);
}

/** What attempts with unknown outcome are charged, in millionths of a dollar; unpriced ones count 0 here and tokens elsewhere. */
export function unknownMicroUsd(unknown: readonly SentRow[]): number {
  return unknown.reduce((sum, sent) => sum + worstCharge(sent).microUsd, 0);
}

/** Worst case of the attempt that is under way. */
export function openCharge(state: CallState): CallCharge {
  return state.kind === 'sent' ? worstCharge(state.sent) : NO_CHARGE;
}

/** The hash that this key is bound to: of an attempt that may have been billed; null when nothing was. */
export function boundHash(state: CallState): string | null {
  switch (state.kind) {
    case 'none':
      return null;
    case 'sent':
    case 'received':
      return state.sent.requestHash;
    case 'reserved':
    case 'unknown':
      return state.unknown[0]?.requestHash ?? null;
  }
}

export function sumCharges(charges: readonly CallCharge[]): CallCharge {
  return charges.reduce((sum, charge) => addCharge(sum, charge, 1), NO_CHARGE);
}

/** `base + sign * charge`. */
export function addCharge(base: CallCharge, charge: CallCharge, sign: 1 | -1): CallCharge {
  return {
    microUsd: base.microUsd + sign * charge.microUsd,
    unpricedTokens: base.unpricedTokens + sign * charge.unpricedTokens,
  };
}

function receivedCharge(sent: SentRow, received: ReceivedRow): CallCharge {
  if (sent.worstCase.microUsd === null) {
    const usage = received.usage;
    return {
      microUsd: 0,
      unpricedTokens: usage === null ? sent.worstCase.tokens : usage.inputTokens + usage.outputTokens,
    };
  }
  return { microUsd: received.costMicroUsd ?? sent.worstCase.microUsd, unpricedTokens: 0 };
}

function worstCharge(sent: SentRow): CallCharge {
  const { microUsd, tokens } = sent.worstCase;
  return microUsd === null ? { microUsd: 0, unpricedTokens: tokens } : { microUsd, unpricedTokens: 0 };
}

function endOf(
  rows: readonly CallRow[],
  attempt: number,
): Exclude<CallRow, { kind: 'reserved' | 'sent' }> | undefined {
  return rows.find(
    (row): row is Exclude<CallRow, { kind: 'reserved' | 'sent' }> =>
      row.kind !== 'reserved' && row.kind !== 'sent' && row.attempt === attempt,
  );
}
