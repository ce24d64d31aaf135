/** What `runAgent` and its activities pass to each other: references and small values, never bodies (design part 4). */
import { z } from 'zod';
import { AgentChoice } from './agent-choice.ts';
import { ContentRef, NodeId, ObjectId, Role, StageId } from './ids.ts';
import { CallRested, CapReached } from './model.ts';
import { AgentRun, RequiredAction, RunLimits, Usage } from './runtime.ts';
import { DispatchParameters, ResumePoint, Submission } from './stage.ts';

/** Which session, stage run and dispatch a step belongs to; the key of everything it stores. */
export const AgentCoordinates = z.strictObject({
  sessionDir: z.string().min(1),
  sessionId: z.string().min(1),
  stageId: StageId,
  /** Ordinal of the stage run: the session's fencing epoch. */
  run: z.int().min(1),
  nodeId: NodeId,
  role: Role,
  dispatchId: z.string().min(1),
});
export type AgentCoordinates = z.infer<typeof AgentCoordinates>;

/** The last judged attempt of a run: kept for the manager when the run ends refused. */
export const LastAttempt = z.strictObject({
  reportDigest: ContentRef.nullable(),
  /** `platform`: the wall alone refuses the code, and nobody is to blame yet. */
  suspect: z.enum(['code', 'suite', 'platform']),
  tree: ObjectId,
  /** Why the suite is the suspect, in words that its author may read. */
  suiteFault: z.string().max(500).optional(),
});
export type LastAttempt = z.infer<typeof LastAttempt>;

/** A call that may have been billed for nothing, and what the budget charges for it (G6). */
export const UnknownCall = z.strictObject({ callKey: z.string(), costMicroUsd: z.int().min(0) });
export type UnknownCall = z.infer<typeof UnknownCall>;

/** What judged attempts left so far; carried over continue-as-new. */
export const JudgedSoFar = z.strictObject({
  submission: Submission.nullable(),
  last: LastAttempt.nullable(),
  unknownCalls: z.array(UnknownCall),
  /** Counterexamples told; absent: none. */
  told: z.int().min(0).optional(),
  /** Program and version of the last turn, where it was one. */
  program: z.string().max(100).optional(),
});
export type JudgedSoFar = z.infer<typeof JudgedSoFar>;

/** Input of the workflow `runAgent`. `carry` is set by continue-as-new. */
export const RunAgentInput = z.strictObject({
  at: AgentCoordinates,
  /** What the manager (or a forced move) gave with the dispatch; all of it reaches the agent. */
  guidance: DispatchParameters,
  /** Branch head that the shadow starts from; null before the first commit. */
  baseCommit: ObjectId.nullable(),
  /** Version of the locked suite that judges a builder; 0 for none. */
  suite: z.int().min(0),
  /** The program that does it, turn by turn, in a room; absent: our own loop. */
  agent: AgentChoice.optional(),
  /** Where a parked agent goes on. */
  resume: ResumePoint.nullable(),
  /** Short name for summaries, for example `builder of price.money`. */
  title: z.string(),
  /** Task queue of the workers that have sandboxes. */
  sandboxQueue: z.string().min(1),
  /** Queue of the rooms of agents. Default: the same, as in runs that older programs started. */
  agentQueue: z.string().min(1).optional(),
  /** The server has our search attributes. Default false. */
  searchable: z.boolean().optional(),
  /** The opening and the first model call are one step. Default false, as in runs that older programs started. */
  joinsOpening: z.boolean().optional(),
  /** Events of history at which it continues as new. Default: the workflow's own. */
  eventsMax: z.int().positive().optional(),
  carry: z.strictObject({ run: AgentRun, judged: JudgedSoFar }).nullable(),
});
export type RunAgentInput = z.infer<typeof RunAgentInput>;

export const OpenAgentResult = z.strictObject({
  goal: z.string(),
  tree: ObjectId,
  head: ContentRef,
  /** First turn; default 1. Later where an agent goes on after a person's answer. */
  turn: z.int().min(1).optional(),
  limits: RunLimits,
  requirements: z.array(RequiredAction),
});
export type OpenAgentResult = z.infer<typeof OpenAgentResult>;

