/** What is remembered of a node across dispatches: chronicle, retry context, findings; and tombstones of the session (seed 001). */
import { z } from 'zod';
import { NodeId } from './ids.ts';
import { AnalystReport } from './stage.ts';

export const ChronicleEntry = z.strictObject({
  turn: z.int().min(0),
  actor: z.enum(['manager', 'agent', 'analyst', 'harness', 'human']),
  /** Type of the ledger event, for example `dispatched`, `returned`, `committed`. */
  action: z.string(),
  metadata: z.record(z.string(), z.json()),
  manager_thought: z.string().nullable(),
  manager_intent: z.string().nullable(),
  dispatch_seq: z.int().min(0).nullable(),
  timestamp: z.string(),
});
export type ChronicleEntry = z.infer<typeof ChronicleEntry>;

/** Why an earlier attempt did not pass, or what a person said to it. */
export const RetryContext = z.strictObject({
  attempt: z.int().min(0),
  error: z.string(),
  files_written: z.array(z.string()),
});
export type RetryContext = z.infer<typeof RetryContext>;

export const AnalystFinding = AnalystReport.extend({ node_id: NodeId, created_at: z.string() });
export type AnalystFinding = z.infer<typeof AnalystFinding>;

export const Tombstone = z.strictObject({
  node_id: NodeId,
  /** `poisoned by ROOT: why`, `healed by ROOT`, `removed`, `replaced`. */
  reason: z.string(),
  /** global: it is seen from other stages too. */
  scope: z.enum(['local', 'global']),
  timestamp: z.string(),
});
export type Tombstone = z.infer<typeof Tombstone>;

export const Planning = z.strictObject({
  narrative: z.string(),
  checklist: z.array(
    z.strictObject({
      id: z.string(),
      text: z.string(),
      status: z.enum(['pending', 'in_progress', 'satisfied', 'void']),
    }),
  ),
  updated_at: z.int().min(0),
});
export type Planning = z.infer<typeof Planning>;

export const RecentEvent = z.strictObject({
  turn: z.int().min(0),
  action: z.string(),
  node_id: z.string().nullable(),
  timestamp: z.string(),
});
export type RecentEvent = z.infer<typeof RecentEvent>;
