/**
 * What goes through a door, written down: reserved before a byte goes out, settled before the last byte goes in (G6).
 *
 *  W1. `sent` names the bound that a call would pass, and then nothing is written and nothing may go out.
 *  W2. A call without an end is charged at its worst case: nobody knows what became of it.
 *  W3. An answer that is kept is given again to the same request of a later attempt, once.
 */
import type { WorstCase } from '../../schemas/model-call.ts';
import type { AgentUsage } from '../../schemas/order.ts';

/** A call that may pass. */
export interface DoorCall {
  /** Of path and question: the same request of another attempt has the same. */
  readonly hash: string;
  readonly path: string;
  readonly bytes: number;
  /** Fields that the agent sent and that do not go out. */
  readonly dropped: readonly string[];
  readonly worst: WorstCase;
}

/** How it ended. */
export interface DoorCallEnd {
  readonly call: number;
  /** 0: no answer came. */
  readonly status: number;
  /** What is charged; null tokens: nobody knows, so the worst case. */
  readonly used: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costMicroUsd: number | null;
  } | null;
  /** A whole answer, kept for a later attempt; null where there is none. */
  readonly answer: { readonly contentType: string; readonly body: Uint8Array } | null;
}

export interface KeptAnswer {
  readonly call: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface DoorRecord {
  /** All calls, also of earlier attempts. */
  usage(): AgentUsage;
  refused(path: string, status: number, message: string): void;
  sent(call: DoorCall): Promise<{ readonly call: number } | { readonly bound: string }>;
  settled(end: DoorCallEnd): Promise<void>;
  takeKept(hash: string): Promise<KeptAnswer | null>;
  /** Everything is on disk; nothing is written any more. */
  close(): Promise<void>;
}
