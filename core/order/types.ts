/** State of a work order and what moves it. The state is exactly the fold of its ledger. */
import type { AgentEnd, AgentUsage, OrderBase, OrderStatus, WorkOrder } from '../../schemas/order.ts';
import type {
  BuiltResult,
  OrderMessage,
  PreparedOrder,
  SnapshotResult,
  VerifiedResult,
} from '../../schemas/order-io.ts';
import type { SignalRefusal } from '../../schemas/ledger-parts.ts';
import type { OrderEnd, OrderEvent } from '../../schemas/order-ledger.ts';

export interface IterationState {
  readonly iteration: number;
  /** What people said since the iteration before. */
  readonly advice: readonly string[];
  readonly end: AgentEnd | null;
  readonly usage: AgentUsage | null;
  readonly tree: string | null;
  readonly commit: string | null;
  readonly changed: number;
  readonly violations: number;
  readonly verdict: 'PASS' | 'FAIL' | 'INVALID' | null;
  readonly headline: string | null;
}

export interface OrderState {
  readonly seq: number;
  readonly run: number;
  readonly order: WorkOrder;
  readonly status: OrderStatus;
  readonly base: OrderBase | null;
  readonly iterations: readonly IterationState[];
  /** Running time of agent and gate. */
  readonly spentMs: number;
  readonly usage: AgentUsage;
  /** Advice that no iteration has been told yet. */
  readonly advice: readonly string[];
  readonly adviceIds: readonly string[];
  /** Failure of the last verification, and how often in a row it was the same. */
  readonly lastSignature: string | null;
  readonly repeats: number;
  readonly platformFaults: number;
  /** What was typed last and nobody could understand. */
  readonly refused: readonly SignalRefusal[];
  readonly cancel: { readonly by: string; readonly reason: string } | null;
  readonly end: OrderEnd | null;
  readonly tookOverFrom: string | null;
  readonly promotions: readonly { readonly kind: string; readonly name: string; readonly commit: string }[];
}

export type OrderCommand =
  | { readonly kind: 'take_lease' }
  | { readonly kind: 'prepare' }
  | {
      readonly kind: 'build' | 'snapshot' | 'verify' | 'feedback';
      readonly iteration: number;
      readonly wallMs: number;
      readonly advice: readonly string[];
      readonly repeats: number;
    }
  /** Ends what is under way; a `stopped` follows. */
  | { readonly kind: 'stop_work' }
  | { readonly kind: 'close'; readonly end: OrderEnd };

export type OrderInput =
  | { readonly kind: 'opened'; readonly run: number; readonly owner: string }
  | { readonly kind: 'message'; readonly message: OrderMessage }
  | { readonly kind: 'refused'; readonly refusal: SignalRefusal }
  | { readonly kind: 'lease_taken'; readonly tookOverFrom: string | null }
  | { readonly kind: 'prepared'; readonly result: PreparedOrder }
  | { readonly kind: 'built'; readonly iteration: number; readonly result: BuiltResult }
  | { readonly kind: 'snapshotted'; readonly iteration: number; readonly result: SnapshotResult }
  | { readonly kind: 'verified'; readonly iteration: number; readonly result: VerifiedResult }
  | { readonly kind: 'fed_back'; readonly iteration: number; readonly digest: string }
  /** A step that was stopped on request. */
  | { readonly kind: 'stopped' }
  /** A step that no retry could mend. */
  | { readonly kind: 'broke'; readonly step: string; readonly message: string };

export interface OrderDecision {
  readonly state: OrderState;
  readonly events: readonly OrderEvent[];
  readonly commands: readonly OrderCommand[];
}
