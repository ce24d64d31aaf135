/** What a commit will be, fixed and stored before the branch moves: a retry repeats exactly this. */
import { z } from 'zod';
import { ObjectId } from './ids.ts';

export const CommitPlan = z.strictObject({
  expectedHead: ObjectId.nullable(),
  tree: ObjectId,
  dateSeconds: z.int().min(0),
  tier: z.string(),
  isolation: z.string(),
});
export type CommitPlan = z.infer<typeof CommitPlan>;
