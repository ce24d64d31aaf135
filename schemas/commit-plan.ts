/** What a commit will be, fixed and stored before the branch moves: a retry repeats exactly this. */
import { z } from 'zod';
import { ContentRef, ObjectId } from './ids.ts';

export const CommitPlan = z.strictObject({
  expectedHead: ObjectId.nullable(),
  tree: ObjectId,
  dateSeconds: z.int().min(0),
  tier: z.string(),
  isolation: z.string(),
  /** Where the ledger stood; absent in plans older than the trailer. */
  ledger: z.strictObject({ seq: z.int().min(1), hash: ContentRef }).optional(),
});
export type CommitPlan = z.infer<typeof CommitPlan>;
