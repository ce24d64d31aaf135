/** What the mutation check of a node's code found: how many small changes of the code its suite notices. */
import { z } from 'zod';

export const MutationOperator = z.enum([
  'comparison',
  'condition',
  'arithmetic',
  'logic',
  'constant',
  'return',
  'raise',
  'call',
  'loop',
  'text',
  'answer',
]);
export type MutationOperator = z.infer<typeof MutationOperator>;

/**
 * `killed`: a failed assertion of the suite, and nothing else; `raised`: red without one. Of a hard-coded export: `unreached` when it is
 * green and never ran, `spared` when another constant of it was not green.
 */
export const MutantOutcome = z.enum([
  'killed',
  'survived',
  'raised',
  'timed_out',
  'not_run',
  'spared',
  'unreached',
]);
export type MutantOutcome = z.infer<typeof MutantOutcome>;

/** What came of an export that always gave the only answer that the suite had got from it. */
export const AnswerOutcome = z.strictObject({
  kind: z.literal('answer'),
  exportName: z.string().max(300),
  outcome: MutantOutcome,
});
export type AnswerOutcome = z.infer<typeof AnswerOutcome>;

/** One JSON object a line in `/out/report.jsonl`; hostile, so it is read with limits. `index` 0 is the code unchanged. */
export const MutationLine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('start'), nonce: z.string().max(100) }),
  z.strictObject({ kind: z.literal('mutant'), index: z.int().min(0).max(10_000), outcome: MutantOutcome }),
  AnswerOutcome,
  z.strictObject({ kind: z.literal('end'), nonce: z.string().max(100) }),
]);
export type MutationLine = z.infer<typeof MutationLine>;
