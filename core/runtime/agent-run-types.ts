/** Steps, ends and events of one agent run (agent-run.ts decides on them). */
import type { AgentTurnMeaning } from '../../schemas/agent-turn.ts';
import type { AgentRun, Usage } from '../../schemas/runtime.ts';

export type RunStep =
  | { readonly kind: 'call_model'; readonly turn: number }
  | { readonly kind: 'run_tools'; readonly turn: number }
  /** A run of an agent's program in its room. */
  | { readonly kind: 'run_agent'; readonly turn: number }
  | { readonly kind: 'judge'; readonly turn: number; readonly submit: boolean; readonly tests: boolean }
  | { readonly kind: 'finish'; readonly end: RunEnd };

export type RunEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'refused'; readonly reasons: string[]; readonly attempts: number }
  | { readonly kind: 'wild'; readonly reason: string }
  | { readonly kind: 'parked'; readonly question: string }
  | { readonly kind: 'rested'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'budget';
      readonly unit: 'micro_usd' | 'tokens';
      readonly spent: number;
      readonly cap: number;
      readonly worstCase: number;
    }
  | { readonly kind: 'platform'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** An agent's program has ended. */
export interface AgentRanEvent {
  readonly kind: 'agent_ran';
  /** What it handed in, as a message that calls `submit_pr`. */
  readonly answerRef: string;
  readonly tree: string;
  readonly head: string;
  readonly usage: Usage;
  readonly elapsedMs: number;
  readonly means: AgentTurnMeaning;
}

export type RunEvent =
  | {
      readonly kind: 'answered';
      readonly answerRef: string;
      readonly toolCalls: number;
      readonly isGarbage?: true | undefined;
      readonly garbage?: string | undefined;
      readonly cutAt?: number | undefined;
      readonly raisesTo?: number | undefined;
      readonly model?: string | undefined;
      readonly elapsedMs?: number | undefined;
      readonly unknownAttempts: number;
      readonly usage: Usage;
    }
  | { readonly kind: 'ended'; readonly end: RunEnd }
  | AgentRanEvent
  | {
      readonly kind: 'tools_ran';
      readonly tree: string;
      readonly head: string;
      readonly submit: boolean;
      readonly tests: number;
      readonly suspension: { readonly type: 'near' | 'far' | 'void'; readonly detail: string } | null;
      readonly gaveUp?: true | undefined;
      /** Why the task ends: the same call gave the same result too often. */
      readonly repeated?: string | undefined;
      readonly elapsedMs?: number | undefined;
    }
  | {
      readonly kind: 'judged';
      readonly head: string;
      /** Null when only tests were run. */
      readonly accepted: boolean | null;
      readonly reasons: readonly string[];
      readonly testRuns: number;
      /** Whoever judged gives the task back: nobody's attempt is charged. */
      readonly giveBack: string | null;
      /** Refused without a charge: the task goes on and the attempt does not count. The turns bound it. */
      readonly isFree?: true | undefined;
      readonly elapsedMs?: number | undefined;
    };

export interface RunAndStep {
  readonly run: AgentRun;
  readonly step: RunStep;
}
