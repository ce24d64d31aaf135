/**
 * The model port: one paid call, answered at most once (design parts 4, 7 and 10; temporal.md 6.4).
 *
 * Contract of every adapter:
 *  M1. A key that has an answer is never sent again; the stored answer comes back.
 *  M2. What may be billed is written down before the first byte goes out, and its answer before `call` returns.
 *  M3. Expected failure is a value. Nothing is retried here: the caller's retry finds the same key.
 *  M4. `rested` and `budget` leave every counter as it was: no attempt, no spending.
 *  M5. The API key never leaves the adapter: not in results, errors, files or logs.
 *  M6. Aborting the signal stops waiting, never a request that was already sent: its answer is stored for the next attempt.
 */
import type { ToolCalls } from '../../schemas/config.ts';
import type { AnswerSummary } from '../../schemas/model-call.ts';
import type {
  CallCoordinates,
  ChatMessage,
  ChatTool,
  FinishReason,
  ModelPrice,
  ModelUsage,
} from '../../schemas/model.ts';

/** A configured model. */
export interface ModelTarget {
  /** Name in the configuration, for people. */
  readonly alias: string;
  /** Name at the endpoint. */
  readonly modelId: string;
  /** For example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly maxOutputTokens: number;
  /** What `maxOutputTokens` was before it was raised: where the endpoint refuses the raised one, it is used. */
  readonly usualOutputTokens?: number;
  /** Null: unpriced, capped by tokens, cost reads `unknown`. */
  readonly price: ModelPrice | null;
  readonly supportsTools: boolean;
  /** How tool calls are asked for. Absent: native. */
  readonly toolCalls?: ToolCalls;
  /** Where the key is: the environment variable first, then the first line of the file. */
  readonly apiKey: { readonly envName: string; readonly filePath: string | null };
}

/** The cap of a stage: all calls whose key lies under `scope` count. */
export interface ModelCap {
  /** Leading segments of the key, for example `core`. */
  readonly scope: string;
  readonly maxCostMicroUsd: number;
  /** Bound for calls of models without a price. */
  readonly maxTokensWhenUnpriced: number;
}

export interface ModelRequest {
  /** Application coordinates with `/`, for example `core/price.money/2/7`; the same for every attempt. */
  readonly key: string;
  /** Absolute path of the session folder. */
  readonly sessionDir: string;
  /** Fencing epoch of the session, stored with each attempt. */
  readonly fence: number;
  readonly coordinates: CallCoordinates;
  readonly model: ModelTarget;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly cap: ModelCap;
  /** What to do when an earlier attempt may have been billed without an answer. */
  readonly onUnknown: 'repay_once' | 'halt';
}

/** A sign of life, at least once a second while `call` runs. */
export interface ModelProgress {
  readonly phase: 'waiting' | 'receiving' | 'attached';
  /** Bytes of the answer so far. */
  readonly bytes: number;
}

export interface ModelCallOptions {
  readonly signal?: AbortSignal;
  /** Must not throw. */
  readonly onProgress?: (progress: ModelProgress) => void;
  /** False when another owner took the session over. Asked right before sending and before returning. Default: always true. */
  readonly checkFence?: () => Promise<boolean>;
}

export type RestCode =
  | 'auth'
  | 'forbidden'
  | 'payment_required'
  | 'not_found'
  | 'bad_request'
  | 'context_length'
  | 'tools_unsupported';

/** Money and tokens of a scope against its cap. `Tokens` count unpriced calls only. */
export interface BudgetStand {
  readonly unit: 'micro_usd' | 'tokens';
  readonly spent: number;
  /** Worst case of the calls that are under way. */
  readonly reserved: number;
  readonly cap: number;
  /** Worst case of the call that was asked for. */
  readonly worstCase: number;
}

export type ModelOutcome =
  | {
      readonly kind: 'answered';
      readonly answerRef: string;
      readonly summary: AnswerSummary;
      /** Null when the endpoint told none; then the worst case was charged. */
      readonly usage: ModelUsage | null;
      /** Null: unpriced model. Includes nothing of earlier unknown attempts. */
      readonly costMicroUsd: number | null;
      readonly finishReason: FinishReason;
      /** From sending to the whole answer. */
      readonly elapsedMs: number;
      /** True when the answer was there already. */
      readonly stored: boolean;
      /** Earlier attempts of this key that may have been billed for nothing. */
      readonly unknownAttempts: number;
      /** What those are charged: their worst case; 0 where the model has no price. */
      readonly unknownMicroUsd: number;
    }
  /** The stage rests until a person acts. */
  | { readonly kind: 'rested'; readonly code: RestCode; readonly message: string; readonly nextStep: string }
  | ({ readonly kind: 'budget' } & BudgetStand)
  /** Not billed; try again. `afterMs` honours Retry-After; null where the endpoint asked for no wait. */
  | { readonly kind: 'retry'; readonly afterMs: number | null; readonly reason: string }
  /** May be billed, and policy does not pay (again). */
  | { readonly kind: 'unknown'; readonly reason: string; readonly attempts: number }
  /** The key was used for another request: the caller builds its prompts nondeterministically. */
  | { readonly kind: 'conflict'; readonly storedHash: string; readonly requestHash: string }
  | { readonly kind: 'fence_lost' }
  /** `sent`: the request goes on and its answer will be stored. */
  | { readonly kind: 'cancelled'; readonly sent: boolean };

export interface ModelPort {
  /** See M1 to M6. @throws only for broken invariants (bad key, unreadable rows, full disk). */
  call(request: ModelRequest, options?: ModelCallOptions): Promise<ModelOutcome>;
  /** Number of requests that this process has sent and not yet settled. */
  inFlight(): number;
  /** Waits at most `graceMs` for sent requests, then abandons the rest as unknown; returns how many were abandoned. */
  close(graceMs: number): Promise<number>;
}
