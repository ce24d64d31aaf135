/**
 * What a failed activity means for an agent run: cancelled, an endpoint that stays away, or the platform's fault; anything
 * else is a bug and is thrown on.
 */
import { ActivityFailure, ApplicationFailure, isCancellation, rootCause } from '@temporalio/workflow';
import type { AgentOutcome } from '../schemas/agent-io.ts';

const REASON_CHARS_MAX = 500;
/** Another run owns the session now: this one ends without an outcome of its own. What is damaged is a platform's fault, and says so. */
const NOT_AN_OUTCOME = ['FenceLost', 'LedgerDiverged'];

/** The end that `error` stands for; null when the workflow must fail. */
export function endOfFailure(error: unknown): AgentOutcome['end'] | null {
  if (isCancellation(error)) return { kind: 'cancelled' };
  if (!(error instanceof ActivityFailure)) return null;
  if (error.cause instanceof ApplicationFailure && NOT_AN_OUTCOME.includes(error.cause.type ?? '')) {
    return { kind: 'cancelled' };
  }
  // No answer was had and nothing was billed: a person looks at network and endpoint, and no counter moves.
  if (error.cause instanceof ApplicationFailure && error.cause.type === 'ModelBusy')
    return unavailable(error);
  return { kind: 'platform', reason: reasonOf(error) };
}

/** A model call that was tried as often as it may be: the stage rests until somebody has looked. */
export function unavailable(error: unknown): { kind: 'rested'; code: 'unavailable'; message: string } {
  const next = 'Look at the network, the endpoint and --base-url, then run again; no attempt is counted';
  return { kind: 'rested', code: 'unavailable', message: `${reasonOf(error)}. ${next}` };
}

/** One bounded line for an error. */
export function reasonOf(error: unknown): string {
  return (rootCause(error) ?? 'unknown failure').slice(0, REASON_CHARS_MAX);
}
