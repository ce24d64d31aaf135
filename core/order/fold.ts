/** The fold of an order's ledger: events to state, nothing else (G7). */
import type { OrderEvent } from '../../schemas/order-ledger.ts';
import type { AgentUsage } from '../../schemas/order.ts';
import type { IterationState, OrderState } from './types.ts';

const NO_USAGE: AgentUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

const REFUSED_SHOWN_MAX = 5;

/** State after all events. @throws {RangeError} when the first is no submission. */
export function foldOrder(events: readonly OrderEvent[]): OrderState {
  const [first, ...rest] = events;
  if (first?.type !== 'order_submitted')
    throw new RangeError('Cannot read an order: its ledger must begin with its submission');
  return rest.reduce(applyOrderEvent, begin(first.data.order));
}

function begin(order: OrderState['order']): OrderState {
  return {
    seq: 1,
    run: 0,
    order,
    status: 'QUEUED',
    base: null,
    iterations: [],
    spentMs: 0,
    usage: NO_USAGE,
    advice: [],
    adviceIds: [],
    lastSignature: null,
    repeats: 0,
    platformFaults: 0,
    refused: [],
    cancel: null,
    end: null,
    tookOverFrom: null,
    promotions: [],
  };
}

/** State after one more event. */
export function applyOrderEvent(state: OrderState, event: OrderEvent): OrderState {
  return { ...applied(state, event), seq: state.seq + 1 };
}

function applied(state: OrderState, event: OrderEvent): OrderState {
  switch (event.type) {
    case 'order_submitted':
      throw new RangeError('Cannot read an order: it was submitted twice');
    case 'run_opened':
      return { ...state, run: event.data.run };
    case 'lease_taken':
      return {
        ...state,
        status: state.status === 'QUEUED' ? 'LEASED' : state.status,
        tookOverFrom: event.data.tookOverFrom,
      };
    case 'prepared':
      return { ...state, base: event.data.base };
    case 'build_started':
      return {
        ...state,
        status: 'BUILDING',
        advice: state.advice.filter((text) => !event.data.advice.includes(text)),
        iterations: [...state.iterations, fresh(event.data.iteration, event.data.advice)],
      };
    case 'built': {
      const { end, usage, durationMs } = event.data;
      const next = onLast(state, { end, usage });
      return {
        ...next,
        status: 'SNAPSHOTTING',
        spentMs: state.spentMs + durationMs,
        usage: sum(state.usage, usage),
      };
    }
    case 'snapshot_taken': {
      const { tree, commit, changed, violations } = event.data;
      return { ...onLast(state, { tree, commit, changed, violations }), status: 'VERIFYING' };
    }
    case 'verified':
      return verified(state, event.data);
    case 'feedback_given':
      return state;
    case 'advice_given':
      return {
        ...state,
        advice: [...state.advice, event.data.text],
        adviceIds: [...state.adviceIds, event.data.id],
      };
    case 'input_refused':
      return { ...state, refused: [...state.refused, event.data].slice(-REFUSED_SHOWN_MAX) };
    case 'cancel_requested':
      return { ...state, cancel: event.data };
    case 'step_broke':
      return state;
    case 'order_ended':
      return { ...state, status: event.data.end.status, end: event.data.end };
    case 'promoted':
      return { ...state, promotions: [...state.promotions, event.data] };
  }
}

function verified(state: OrderState, data: Extract<OrderEvent, { type: 'verified' }>['data']): OrderState {
  const { verdict, headline, signature, durationMs, fault } = data;
  const isPlatform = verdict === 'INVALID' && fault === 'platform';
  const same = signature !== null && signature === state.lastSignature;
  return {
    ...onLast(state, { verdict, headline }),
    status: verdict === 'PASS' || isPlatform ? state.status : 'FEEDBACK',
    spentMs: state.spentMs + durationMs,
    ...(isPlatform
      ? { platformFaults: state.platformFaults + 1 }
      : { platformFaults: 0, lastSignature: signature, repeats: same ? state.repeats + 1 : 0 }),
  };
}

function fresh(iteration: number, advice: readonly string[]): IterationState {
  return {
    iteration,
    advice,
    end: null,
    usage: null,
    tree: null,
    commit: null,
    changed: 0,
    violations: 0,
    verdict: null,
    headline: null,
  };
}

function onLast(state: OrderState, change: Partial<IterationState>): OrderState {
  const last = state.iterations.at(-1);
  if (last === undefined) return state;
  return { ...state, iterations: [...state.iterations.slice(0, -1), { ...last, ...change }] };
}

function sum(a: AgentUsage, b: AgentUsage): AgentUsage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costMicroUsd: a.costMicroUsd === null || b.costMicroUsd === null ? null : a.costMicroUsd + b.costMicroUsd,
  };
}
