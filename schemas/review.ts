/** What the role `reviewer` names in code that passed: a finding for manager and person, never a verdict (G2). */
import { z } from 'zod';

export const REVIEW_FINDINGS_MAX = 20;

export const ReviewKind = z.enum([
  /** An answer that is written down instead of computed. */
  'hard_coded',
  /** A table of inputs and their results. */
  'input_table',
  /** A question about where it runs: frames, environment, arguments, files that the contract does not name. */
  'surroundings',
  /** Work that the contract did not ask for. */
  'not_asked',
  /** A promise of the contract that the code does not keep. */
  'not_kept',
  'other',
  /** The reviewer's answer could not be read, so nothing is known. */
  'unreadable',
]);
export type ReviewKind = z.infer<typeof ReviewKind>;

export const ReviewFinding = z.strictObject({
  kind: ReviewKind,
  /** A file of the node; null: it names none that there is. */
  file: z.string().max(500).nullable(),
  /** From 1; null: the file as a whole. */
  line: z.int().min(1).nullable(),
  text: z.string().max(500),
});
export type ReviewFinding = z.infer<typeof ReviewFinding>;

/** A finding as a model writes it: anything may be missing or of another type. */
export const SaidFinding = z.object({
  kind: z.string().catch('other'),
  file: z.string().nullish().catch(null),
  line: z.coerce.number().nullish().catch(null),
  text: z.string().catch(''),
});
export type SaidFinding = z.infer<typeof SaidFinding>;

export const SaidReview = z.object({ findings: z.array(z.unknown()) });
