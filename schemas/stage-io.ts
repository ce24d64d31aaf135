/** What `buildStage` and its activities pass to each other: references and small values (design part 4). */
import { z } from 'zod';
import { ManagerAction } from './actions.ts';
import { ContentRef, NodeId, ObjectId, StageId } from './ids.ts';
import { LedgerEvent } from './ledger.ts';
import { CallRested, CapReached } from './model.ts';
import { REVIEW_FINDINGS_MAX, ReviewFinding } from './review.ts';
import { CommitIntent, DispatchId, ExportedInterface, GateOutcome, StageOptions } from './stage.ts';

/** Which session and stage; the same for every run of it. */
export const StageCoordinates = z.strictObject({
  sessionDir: z.string().min(1),
  sessionId: z.string().min(1),
  stageId: StageId,
});
export type StageCoordinates = z.infer<typeof StageCoordinates>;

/** Events of history at which workflows continue as new (design part 4). */
export const HistoryBounds = z.strictObject({
  /** Stage: continue as new when nothing is in flight. Default 4,000. */
  stageSoftMax: z.int().positive(),
  /** Stage: nothing new is started until then. Default 10,000. */
  stageHardMax: z.int().positive(),
  /** Agent: continue as new at the next turn. Default 2,000. */
  agentMax: z.int().positive(),
});
export type HistoryBounds = z.infer<typeof HistoryBounds>;

/** Input of the workflow `buildStage`. `carry` is set by continue-as-new. */
export const BuildStageInput = z.strictObject({
  at: StageCoordinates,
  options: StageOptions,
  /** Task queue of the workers that have sandboxes. */
  sandboxQueue: z.string().min(1),
  /** Queue of the rooms of agents. Default: the same, as in runs that older programs started. */
  agentQueue: z.string().min(1).optional(),
  /** The server has our search attributes. Default false. */
  searchable: z.boolean().optional(),
  /** How long a stage waits for a person before it halts. Default 7 days. */
  humanWaitMs: z.int().positive(),
  /** An intent and its commit are one step. Runs that older programs started do not say so, and keep two. */
  joinsCommits: z.boolean().optional(),
  /** An agent's opening and its first model call are one step. Runs that older programs started do not say so. */
  joinsOpenings: z.boolean().optional(),
  /** What the ids of its agents begin with. Default `a7/SESSION/STAGE`, as older programs named them. */
  idPrefix: z.string().min(1).optional(),
  /** Its end is told as memo and search attribute. Runs that older programs started do not say so. */
  tellsOutcome: z.boolean().optional(),
  /** Default: the workflows' own. */
  historyBounds: HistoryBounds.optional(),
  carry: z.strictObject({ run: z.int().min(1) }).nullable(),
});
export type BuildStageInput = z.infer<typeof BuildStageInput>;

/** How a stage run ended. */
export const StageOutcome = z.strictObject({
  status: z.enum(['sealed', 'halted', 'rested']),
  code: z.string(),
  message: z.string(),
});
export type StageOutcome = z.infer<typeof StageOutcome>;

/** State is handed over inline up to 16 KiB, else as an object read in pieces under 1 MB. */
export const OpenStageResult = z.strictObject({
  /** Ordinal that the new run gets: the last one plus one. */
  run: z.int().min(1),
  lifecycle: z.enum(['new', 'resumed', 'taken_over']),
  takeOverReason: z.string().nullable(),
  head: ObjectId.nullable(),
  state: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('inline'), json: z.string() }),
    z.strictObject({ kind: z.literal('ref'), ref: ContentRef, pieces: z.int().min(1) }),
  ]),
});
export type OpenStageResult = z.infer<typeof OpenStageResult>;

export const AppendLedgerInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(0),
  fromSeq: z.int().min(1),
  events: z.array(LedgerEvent).min(1),
});
export type AppendLedgerInput = z.infer<typeof AppendLedgerInput>;

export const AskManagerInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  turn: z.int().min(0),
  /** Events folded when it was asked: part of the call's key. */
  seq: z.int().min(0),
  /** Human inputs that the board shows. */
  inputIds: z.array(z.string()),
});
export type AskManagerInput = z.infer<typeof AskManagerInput>;

export const ManagerAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answered'),
    answer: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('action'), action: ManagerAction }),
      z.strictObject({ kind: z.literal('garbage'), text: z.string(), reason: z.string() }),
    ]),
    callKey: z.string(),
    costMicroUsd: z.int().min(0).nullable(),
    unknownAttempts: z.int().min(0),
    unknownMicroUsd: z.int().min(0),
  }),
  CallRested,
  CapReached,
]);
export type ManagerAnswer = z.infer<typeof ManagerAnswer>;

export const ConsultInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  turn: z.int().min(0),
  seq: z.int().min(0),
  question: z.string(),
  relevantNodeIds: z.array(NodeId),
  constraints: z.array(z.string()),
});
export type ConsultInput = z.infer<typeof ConsultInput>;

export const ConsultAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answered'),
    verdict: z.string(),
    callKey: z.string(),
    costMicroUsd: z.int().min(0).nullable(),
  }),
  CallRested,
  CapReached,
]);
export type ConsultAnswer = z.infer<typeof ConsultAnswer>;

export const ReviewInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  turn: z.int().min(0),
  nodeId: NodeId,
  dispatchId: DispatchId,
  /** The code as it passed. */
  tree: ObjectId,
});
export type ReviewInput = z.infer<typeof ReviewInput>;

export const ReviewAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answered'),
    findings: z.array(ReviewFinding).max(REVIEW_FINDINGS_MAX),
    /** Null: there was no code to read, so nobody was asked. */
    callKey: z.string().nullable(),
    costMicroUsd: z.int().min(0).nullable(),
  }),
  CallRested,
  CapReached,
]);
export type ReviewAnswer = z.infer<typeof ReviewAnswer>;

export const CommitInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  intent: CommitIntent,
});
export type CommitInput = z.infer<typeof CommitInput>;

export const RegateInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  gateId: DispatchId,
  nodeId: NodeId,
  tree: ObjectId,
  suite: z.int().min(0),
  /** Branch head that the tree is laid over. */
  head: ObjectId.nullable(),
});
export type RegateInput = z.infer<typeof RegateInput>;

export const SealCheckInput = z.strictObject({
  at: StageCoordinates,
  run: z.int().min(1),
  seq: z.int().min(0),
  nodeId: NodeId,
  head: ObjectId.nullable(),
});
export type SealCheckInput = z.infer<typeof SealCheckInput>;

export const ProjectCheckInput = SealCheckInput.omit({ nodeId: true });
export type ProjectCheckInput = z.infer<typeof ProjectCheckInput>;

export const SealCheckResult = z.strictObject({ outcome: GateOutcome, exportedInterface: ExportedInterface });
export type SealCheckResult = z.infer<typeof SealCheckResult>;
