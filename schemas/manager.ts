/** `manager.json` (seed 001): the running stage for people; there only while a run is open. */
import { z } from 'zod';
import { Planning } from './chronicle.ts';
import { NodeId, StageId } from './ids.ts';
import { ManagerMode } from './stage.ts';

export const Manager = z.strictObject({
  current_stage_id: StageId,
  turn: z.int().min(0),
  manager_max_turns: z.int(),
  drain_turn: z.int(),
  mode: ManagerMode,
  in_flight: z.array(NodeId),
  human_input_queue: z.array(
    z.strictObject({ action: z.string(), detail: z.string(), timestamp: z.string() }),
  ),
  planning: Planning,
  checkpoint_at: z.string().nullable(),
  wild_counts: z.record(NodeId, z.int()),
  pending_commits: z.record(
    NodeId,
    z.strictObject({
      role: z.string(),
      status: z.string(),
      files: z.array(z.string()),
      pr_note: z.string().nullable(),
    }),
  ),
});
export type Manager = z.infer<typeof Manager>;
