/** What a gate report tells each role: fields of known values (gate.md part 6). */
import { z } from 'zod';
import { Counterexample } from './gate-wall.ts';
import { FindingCode, OutcomeClass, StubKind, Verdict } from './report.ts';
import { Frame } from './runner-report.ts';

/** What a builder is told: known values only (gate.md part 6). */
export const FeedbackItem = z.strictObject({
  exportName: z.string().nullable(),
  clauseId: z.string().nullable(),
  clauseText: z.string().nullable(),
  outcome: OutcomeClass.nullable(),
  exceptionType: z.string().nullable(),
  place: Frame.nullable(),
  /** The gate's own words for what is no test: a missing export, a limit, a forbidden file. */
  note: z.string().nullable(),
  /** The limit that was hit: name, value, unit. */
  limit: z.strictObject({ name: z.string(), value: z.number(), unit: z.string() }).optional(),
  /** With the wall, at most one a clause: what the builder's own code was given and what it gave back. */
  counterexample: Counterexample.optional(),
});
export type FeedbackItem = z.infer<typeof FeedbackItem>;

export const BuilderFeedback = z.strictObject({
  role: z.literal('builder'),
  verdict: Verdict,
  charged: z.boolean(),
  suspect: z.literal('suite').nullable(),
  items: z.array(FeedbackItem),
  /** Items left out by the bound. */
  moreItems: z.int().min(0),
});
export type BuilderFeedback = z.infer<typeof BuilderFeedback>;

/** What a test author is told: its own tests, stubs and places; never an implementation. */
export const AuthorFeedbackItem = z.strictObject({
  code: FindingCode,
  text: z.string(),
  test: z.string().nullable(),
  stub: StubKind.nullable(),
  clauseId: z.string().nullable(),
  clauseText: z.string().nullable(),
  exportName: z.string().nullable(),
  place: Frame.nullable(),
});
export type AuthorFeedbackItem = z.infer<typeof AuthorFeedbackItem>;

export const AuthorFeedback = z.strictObject({
  role: z.literal('test_author'),
  verdict: Verdict,
  charged: z.boolean(),
  items: z.array(AuthorFeedbackItem),
  moreItems: z.int().min(0),
});
export type AuthorFeedback = z.infer<typeof AuthorFeedback>;
