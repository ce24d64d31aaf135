/** A locked suite: what code is judged against, and in Mode B the surface that was frozen with it (design part 6). */
import { z } from 'zod';
import { ContentRef, NodeId, ObjectId } from './ids.ts';
import { LockedSuite } from './report.ts';
import { DispatchId } from './stage.ts';

export const SuiteRecord = z.strictObject({
  nodeId: NodeId,
  version: z.int().min(1),
  dispatchId: DispatchId,
  /** Tree that holds the suite's files. */
  tree: ObjectId,
  reportDigest: ContentRef,
  locked: LockedSuite,
  /** Mode B: the exports that the suite froze; null in Mode A. */
  exports: z.array(z.string()).nullable(),
  testContract: z.string().nullable(),
});
export type SuiteRecord = z.infer<typeof SuiteRecord>;

/** What an accepted completion attempt left for the commit: found by dispatch id, written before the agent returns. */
export const AcceptedWork = z.strictObject({
  dispatchId: DispatchId,
  nodeId: NodeId,
  tree: ObjectId,
  /** Digest of the gate's report; null for analysts. */
  reportDigest: ContentRef.nullable(),
  /** Test authors only. */
  locked: LockedSuite.nullable(),
  exports: z.array(z.string()).nullable(),
  testContract: z.string().nullable(),
});
export type AcceptedWork = z.infer<typeof AcceptedWork>;

/** The files of a locked suite, beside its record: they outlive the store of trees. */
export const SuiteFiles = z.array(
  z.strictObject({ path: z.string(), base64: z.string(), executable: z.boolean() }),
);
export type SuiteFiles = z.infer<typeof SuiteFiles>;
