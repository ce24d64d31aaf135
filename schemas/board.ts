/** The board (seed 001): all that a manager sees in one turn, computed afresh, no source code. */
import { z } from 'zod';
import { Planning, RecentEvent, Tombstone } from './chronicle.ts';
import { NodeId, StageId } from './ids.ts';
import { ExportedInterface, ManagerMode, NodeStatus, NodeType } from './stage.ts';

export const BoardNode = z.strictObject({
  node_id: NodeId,
  status: NodeStatus,
  type: NodeType,
  description: z.string(),
  interface: z.strictObject({
    exports: z.array(z.string()),
    assumptions: z.array(z.string()),
    raises: z.array(z.string()).nullable(),
    guarantees: z.array(z.string()).nullable(),
  }),
  committed_files: z.array(z.string()),
  poisoned_by: NodeId.nullable(),
  has_test: z.boolean(),
  retry_count: z.int(),
  max_retries: z.int(),
  suspension_reason: z.string().nullable(),
  /** Why its last attempt failed, newest only. */
  last_failure: z.string().nullable(),
  tokens: z.int(),
  exports_preview: z.string().nullable(),
  analyst_findings: z
    .strictObject({ scope: z.string(), confidence: z.string(), summary: z.string(), count: z.int() })
    .nullable(),
  /** Story of the node; in full only for what is in flight. */
  chronicle: z.array(z.strictObject({ turn: z.int(), action: z.string(), detail: z.string() })),
});
export type BoardNode = z.infer<typeof BoardNode>;

const waiting = z.strictObject({
  node_id: NodeId,
  awaiting: z.enum(['validate', 'commit']),
  role: z.string(),
  status: z.string(),
  escalate: z.boolean(),
  pr_note: z.string().nullable(),
  /** What a reviewer named in it; null: it was not read, or not yet. `require_review` holds the commit until it is answered. */
  review: z.array(z.string()).nullable(),
  require_review: z.boolean(),
});

export const Board = z.strictObject({
  lifecycle: z.enum(['new', 'resumed']),
  turn: z.int(),
  manager_max_turns: z.int(),
  drain_turn: z.int(),
  mode: ManagerMode,
  in_flight: z.array(NodeId),
  active_stage: z.strictObject({ stage_id: StageId, name: z.string(), status: z.enum(['active', 'sealed']) }),
  nodes: z.record(NodeId, BoardNode),
  /** Nodes that did not fit, counted by status; empty when all are shown. */
  collapsed: z.partialRecord(NodeStatus, z.int()),
  dependencies: z.array(
    z.strictObject({ from_node: NodeId, to_node: NodeId, type: z.enum(['structural', 'assumption']) }),
  ),
  ready: z.array(NodeId),
  /** Ready nodes behind this page. */
  ready_more: z.int(),
  valid_dispatch_targets: z.array(NodeId),
  global_tombstones: z.array(Tombstone),
  sealed_stages: z.array(
    z.strictObject({
      stage_id: StageId,
      name: z.string(),
      summary: z.string(),
      exported_interfaces: z.record(NodeId, ExportedInterface),
    }),
  ),
  planning: Planning,
  recent_events: z.array(RecentEvent),
  pending_returns: z.record(NodeId, waiting),
  pending_commits: z.record(NodeId, waiting),
  pending_consult: z.strictObject({ verdict: z.string() }).nullable(),
  human_input: z.array(z.strictObject({ action: z.string(), detail: z.string() })),
  last_error: z.string().nullable(),
  resume_warning: z.string().nullable(),
  context_pressure: z.number(),
  token_budget: z.strictObject({
    allocated: z.int(),
    consumed: z.int(),
    nodes_count: z.int(),
    ready_count: z.int(),
  }),
});
export type Board = z.infer<typeof Board>;
