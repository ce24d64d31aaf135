/** `master.json` (seed 001): the durable document of a session, a projection of the ledger up to `seq` (G7). */
import { z } from 'zod';
import { AnalystFinding, ChronicleEntry, RetryContext, Tombstone } from './chronicle.ts';
import { ViewSpec } from './contract.ts';
import { ContentRef, NodeId, ProtocolWeight, StageId } from './ids.ts';
import { Tag } from './ledger.ts';
import { ExportedInterface, NodeStatus, NodeType, SuspensionType } from './stage.ts';

export const MasterInterface = z.strictObject({
  exports: z.array(z.string()),
  assumptions: z.array(z.string()),
  raises: z.array(z.string()),
  guarantees: z.array(z.string()),
});
export type MasterInterface = z.infer<typeof MasterInterface>;

export const MasterMetadata = z.strictObject({
  tokens: z.int(),
  lines: z.int(),
  content_hash: z.string().nullable(),
  first_export_preview: z.string().nullable(),
  plumbing_summary: z.string().nullable(),
  computed_at: z.string().nullable(),
  iteration_history: z.array(z.int()),
  avg_iterations: z.number(),
  chronicle: z.array(ChronicleEntry),
  analyst_findings: z.array(AnalystFinding),
});
export type MasterMetadata = z.infer<typeof MasterMetadata>;

export const MasterNode = z.strictObject({
  node_id: NodeId,
  stage_id: StageId,
  type: NodeType,
  status: NodeStatus,
  protocol_weight: ProtocolWeight,
  description: z.string(),
  interface: MasterInterface,
  structural_deps: z.array(NodeId),
  assumption_deps: z.array(NodeId),
  suspension_reason: z.strictObject({ type: SuspensionType, detail: z.string() }).nullable(),
  content_file: z.string(),
  created_at: z.string(),
  retry_count: z.int().min(0),
  max_retries: z.int().min(0),
  retry_context: z.array(RetryContext),
  pr_note: z.string().nullable(),
  test_contract: z.string().nullable(),
  committed_files: z.array(z.string()),
  tags: z.array(Tag),
  view_spec: ViewSpec,
  metadata: MasterMetadata,
  metadata_map: z.record(z.string(), z.json()),
  /** Root of its poisoning; only while poisoned as a victim. */
  poisoned_by: NodeId.optional(),
});
export type MasterNode = z.infer<typeof MasterNode>;

export const MasterStage = z.strictObject({
  stage_id: StageId,
  name: z.string(),
  status: z.enum(['active', 'sealed']),
  node_ids: z.array(NodeId),
  sealed_at: z.string().nullable(),
  summary: z.string().nullable(),
  exported_interfaces: z.record(NodeId, ExportedInterface),
});
export type MasterStage = z.infer<typeof MasterStage>;

export const Master = z.strictObject({
  /** Sequence number of the last line folded, and its hash. */
  seq: z.int().min(0),
  head_hash: ContentRef,
  project: z.strictObject({
    project_id: z.string(),
    name: z.string(),
    description: z.string(),
    created_at: z.string(),
    stage_ids: z.array(StageId),
    manager_max_turns: z.int(),
    drain_turn: z.int(),
    provisional_depth_limit: z.int(),
  }),
  stages: z.record(StageId, MasterStage),
  nodes: z.record(NodeId, MasterNode),
  dependencies: z.array(
    z.strictObject({
      from_node: NodeId,
      to_node: NodeId,
      type: z.enum(['structural', 'assumption']),
      verified: z.boolean(),
      discovered_by: z.enum(['human', 'subagent']),
    }),
  ),
  graveyard: z.array(Tombstone),
});
export type Master = z.infer<typeof Master>;
