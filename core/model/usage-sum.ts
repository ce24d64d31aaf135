/** Usage and cost of many calls, for reports: by call, node and stage (design part 10). */
import type { CallRow } from '../../schemas/model-call.ts';
import type { CallCoordinates, ModelUsage } from '../../schemas/model.ts';
import { type CallState, callState, openCharge, settledCharge } from './call-state.ts';

export interface CallUsage {
  readonly key: string;
  readonly coordinates: CallCoordinates;
  readonly modelAlias: string | null;
  readonly state: CallState['kind'];
  /** Null: not received, or the endpoint told none. */
  readonly usage: ModelUsage | null;
  /** What is charged, unknown attempts included; null: a model without a price took part. */
  readonly costMicroUsd: number | null;
  /** The priced part of the cost. */
  readonly knownMicroUsd: number;
  readonly reservedMicroUsd: number;
  /** Requests that left this machine, also those that were refused. */
  readonly attempts: number;
  readonly unknownAttempts: number;
}

export interface UsageTotals {
  readonly calls: number;
  readonly answered: number;
  readonly attempts: number;
  readonly unknownAttempts: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Null: at least one call has an unknown cost. */
  readonly costMicroUsd: number | null;
  readonly knownMicroUsd: number;
  readonly reservedMicroUsd: number;
}

export interface UsageReport {
  readonly total: UsageTotals;
  readonly byStage: Readonly<Record<string, UsageTotals>>;
  /** By node id; the manager's calls under `manager`. */
  readonly byNode: Readonly<Record<string, UsageTotals>>;
  readonly calls: readonly CallUsage[];
}

/** One call's line. @throws when the rows hold no reservation. */
export function callUsage(rows: readonly CallRow[]): CallUsage {
  const reserved = rows.find((row) => row.kind === 'reserved');
  if (reserved === undefined) throw new Error('Cannot sum call: its reserved row is missing');
  const state = callState(rows);
  const sents = rows.filter((row) => row.kind === 'sent');
  const isBillable = state.kind === 'received' || state.kind === 'sent' || unknownCount(state) > 0;
  const hasUnpriced = isBillable && sents.some((sent) => sent.price === null);
  const knownMicroUsd = settledCharge(state).microUsd;
  return {
    key: reserved.key,
    coordinates: reserved.coordinates,
    modelAlias: sents.at(-1)?.modelAlias ?? null,
    state: state.kind,
    usage: state.kind === 'received' ? state.received.usage : null,
    costMicroUsd: hasUnpriced ? null : knownMicroUsd,
    knownMicroUsd,
    reservedMicroUsd: openCharge(state).microUsd,
    attempts: sents.length,
    unknownAttempts: unknownCount(state),
  };
}

/** Totals of all calls, and of each stage and node. */
export function sumCalls(calls: readonly CallUsage[]): UsageReport {
  return {
    total: totalOf(calls),
    byStage: totalsBy(calls, (call) => call.coordinates.stage),
    byNode: totalsBy(calls, (call) => call.coordinates.node ?? call.coordinates.role),
    calls,
  };
}

function unknownCount(state: CallState): number {
  return state.kind === 'none' ? 0 : state.unknown.length;
}

function totalsBy(
  calls: readonly CallUsage[],
  nameOf: (call: CallUsage) => string,
): Record<string, UsageTotals> {
  const names = [...new Set(calls.map(nameOf))].sort();
  return Object.fromEntries(
    names.map((name) => [name, totalOf(calls.filter((call) => nameOf(call) === name))]),
  );
}

function totalOf(calls: readonly CallUsage[]): UsageTotals {
  const sum = (valueOf: (call: CallUsage) => number): number =>
    calls.reduce((total, call) => total + valueOf(call), 0);
  return {
    calls: calls.length,
    answered: calls.filter((call) => call.state === 'received').length,
    attempts: sum((call) => call.attempts),
    unknownAttempts: sum((call) => call.unknownAttempts),
    inputTokens: sum((call) => call.usage?.inputTokens ?? 0),
    cachedInputTokens: sum((call) => call.usage?.cachedInputTokens ?? 0),
    outputTokens: sum((call) => call.usage?.outputTokens ?? 0),
    costMicroUsd: calls.some((call) => call.costMicroUsd === null)
      ? null
      : sum((call) => call.costMicroUsd ?? 0),
    knownMicroUsd: sum((call) => call.knownMicroUsd),
    reservedMicroUsd: sum((call) => call.reservedMicroUsd),
  };
}
