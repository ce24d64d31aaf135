/** Events of an order's ledger: the fold of them is its state (G7). */
import { z } from 'zod';
import { ContentRef, ObjectId } from './ids.ts';
import { SignalRefusal } from './ledger-parts.ts';
import { AgentEnd, AgentUsage, ADVICE_CHARS_MAX, OrderBase, WorkOrder } from './order.ts';
import { Fault, Verdict } from './report.ts';
import { GateLevel } from './gate-limits.ts';

const iteration = z.int().min(1);
const event = <T extends string, D extends z.ZodType>(
  type: T,
  data: D,
): z.ZodObject<{ type: z.ZodLiteral<T>; data: D }, z.core.$strict> =>
  z.strictObject({ type: z.literal(type), data });

export const OrderEnd = z.strictObject({
  status: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED']),
  /** Word of the table in docs/orders.md, for example `budget_iterations`. */
  code: z.string().max(60),
  message: z.string().max(2000),
});
export type OrderEnd = z.infer<typeof OrderEnd>;

export const OrderEvent = z.discriminatedUnion('type', [
  event('order_submitted', z.strictObject({ order: WorkOrder })),
  /** A workflow took the order up; `run` is its fence. */
  event('run_opened', z.strictObject({ run: z.int().min(1), owner: z.string() })),
  event('lease_taken', z.strictObject({ tookOverFrom: z.string().nullable() })),
  event('prepared', z.strictObject({ base: OrderBase })),
  event('build_started', z.strictObject({ iteration, advice: z.array(z.string()) })),
  event(
    'built',
    z.strictObject({
      iteration,
      end: AgentEnd,
      usage: AgentUsage,
      durationMs: z.int().min(0),
      tree: ObjectId,
    }),
  ),
  event(
    'snapshot_taken',
    z.strictObject({
      iteration,
      tree: ObjectId,
      commit: ObjectId,
      changed: z.int().min(0),
      violations: z.int().min(0),
    }),
  ),
  event(
    'verified',
    z.strictObject({
      iteration,
      verdict: Verdict,
      level: GateLevel.nullable(),
      fault: Fault.nullable(),
      digest: ContentRef,
      /** Equal signatures are the same failure. */
      signature: ContentRef.nullable(),
      durationMs: z.int().min(0),
      headline: z.string().max(500),
    }),
  ),
  event('feedback_given', z.strictObject({ iteration, digest: ContentRef, repeats: z.int().min(0) })),
  event(
    'advice_given',
    z.strictObject({
      id: z.string().max(100),
      by: z.string().max(100),
      text: z.string().max(ADVICE_CHARS_MAX),
    }),
  ),
  /** A signal that nobody can understand: told, and no more done with it. */
  event('input_refused', SignalRefusal),
  event('cancel_requested', z.strictObject({ by: z.string().max(100), reason: z.string().max(2000) })),
  event('step_broke', z.strictObject({ step: z.string().max(60), message: z.string().max(2000) })),
  event('order_ended', z.strictObject({ end: OrderEnd })),
  event(
    'promoted',
    z.strictObject({
      kind: z.enum(['branch', 'tag', 'bundle', 'patch']),
      name: z.string().max(1024),
      commit: ObjectId,
    }),
  ),
]);
export type OrderEvent = z.infer<typeof OrderEvent>;
