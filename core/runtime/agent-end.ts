/**
 * What the end of an agent's program means for its task. What it says of itself proves nothing: its tree is judged, unless
 *  E1. the endpoint lets nobody in, or the cap is reached: a person must act, and nothing is counted;
 *  E2. it gives the task back in words;
 *  E3. it broke and left nothing: there is nothing to judge;
 *  E4. what it handed in cannot be read: a refused attempt that says so.
 */
import type { AgentTurnMeaning } from '../../schemas/agent-turn.ts';
import type { CapReached } from '../../schemas/model.ts';
import type { AgentEnd } from '../../schemas/order.ts';
import type { Suspension } from '../../schemas/submit-pr.ts';

export interface AgentEndFacts {
  readonly end: AgentEnd;
  readonly isChanged: boolean;
  /** Own files that could not be taken, with the reason. */
  readonly refused: readonly string[];
  /** What it handed in beside its tree. */
  readonly handed:
    | { readonly kind: 'submit' }
    | { readonly kind: 'suspend'; readonly suspension: Suspension }
    | { readonly kind: 'unreadable'; readonly message: string };
  /** The cap that a call would have passed. */
  readonly cap: CapReached | null;
}

/** What the endpoint's status means for a person. */
const CODES = [
  ['402', 'payment_required'],
  ['403', 'forbidden'],
] as const;

/** Ends by which a program did what it meant to do. */
const WHOLE: ReadonlySet<AgentEnd['kind']> = new Set(['ok', 'refused']);

export function meaningOf({ end, isChanged, refused, handed, cap }: AgentEndFacts): AgentTurnMeaning {
  if (end.kind === 'no_access') {
    const message = `${end.detail}. Mend the key or the account, then run again`;
    return over({
      kind: 'rested',
      code: CODES.find(([status]) => end.detail.includes(status))?.[1] ?? 'auth',
      message,
    });
  }
  if (cap !== null) return over(cap);
  if (handed.kind === 'suspend') {
    const { type, detail } = handed.suspension;
    return { kind: 'suspended', type, detail };
  }
  if (!WHOLE.has(end.kind) && !isChanged) {
    const message = `The agent ended (${end.kind}) and left nothing: ${end.detail.slice(0, 1000)}`;
    return end.kind === 'model_error'
      ? over({ kind: 'rested', code: 'agent_model', message })
      : over({ kind: 'wild', reason: message });
  }
  if (refused.length > 0)
    return { kind: 'unreadable', reasons: [`Some of your files cannot be taken: ${refused.join('; ')}`] };
  if (handed.kind === 'unreadable') return { kind: 'unreadable', reasons: [handed.message] };
  return { kind: 'handed_in' };
}

function over(end: Extract<AgentTurnMeaning, { kind: 'over' }>['end']): AgentTurnMeaning {
  return { kind: 'over', end };
}
