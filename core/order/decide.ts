/**
 * The rules of a work order (seed 003): state and what happened to events and commands.
 *  O1. VERIFY targets one snapshot; FEEDBACK is made of a verification alone; only a PASS succeeds.
 *  O2. Every bound has a name: iterations, running time, cost, the same failure three times in a row.
 *  O3. An order ends once; what arrives later changes nothing.
 *  O4. A platform's fault is charged to nobody: verified again at most twice, then the order ends and says so.
 */
import { typed } from '../text/typed.ts';
import type { OrderEnd, OrderEvent } from '../../schemas/order-ledger.ts';
import { boundHit, PLATFORM_FAULTS_MAX } from './bounds.ts';
import { applyOrderEvent } from './fold.ts';
import type { OrderCommand, OrderDecision, OrderInput, OrderState } from './types.ts';

/** What follows from an input. */
export function decideOrder(state: OrderState, input: OrderInput): OrderDecision {
  if (state.end !== null && input.kind !== 'opened') return { state, events: [], commands: [] };
  switch (input.kind) {
    case 'opened':
      return opened(state, input);
    case 'message':
      return onMessage(state, input.message);
    case 'refused':
      return then(state, [{ type: 'input_refused', data: input.refusal }], []);
    case 'stopped':
      return state.cancel === null
        ? ended(state, 'FAILED', 'stopped', 'The step was stopped from outside')
        : ended(state, 'CANCELED', 'cancelled', `Cancelled by ${state.cancel.by}: ${state.cancel.reason}`);
    case 'broke':
      return broke(state, input);
    default:
      // A step that ends in the moment of a cancel is recorded, and then nothing follows it.
      return state.cancel === null ? onStep(state, input) : cancelAfter(onStep(state, input));
  }
}

type StepInput = Exclude<OrderInput, { kind: 'opened' | 'message' | 'refused' | 'stopped' | 'broke' }>;

function opened(state: OrderState, { run, owner }: Extract<OrderInput, { kind: 'opened' }>): OrderDecision {
  const next = then(state, [{ type: 'run_opened', data: { run, owner } }], []);
  if (state.end !== null) return { ...next, commands: [{ kind: 'close', end: state.end }] };
  if (state.cancel !== null)
    return joined(
      next,
      ended(next.state, 'CANCELED', 'cancelled', `Cancelled by ${state.cancel.by}: ${state.cancel.reason}`),
    );
  // The lease is taken again after every opening: it is the order's own already, or free.
  return { ...next, commands: [{ kind: 'take_lease' }] };
}

function onMessage(
  state: OrderState,
  message: Extract<OrderInput, { kind: 'message' }>['message'],
): OrderDecision {
  if (message.kind === 'advice') {
    if (state.adviceIds.includes(message.id)) return { state, events: [], commands: [] };
    const { id, by, text } = message;
    return then(state, [{ type: 'advice_given', data: { id, by, text } }], []);
  }
  if (state.cancel !== null) return { state, events: [], commands: [] };
  const { by, reason } = message;
  return then(state, [{ type: 'cancel_requested', data: { by, reason } }], [{ kind: 'stop_work' }]);
}

function broke(state: OrderState, { step, message }: Extract<OrderInput, { kind: 'broke' }>): OrderDecision {
  const noted = then(state, [{ type: 'step_broke', data: { step, message: message.slice(0, 2000) } }], []);
  return joined(
    noted,
    ended(noted.state, 'FAILED', 'platform', `The step "${step}" could not be done: ${message}`),
  );
}

function onStep(state: OrderState, input: StepInput): OrderDecision {
  switch (input.kind) {
    case 'lease_taken':
      return resumed(then(state, [{ type: 'lease_taken', data: { tookOverFrom: input.tookOverFrom } }], []));
    case 'prepared': {
      if (input.result.kind === 'refused')
        return ended(state, 'FAILED', input.result.code, input.result.message);
      const next = then(state, [{ type: 'prepared', data: { base: input.result.base } }], []);
      return joined(next, startBuild(next.state));
    }
    case 'built': {
      if ('unmendable' in input.result) return ended(state, 'FAILED', 'plan', input.result.unmendable);
      const { end, usage, durationMs, tree } = input.result;
      const data = { iteration: input.iteration, end, usage, durationMs: Math.round(durationMs), tree };
      const next = then(state, [{ type: 'built', data }], []);
      if (end.kind === 'no_access')
        return joined(
          next,
          ended(
            next.state,
            'FAILED',
            'endpoint',
            `${end.detail}. Mend the key or the account, then ${typed`a7-rt order retry ${state.order.id}`}`,
          ),
        );
      return { ...next, commands: [stepOf('snapshot', next.state)] };
    }
    case 'snapshotted': {
      const next = then(
        state,
        [{ type: 'snapshot_taken', data: { iteration: input.iteration, ...input.result } }],
        [],
      );
      return { ...next, commands: [stepOf('verify', next.state)] };
    }
    case 'verified':
      return onVerified(state, input);
    case 'fed_back': {
      const { iteration, digest } = input;
      const next = then(
        state,
        [{ type: 'feedback_given', data: { iteration, digest, repeats: state.repeats } }],
        [],
      );
      return joined(next, startBuild(next.state));
    }
  }
}

