/** Words of a stage: statuses, limits, options, and a node as it is seeded (seed 001, design part 6). */
import { z } from 'zod';
import { RoleAgents } from './agent-choice.ts';
import { ContentRef, NodeId, ProtocolWeight, StageId } from './ids.ts';

export const NodeStatus = z.enum(['near', 'provisional', 'grounded', 'suspended', 'poisoned']);
export type NodeStatus = z.infer<typeof NodeStatus>;

export const NodeType = z.enum(['feature', 'glue', 'test']);
export type NodeType = z.infer<typeof NodeType>;

export const SuspensionType = z.enum(['near', 'far', 'void', 'wild']);
export type SuspensionType = z.infer<typeof SuspensionType>;

/** Lifecycle of the manager: at `drain_turn` no new dispatch, at `manager_max_turns` seal or halt. */
export const ManagerMode = z.enum(['autonomous', 'drain', 'dead']);
export type ManagerMode = z.infer<typeof ManagerMode>;

export const ManagerKind = z.enum(['llm', 'policy', 'human']);
export type ManagerKind = z.infer<typeof ManagerKind>;

/** `<node>.<role initial><n>`, for example `price.money.b7`; n counts over the whole session. Gates are `<node>.g<n>`. */
export const DispatchId = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9_.]*\.[btag]\d+$/, 'must be a node id, a role initial and a number');
export type DispatchId = z.infer<typeof DispatchId>;

/** Bounds of one stage run. Units in the names; defaults are the seed's configuration. */
export const StageLimits = z.strictObject({
  managerMaxTurns: z.int().min(1).max(10_000).default(25),
  drainTurn: z.int().min(1).max(10_000).default(20),
  inFlightMax: z.int().min(1).max(64).default(4),
  provisionalDepthLimit: z.int().min(0).max(100).default(3),
  /** Dollars of the run in millionths; null: no cap in dollars. */
  costCapMicroUsd: z.int().min(0).nullable().default(2_000_000),
  /** Redo of a step that failed by the platform's fault, before the node is suspended. */
  platformFaultsMax: z.int().min(0).max(10).default(2),
});
export type StageLimits = z.infer<typeof StageLimits>;

/** What one run of a stage was told by its caller. */
export const StageOptions = z.strictObject({
  manager: ManagerKind.default('policy'),
  /** The manager takes forced moves too, and they count as turns. */
  strictTurns: z.boolean().default(false),
  /** `run --node ID`: build these and what they need, then rest. Null: all nodes. */
  onlyNodes: z.array(NodeId).nullable().default(null),
  /** A reviewer reads every builder's work that passed. Absent: none is configured. */
  reviewer: z.literal(true).optional(),
  /** Agents that take a role in a room of their own. Absent: none. */
  agents: RoleAgents.optional(),
  limits: StageLimits.prefault({}),
});
export type StageOptions = z.infer<typeof StageOptions>;

/** A node as the decision rules see it at seed time; texts stay in the contracts object. */
export const SeedNode = z.strictObject({
  id: NodeId,
  stage: StageId,
  type: NodeType,
  mode: z.enum(['A', 'B']),
  weight: ProtocolWeight,
  /** `tests: none`: no suite, gated at L0, capped at provisional. */
  noTests: z.boolean(),
  maxRetries: z.int().min(0).max(20),
  structural: z.array(NodeId),
  assumption: z.array(NodeId),
  /** Its code is not committed before a review is answered. */
  requireReview: z.literal(true).optional(),
  /** Hash of the resolved contract: an unchanged one is not touched by a new seed. */
  digest: ContentRef,
});
export type SeedNode = z.infer<typeof SeedNode>;

export const SeedStage = z.strictObject({ id: StageId, name: z.string(), kind: z.enum(['pure', 'io']) });
export type SeedStage = z.infer<typeof SeedStage>;
