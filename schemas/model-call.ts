/**
 * The files of one paid call, `<session>/calls/<key>/` (design part 4): one row a file, made by exclusive create.
 * `reserved.json`, then for each attempt n: `sent-n.json`, and one of `returned-n`, `failed-n`, `unknown-n`, `received-n`.
 */
import { z } from 'zod';
import { ContentRef } from './ids.ts';
import { CallCoordinates, FinishReason, ModelPrice, ModelUsage } from './model.ts';

const AtMs = z.int().min(0);

/** A process that cannot be mistaken for another, even when its pid is used again. */
export const ProcessOwner = z.strictObject({
  bootId: z.string(),
  /** Pid namespace; null where the system has none. */
  namespace: z.string().nullable(),
  pid: z.int().positive(),
  startTime: z.string(),
});
export type ProcessOwner = z.infer<typeof ProcessOwner>;

/** The most that one attempt can cost. `microUsd` is null for an unpriced model. */
export const WorstCase = z.strictObject({ microUsd: z.int().min(0).nullable(), tokens: z.int().min(0) });
export type WorstCase = z.infer<typeof WorstCase>;

export const ReservedRow = z.strictObject({
  kind: z.literal('reserved'),
  key: z.string(),
  scope: z.string(),
  coordinates: CallCoordinates,
  atMs: AtMs,
});

export const SentRow = z.strictObject({
  kind: z.literal('sent'),
  attempt: z.int().positive(),
  requestHash: ContentRef,
  fence: z.int().min(0),
  owner: ProcessOwner,
  modelAlias: z.string(),
  modelId: z.string(),
  price: ModelPrice.nullable(),
  worstCase: WorstCase,
  atMs: AtMs,
  /** After this moment no honest owner still waits; only used where the owner's life cannot be seen. */
  deadlineMs: AtMs,
});
export type SentRow = z.infer<typeof SentRow>;

/** Not billed: refused connection, 429, 5xx before any output. The call is as good as reserved again. */
export const ReturnedRow = z.strictObject({
  kind: z.literal('returned'),
  attempt: z.int().positive(),
  reason: z.string(),
  atMs: AtMs,
});

/** Not billed and not worth a retry before a person changed something. */
export const FailedRow = z.strictObject({
  kind: z.literal('failed'),
  attempt: z.int().positive(),
  code: z.string(),
  message: z.string(),
  atMs: AtMs,
});

/** Nobody can know whether it was billed: charged at its worst case (G6). */
export const UnknownRow = z.strictObject({
  kind: z.literal('unknown'),
  attempt: z.int().positive(),
  reason: z.string(),
  atMs: AtMs,
});

/** Small enough for a Temporal payload. */
export const AnswerSummary = z.strictObject({
  textChars: z.int().min(0),
  /** First words of what is no chat completion. */
  garbage: z.string().max(200).optional(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string() })),
});
export type AnswerSummary = z.infer<typeof AnswerSummary>;

export const ReceivedRow = z.strictObject({
  kind: z.literal('received'),
  attempt: z.int().positive(),
  answerRef: ContentRef,
  summary: AnswerSummary,
  finishReason: FinishReason,
  usage: ModelUsage.nullable(),
  /** Null: the model has no price. */
  costMicroUsd: z.int().min(0).nullable(),
  atMs: AtMs,
});
export type ReceivedRow = z.infer<typeof ReceivedRow>;

export const CallRow = z.discriminatedUnion('kind', [
  ReservedRow,
  SentRow,
  ReturnedRow,
  FailedRow,
  UnknownRow,
  ReceivedRow,
]);
export type CallRow = z.infer<typeof CallRow>;

/**
 * Derived totals of one scope, kept so that a reservation need not read every call. `open` holds the calls whose end
 * is not counted yet, with what was counted of them before. Lost or broken: rebuilt from the rows.
 */
export const BudgetIndex = z.strictObject({
  version: z.literal(1),
  scope: z.string(),
  settledMicroUsd: z.int().min(0),
  settledUnpricedTokens: z.int().min(0),
  open: z.record(z.string(), z.strictObject({ microUsd: z.int().min(0), unpricedTokens: z.int().min(0) })),
});
export type BudgetIndex = z.infer<typeof BudgetIndex>;
