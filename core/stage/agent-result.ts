/** From the end of an agent run to the stage's words for it. */
import type { AgentOutcome } from '../../schemas/agent-io.ts';
import type { AgentResult } from '../../schemas/stage.ts';

const TEXT_MAX_CHARS = 2_000;
const REASONS_MAX = 50;

/** A call that the cap of its stage does not allow. */
export interface CapStand {
  readonly unit: 'micro_usd' | 'tokens';
  readonly spent: number;
  readonly cap: number;
  readonly worstCase: number;
}

/** The result that a dispatch returns to its stage. */
export function agentResultOf(outcome: AgentOutcome): AgentResult {
  const { end, judged, usage } = outcome;
  const iterationsUsed = outcome.turns;
  switch (end.kind) {
    case 'completed':
      return judged.submission === null
        ? { status: 'wild', reason: 'the run completed without a submission', iterationsUsed, usage }
        : {
            status: 'submitted',
            submission: judged.submission,
            ...(outcome.attempts !== undefined && { attempts: outcome.attempts }),
            iterationsUsed,
            usage,
          };
    case 'refused':
      return {
        status: 'failed',
        reasons: end.reasons.slice(0, REASONS_MAX).map(cut),
        reportDigest: judged.last?.reportDigest ?? null,
        attempts: end.attempts,
        suspect: judged.last?.suspect ?? 'code',
        ...(judged.last?.suiteFault === undefined ? {} : { suiteFault: judged.last.suiteFault }),
        tree: judged.last?.tree ?? outcome.tree,
        iterationsUsed,
        usage,
      };
    case 'wild':
      return { status: 'wild', reason: cut(end.reason), iterationsUsed, usage };
    case 'parked':
      return outcome.head === null || outcome.tree === null
        ? { status: 'wild', reason: 'the run parked before it began', iterationsUsed, usage }
        : {
            status: 'parked',
            need: 'question',
            detail: end.question.slice(0, 4_000),
            head: outcome.head,
            tree: outcome.tree,
            usage,
          };
    case 'rested':
      return { status: 'rested', code: end.code, message: cut(end.message), usage };
    case 'budget':
      return { status: 'rested', code: 'BUDGET_REACHED', message: budgetText(end), usage };
    case 'platform':
      return { status: 'platform', reason: cut(end.reason), usage };
    case 'cancelled':
      return { status: 'cancelled', usage };
  }
}

/** Spent, cap, next call's worst case and the way on, in one sentence (design part 10). */
export function budgetText(stand: CapStand): string {
  const show = (amount: number): string =>
    stand.unit === 'tokens' ? `${String(amount)} tokens` : `$${(amount / 1e6).toFixed(4)}`;
  return `Cap reached: spent ${show(stand.spent)} of ${show(stand.cap)}, the next call may cost ${show(stand.worstCase)}. Go on with ${higherCap(stand)}`;
}

/** The flag that `budgetText` ends with; null where a message says no such thing. */
export function higherCapIn(message: string): string | null {
  return /--max-(?:cost|tokens) [\d.]+$/.exec(message)?.[0] ?? null;
}

/** Twice the cap, and enough for the next call. */
function higherCap({ unit, spent, cap, worstCase }: CapStand): string {
  const more = Math.max(2 * cap, spent + worstCase);
  return unit === 'tokens'
    ? `--max-tokens ${String(more)}`
    : `--max-cost ${String(Math.ceil(more / 1e4) / 100)}`;
}

function cut(text: string): string {
  return text.slice(0, TEXT_MAX_CHARS);
}
