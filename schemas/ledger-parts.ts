/** Parts of ledger events that have a name of their own. */
import { z } from 'zod';
import { ManagerAction } from './actions.ts';
import { NodeId } from './ids.ts';

/** One reason why a stage cannot be sealed. */
export const SealBlocker = z.strictObject({
  code: z.enum([
    'NODE_NEAR',
    'NODE_POISONED',
    'NODE_NEEDED',
    'PENDING_RETURN',
    'PENDING_COMMIT',
    'IN_FLIGHT',
    'UNVERIFIED_ASSUMPTION',
    'GATE_FAILED',
    'GATE_INVALID',
    'PROJECT_FAILED',
    'PROJECT_INVALID',
  ]),
  /** Null: the project's gate plan on the whole tree. */
  nodeId: NodeId.nullable(),
  detail: z.string().max(1000),
});
export type SealBlocker = z.infer<typeof SealBlocker>;

export const Tag = z.strictObject({
  tag_id: z.string().max(100),
  node_id: NodeId,
  author_role: z.enum(['builder', 'test_author', 'analyst', 'human']),
  author_turn: z.int().min(0),
  category: z.enum(['quirk', 'order', 'scope', 'perf', 'warning']),
  content: z.string().max(200),
  propagate: z.boolean(),
  confirmed_by: z.array(z.enum(['builder', 'test_author', 'analyst', 'human'])),
});
export type Tag = z.infer<typeof Tag>;

/** Who caused something. */
export const Actor = z.enum(['llm', 'policy', 'human', 'harness']);
export type Actor = z.infer<typeof Actor>;

/** What a person sends; `id` is chosen by the sender, a repeated one is ignored. */
export const HumanInput = z.strictObject({
  id: z.string().min(1).max(100),
  by: z.string().max(200),
  kind: z.enum(['halt', 'text', 'slash', 'answer', 'action']),
  /** halt: reason. text: for the manager. slash: `/halt why`, `/poison NODE why`, `/verify FROM TO`. answer, action: see below. */
  text: z.string().max(4000).default(''),
  /** answer: whose question is answered. */
  nodeId: NodeId.nullable().default(null),
  /** action: the manager's move made by a person. */
  action: ManagerAction.nullable().default(null),
});
export type HumanInput = z.infer<typeof HumanInput>;

/** A signal that nobody can understand. */
export const SignalRefusal = z.strictObject({
  id: z.string().min(1).max(100),
  by: z.string().max(200),
  /** The payload as JSON, cut. */
  shown: z.string().max(1000),
  reason: z.string().max(1000),
});
export type SignalRefusal = z.infer<typeof SignalRefusal>;
