/** What workflow `workOrder` and its activities exchange. References, not bodies. */
import { z } from 'zod';
import type { BuiltIteration, OrderBase, OrderSnapshot } from './order.ts';
import { OrderAt } from './order.ts';
import { OrderEvent, OrderEnd } from './order-ledger.ts';
import { Fault, Verdict } from './report.ts';
import { GateLevel } from './gate-limits.ts';
import { ContentRef } from './ids.ts';

export const WorkOrderInput = z.strictObject({
  at: OrderAt,
  /** Queue of workers with rooms. */
  roomQueue: z.string(),
  /** Queue of the rooms of agents; absent in what older programs started: the same. */
  agentQueue: z.string().optional(),
  searchable: z.boolean(),
  /** The end sets memo and attribute (decision 0057); absent in what older programs started. */
  tellsOutcome: z.boolean().optional(),
  /** A signal that nobody understands is an event; what older programs started leaves it out. */
  notesRefusals: z.boolean().optional(),
  /** Events of a history after which the order continues as new; absent in what older programs started: never. */
  historyEventsMax: z.int().positive().optional(),
});
export type WorkOrderInput = z.infer<typeof WorkOrderInput>;

export const OpenedOrder = z.strictObject({ events: z.array(OrderEvent), run: z.int().min(1) });
export type OpenedOrder = z.infer<typeof OpenedOrder>;

export const AppendOrder = z.strictObject({
  at: OrderAt,
  run: z.int().min(0),
  fromSeq: z.int().min(1),
  events: z.array(OrderEvent),
});
export type AppendOrder = z.infer<typeof AppendOrder>;

/** A step of one iteration. */
export const IterationStep = z.strictObject({
  at: OrderAt,
  run: z.int().min(1),
  iteration: z.int().min(1),
  /** Longest running time of the step. */
  wallMs: z.int().positive(),
  advice: z.array(z.string()),
  repeats: z.int().min(0),
});
export type IterationStep = z.infer<typeof IterationStep>;

export type PreparedOrder =
  | { readonly kind: 'ready'; readonly base: OrderBase }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export type BuiltResult =
  | Pick<BuiltIteration, 'end' | 'usage' | 'durationMs' | 'tree'>
  /** The base was tried first, and no agent could make it pass: none was started. */
  | { readonly unmendable: string };
export type SnapshotResult = Pick<OrderSnapshot, 'tree' | 'commit'> & {
  readonly changed: number;
  readonly violations: number;
};

export const VerifiedResult = z.strictObject({
  verdict: Verdict,
  level: GateLevel.nullable(),
  fault: Fault.nullable(),
  digest: ContentRef,
  signature: ContentRef.nullable(),
  durationMs: z.int().min(0),
  headline: z.string().max(500),
  /** Why the base cannot pass either, whatever an agent does. */
  unmendable: z.string().max(2000).optional(),
});
export type VerifiedResult = z.infer<typeof VerifiedResult>;

export const OrderOutcome = OrderEnd;
export type OrderOutcome = OrderEnd;

/** Signals of `workOrder`. */
export const OrderMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cancel'), by: z.string().max(100), reason: z.string().max(2000) }),
  z.strictObject({
    kind: z.literal('advice'),
    id: z.string().max(100),
    by: z.string().max(100),
    text: z.string().max(10_000),
  }),
]);
export type OrderMessage = z.infer<typeof OrderMessage>;
