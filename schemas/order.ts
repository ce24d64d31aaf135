/** A work order (seed 003): what was asked for, by which agent, under which bounds. Frozen when it is submitted. */
import { z } from 'zod';
import { ContentRef, ObjectId } from './ids.ts';

/** `20261123-044501-1f2e3d`: sorts by the time of its submission. */
export const OrderId = z.string().regex(/^\d{8}-\d{6}-[0-9a-f]{6}$/, 'must be the id of an order');
export type OrderId = z.infer<typeof OrderId>;

export const TASK_BYTES_MAX = 256 * 1024;
export const ADVICE_CHARS_MAX = 10_000;

export const OrderStatus = z.enum([
  'QUEUED',
  'LEASED',
  'BUILDING',
  'SNAPSHOTTING',
  'VERIFYING',
  'FEEDBACK',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
]);
export type OrderStatus = z.infer<typeof OrderStatus>;

/** Where the work begins. */
export const OrderSource = z.strictObject({
  kind: z.enum(['path', 'url']),
  /** Absolute folder, or the URL that git clones. */
  at: z.string().min(1),
  /** Branch that the work is based on; null: a commit was named. */
  branch: z.string().nullable(),
  /** Commit at the time of submission. */
  commit: ObjectId,
  /** Tree of uncommitted work (`--with-changes`), already in the workspace's store; null: the commit's own. */
  tree: ObjectId.nullable(),
});
export type OrderSource = z.infer<typeof OrderSource>;

/** Agents that there is a driver for. */
export const AGENT_NAMES = [
  'command',
  'native',
  'claude-code',
  'codex',
  'opencode',
  'pi',
  'aider',
  'acp',
] as const;
export const AgentName = z.enum(AGENT_NAMES);
export type AgentName = z.infer<typeof AgentName>;

export const OrderAgent = z.strictObject({
  name: AgentName,
  /** Alias of models.toml or name at the endpoint; null: as configured, or the agent needs none. */
  model: z.string().nullable(),
  baseUrl: z.string().nullable(),
  /** For `command`: a shell command. */
  command: z.string().nullable(),
  /** Folder of the host, shown read-only at /opt/agent. */
  files: z.string().nullable(),
});
export type OrderAgent = z.infer<typeof OrderAgent>;

export const OrderGate = z.strictObject({
  /** `auto`: verify.yaml, else CI, else the language's default. */
  from: z.enum(['auto', 'verify', 'ci', 'default', 'file']),
  /** Text of the named file, for `file`. */
  text: z.string().nullable(),
  file: z.string().nullable(),
});
export type OrderGate = z.infer<typeof OrderGate>;

export const OrderLimits = z.strictObject({
  iterationsMax: z.int().min(1).max(100),
  /** Running time of agent and gate together. */
  timeMs: z.int().positive(),
  /** One turn of the agent. */
  agentMs: z.int().positive(),
  costMicroUsd: z.int().min(0),
  /** For models without a price. */
  tokensMax: z.int().positive(),
  /** Requests to the model in one iteration. */
  requestsMax: z.int().positive(),
});
export type OrderLimits = z.infer<typeof OrderLimits>;

export const OrderPolicy = z.strictObject({
  /** Globs that the agent may change; empty: all but the gate's own files. */
  paths: z.array(z.string()),
  /** Globs that no changed file may match. */
  forbid: z.array(z.string()),
  /** Gate files that this order may change, by name. */
  gateEdits: z.array(z.string()),
  /** Hosts that the agent's room may reach through the forwarder, port 443. */
  networkHosts: z.array(z.string()),
});
export type OrderPolicy = z.infer<typeof OrderPolicy>;

export const WorkOrder = z.strictObject({
  version: z.literal(1),
  id: OrderId,
  createdAt: z.iso.datetime(),
  task: z.string().min(1),
  source: OrderSource,
  /** By repository and base branch, not by path. */
  workspace: z.string().regex(/^[a-zA-Z0-9._-]{1,80}$/),
  agent: OrderAgent,
  gate: OrderGate,
  limits: OrderLimits,
  policy: OrderPolicy,
  /** The order that this one repeats. */
  retryOf: OrderId.nullable(),
});
export type WorkOrder = z.infer<typeof WorkOrder>;

/** What the agent's turn used; cost null where the model has no price. */
export const AgentUsage = z.strictObject({
  calls: z.int().min(0),
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costMicroUsd: z.int().min(0).nullable(),
});
export type AgentUsage = z.infer<typeof AgentUsage>;

/** How an agent's turn ended. Proves nothing about the work: the tree is judged. */
export const AgentEnd = z.strictObject({
  kind: z.enum([
    'ok',
    'refused',
    'model_error',
    /** The endpoint lets nobody in (401, 402, 403): no further turn can help. */
    'no_access',
    'limit',
    'timed_out',
    'output_limit',
    'out_of_memory',
    'crashed',
    'cancelled',
    'lost',
  ]),
  exitCode: z.int().nullable(),
  detail: z.string().max(2000),
});
export type AgentEnd = z.infer<typeof AgentEnd>;

/** Why something that an agent did is not allowed; part of the verdict at L0. */
export const Violation = z.strictObject({
  kind: z.enum([
    'gate_file',
    'compiled',
    'outside_paths',
    'forbidden',
    'refused_entry',
    'tests_removed',
    'too_much',
    'no_change',
  ]),
  path: z.string().max(1024).nullable(),
  text: z.string().max(2000),
});
export type Violation = z.infer<typeof Violation>;

/** `iteration-<n>/built.json`: what came out of the agent's room. */
export const BuiltIteration = z.strictObject({
  iteration: z.int().min(1),
  end: AgentEnd,
  usage: AgentUsage,
  durationMs: z.number().min(0),
  /** Tree of all that could be taken out; the one before where nothing could. */
  tree: ObjectId,
  refused: z.array(z.strictObject({ path: z.string(), reason: z.string() })).max(1000),
  notes: z.string().nullable(),
  /** Versions of what ran. */
  agent: z.string(),
});
export type BuiltIteration = z.infer<typeof BuiltIteration>;

/** `iteration-<n>/snapshot.json`: the immutable identity of an iteration's work. */
export const OrderSnapshot = z.strictObject({
  iteration: z.int().min(1),
  before: z.strictObject({ commit: ObjectId, tree: ObjectId }),
  tree: ObjectId,
  /** Child of the base commit: what a promotion marks. */
  commit: ObjectId,
  /** The same tree on a base without history: what the bundle holds. */
  replayCommit: ObjectId,
  changed: z.array(z.string()),
  /** Where not all are named. */
  changedCount: z.int().min(0).optional(),
  patchDigest: ContentRef,
  violations: z.array(Violation),
});
export type OrderSnapshot = z.infer<typeof OrderSnapshot>;

/** `before.json`: base and frozen plan. */
export const OrderBase = z.strictObject({
  commit: ObjectId,
  tree: ObjectId,
  replayCommit: ObjectId,
  planDigest: ContentRef,
  planFrom: z.string(),
  image: z.string(),
  files: z.int().min(0),
});
export type OrderBase = z.infer<typeof OrderBase>;

/** How a person refers to an order's folder inside an activity. */
export const OrderAt = z.strictObject({ orderId: OrderId });
export type OrderAt = z.infer<typeof OrderAt>;
