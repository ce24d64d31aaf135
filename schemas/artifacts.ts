/** Records beside the artifacts of a run, `<session>/runs/r<run>/<step>/…` (design part 8, docs/session-layout.md). */
import { z } from 'zod';
import { ContentRef, NodeId, ObjectId, Role } from './ids.ts';
import { Fault, GateSubject, Verdict } from './report.ts';
import { Signature } from './signature.ts';

/** `iteration.json`: what one verification was for and how it ended. It is written with the folder, whole or not at all. */
export const IterationRecord = z.strictObject({
  version: z.literal(1),
  run: z.int().min(1),
  /** Dispatch, gate or `seal-<node>`. */
  step: z.string(),
  /** Who asked: an agent's completion attempt or its `run_test`, or the stage. */
  purpose: z.enum(['attempt', 'test_run', 'regate', 'seal']),
  role: Role.nullable(),
  /** Turn of the agent whose message asked; null where no agent did. */
  turn: z.int().min(1).nullable(),
  node: NodeId,
  kind: GateSubject.shape.kind,
  verdict: Verdict,
  fault: Fault.nullable(),
  reportDigest: ContentRef,
  /** True: a stored report of the same key answered, nothing ran. */
  cached: z.boolean(),
  /** Every other file of the folder, by name. */
  files: z.record(z.string(), ContentRef),
});
export type IterationRecord = z.infer<typeof IterationRecord>;

/** `snapshot.json`: the trees of the session's store that the work is made of. */
export const SnapshotRecord = z.strictObject({
  version: z.literal(1),
  /** What the agent had written when it asked. */
  work: ObjectId,
  /** What it started from. */
  start: ObjectId,
  /** The whole candidate: branch, work, suite. Null where nothing was judged. */
  candidate: ObjectId.nullable(),
  /** What was laid into the clean room. */
  projection: ObjectId.nullable(),
  baseCommit: ObjectId.nullable(),
  changed: z.array(z.string()),
});
export type SnapshotRecord = z.infer<typeof SnapshotRecord>;

/** `files.json` of each folder of artifacts: what belongs there, signed by the home that wrote it. */
export const FolderRecord = z.strictObject({
  version: z.literal(1),
  /** By name; of a step only the files beside its folders. */
  files: z.record(z.string(), ContentRef),
  /** Over this record without it, and the folder's path below `runs/`. */
  signature: Signature.optional(),
});
export type FolderRecord = z.infer<typeof FolderRecord>;