/** What a new run of the workflow goes on with: each step finds its stored result. */
function resumed(decision: OrderDecision): OrderDecision {
  const { state } = decision;
  switch (state.status) {
    case 'LEASED':
    case 'QUEUED':
      return state.base === null
        ? { ...decision, commands: [{ kind: 'prepare' }] }
        : joined(decision, startBuild(state));
    case 'BUILDING':
      return { ...decision, commands: [stepOf('build', state)] };
    case 'SNAPSHOTTING':
      return { ...decision, commands: [stepOf('snapshot', state)] };
    case 'VERIFYING':
      return { ...decision, commands: [stepOf('verify', state)] };
    case 'FEEDBACK':
      return joined(decision, afterFailure(state));
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      return decision;
  }
}

function onVerified(
  state: OrderState,
  { iteration, result }: Extract<OrderInput, { kind: 'verified' }>,
): OrderDecision {
  const { unmendable, ...data } = result;
  const next = then(state, [{ type: 'verified', data: { iteration, ...data } }], []);
  if (unmendable !== undefined) return joined(next, ended(next.state, 'FAILED', 'plan', unmendable));
  if (result.verdict === 'PASS')
    return joined(
      next,
      ended(next.state, 'SUCCEEDED', 'pass', `Iteration ${String(iteration)} passed: ${result.headline}`),
    );
  if (result.verdict === 'INVALID' && result.fault === 'platform') {
    return next.state.platformFaults < PLATFORM_FAULTS_MAX
      ? { ...next, commands: [stepOf('verify', next.state)] }
      : joined(
          next,
          ended(next.state, 'FAILED', 'platform', `The clean room could not judge: ${result.headline}`),
        );
  }
  if (result.verdict === 'INVALID' && result.fault === 'manager')
    return joined(
      next,
      ended(next.state, 'FAILED', 'plan', `The gate plan gives no verdict: ${result.headline}`),
    );
  return joined(next, afterFailure(next.state));
}

/** Feedback and another iteration, or the bound that is hit. */
function afterFailure(state: OrderState): OrderDecision {
  const bound = boundHit(state);
  if (bound !== null) return ended(state, 'FAILED', bound.code, bound.message);
  return { state, events: [], commands: [stepOf('feedback', state)] };
}

function startBuild(state: OrderState): OrderDecision {
  const iteration = state.iterations.length + 1;
  const advice = [...state.advice];
  const next = then(state, [{ type: 'build_started', data: { iteration, advice } }], []);
  return { ...next, commands: [stepOf('build', next.state)] };
}

function stepOf(
  kind: 'build' | 'snapshot' | 'verify' | 'feedback',
  state: OrderState,
): Extract<OrderCommand, { kind: 'build' | 'snapshot' | 'verify' | 'feedback' }> {
  const left = Math.max(1000, state.order.limits.timeMs - state.spentMs);
  return {
    kind,
    iteration: state.iterations.length,
    wallMs: kind === 'build' ? Math.min(left, state.order.limits.agentMs) : left,
    advice: state.iterations.at(-1)?.advice ?? [],
    repeats: state.repeats,
  };
}

function cancelAfter(decision: OrderDecision): OrderDecision {
  const { cancel, end } = decision.state;
  if (cancel === null || end !== null) return decision;
  const closed = ended(
    decision.state,
    'CANCELED',
    'cancelled',
    `Cancelled by ${cancel.by}: ${cancel.reason}`,
  );
  return { state: closed.state, events: [...decision.events, ...closed.events], commands: closed.commands };
}

function ended(state: OrderState, status: OrderEnd['status'], code: string, message: string): OrderDecision {
  const end: OrderEnd = { status, code, message: message.slice(0, 2000) };
  return then(state, [{ type: 'order_ended', data: { end } }], [{ kind: 'close', end }]);
}

function then(
  state: OrderState,
  events: readonly OrderEvent[],
  commands: readonly OrderCommand[],
): OrderDecision {
  return { state: events.reduce(applyOrderEvent, state), events, commands };
}

function joined(first: OrderDecision, second: OrderDecision): OrderDecision {
  return {
    state: second.state,
    events: [...first.events, ...second.events],
    commands: [...first.commands, ...second.commands],
  };
}