/** A model call that did not rest: how many tools were called, or why the run must end. */
export const CallModelResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answered'),
    answerRef: ContentRef,
    toolCalls: z.int().min(0),
    /** The endpoint sent what is no chat completion. */
    isGarbage: z.literal(true).optional(),
    /** Its first words. */
    garbage: z.string().optional(),
    /** It ended at this limit of output tokens. */
    cutAt: z.int().positive().optional(),
    /** What a raised limit would be; absent where it is as high as it may be. */
    raisesTo: z.int().positive().optional(),
    /** The model, for words to a person. */
    model: z.string().optional(),
    /** From sending to the answer. */
    elapsedMs: z.int().min(0).optional(),
    unknownAttempts: z.int().min(0),
    unknownMicroUsd: z.int().min(0),
    usage: Usage,
  }),
  CallRested,
  CapReached,
  z.strictObject({ kind: z.literal('platform'), reason: z.string() }),
]);
export type CallModelResult = z.infer<typeof CallModelResult>;

export const RunToolsInput = z.strictObject({
  at: AgentCoordinates,
  turn: z.int().min(1),
  head: ContentRef,
  tree: ObjectId,
  answerRef: ContentRef,
  silentTurnsLeft: z.int().min(0),
  /** The answer ended at its limit. */
  cut: z.strictObject({ limit: z.int(), raisedTo: z.int().optional() }).optional(),
  /** It gave up before while its files were there, and was asked. */
  gaveUp: z.literal(true).optional(),
});
export type RunToolsInput = z.infer<typeof RunToolsInput>;

export const RunToolsResult = z.strictObject({
  tree: ObjectId,
  head: ContentRef,
  submit: z.boolean(),
  tests: z.int().min(0),
  /** The agent suspended itself: `far` needs a person, `near` and `void` give the task back. */
  suspension: z.strictObject({ type: z.enum(['near', 'far', 'void']), detail: z.string() }).nullable(),
  /** It gives up while its files are there: it was asked whether it means that. */
  gaveUp: z.literal(true).optional(),
  /** The same call gave the same result so often that the task ends: the call. */
  repeated: z.string().optional(),
  elapsedMs: z.int().min(0).optional(),
});
export type RunToolsResult = z.infer<typeof RunToolsResult>;

export const JudgeInput = z.strictObject({
  at: AgentCoordinates,
  turn: z.int().min(1),
  head: ContentRef,
  tree: ObjectId,
  answerRef: ContentRef,
  baseCommit: ObjectId.nullable(),
  suite: z.int().min(0),
  testRunsLeft: z.int().min(0),
  /** Number of this completion attempt, from 1. */
  attempt: z.int().min(1),
  attemptsMax: z.int().min(1),
  lastReasons: z.string(),
  /** Its next turn is a program's: no tool of ours is named to it. */
  isRoom: z.literal(true).optional(),
  /** As in `RunToolsInput`: a submission that gives up again is judged. */
  gaveUp: z.literal(true).optional(),
  /** Counterexamples told in this dispatch so far; absent: none. */
  told: z.int().min(0).optional(),
});
export type JudgeInput = z.infer<typeof JudgeInput>;

export const JudgeResult = z.strictObject({
  head: ContentRef,
  /** Null when the message held only `run_test`. */
  accepted: z.boolean().nullable(),
  reasons: z.array(z.string()),
  testRuns: z.int().min(0),
  /** Present when accepted. */
  submission: Submission.nullable(),
  last: LastAttempt.nullable(),
  /** The gate cannot say whose fault it is, or it is the suite's: the task goes back to the manager, nobody is charged. */
  giveBack: z.string().nullable(),
  /** Refused, and nobody is charged: the agent goes on, and the attempt does not count. */
  isFree: z.literal(true).optional(),
  /** Counterexamples told by this message; absent: none. */
  told: z.int().min(0).optional(),
  elapsedMs: z.int().min(0).optional(),
});
export type JudgeResult = z.infer<typeof JudgeResult>;

/** How an agent run ended. The stage turns it into its own input. */
export const AgentOutcome = z.strictObject({
  end: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('completed') }),
    z.strictObject({ kind: z.literal('refused'), reasons: z.array(z.string()), attempts: z.int() }),
    z.strictObject({ kind: z.literal('wild'), reason: z.string() }),
    z.strictObject({ kind: z.literal('parked'), question: z.string() }),
    CallRested,
    CapReached,
    z.strictObject({ kind: z.literal('platform'), reason: z.string() }),
    z.strictObject({ kind: z.literal('cancelled') }),
  ]),
  judged: JudgedSoFar,
  tree: ObjectId.nullable(),
  head: ContentRef.nullable(),
  turns: z.int().min(0),
  /** Completion attempts; absent where there was no second one. */
  attempts: z.int().min(2).optional(),
  usage: Usage,
});
export type AgentOutcome = z.infer<typeof AgentOutcome>;
