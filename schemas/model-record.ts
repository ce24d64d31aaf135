/** What the scripted model server writes down of each request, one JSON object a line (docs/model-script.md). */
import { z } from 'zod';
import { ContentRef } from './ids.ts';
import { CallCoordinates } from './model.ts';

export const ServedRequest = z.strictObject({
  sequence: z.int().positive(),
  atMs: z.int().min(0),
  coordinates: CallCoordinates,
  /** Of messages and tools, as the model port counts it. */
  requestHash: ContentRef,
  model: z.string(),
  streamed: z.boolean(),
  outcome: z.enum(['answer', 'fault', 'refused', 'script_error']),
  /** Rule or fault that was played, or the error's text. */
  detail: z.string(),
  /** Index of the flat rule; null when none was found. */
  rule: z.int().min(0).nullable(),
  /** Whether a real endpoint may charge for it. */
  billable: z.boolean(),
});
export type ServedRequest = z.infer<typeof ServedRequest>;
