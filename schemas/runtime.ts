/** Records of the runtime contract (seed 002, design part 7): what one agent task is made of, readable without its transcript. */
import { z } from 'zod';
import { ContentRef, ObjectId } from './ids.ts';

export const AgentState = z.enum([
  'idle',
  'running',
  'streaming',
  'waiting_for_permission',
  'waiting_for_input',
  'compacting',
  'resumable',
  'completed',
  'failed_terminal',
]);
export type AgentState = z.infer<typeof AgentState>;

/** Something that must be true before a completion attempt can be accepted. */
export const RequiredAction = z.strictObject({ id: z.string(), text: z.string() });
export type RequiredAction = z.infer<typeof RequiredAction>;

/** One line of a task's journal; the last ones are kept here, all are in the history of its workflow. */
export const JournalEvent = z.strictObject({
  turn: z.int().min(0),
  kind: z.enum([
    'created',
    'answered',
    'silent',
    'tools_ran',
    'agent_ran',
    'tests_ran',
    'completion_refused',
    'completion_accepted',
    'recovery',
    'compacted',
    'policy',
    'platform',
    'ended',
  ]),
  detail: z.string().max(500),
});
export type JournalEvent = z.infer<typeof JournalEvent>;

export const RuntimeTask = z.strictObject({
  id: z.string(),
  goal: z.string(),
  state: AgentState,
  openRequirements: z.array(RequiredAction),
  journal: z.array(JournalEvent),
});
export type RuntimeTask = z.infer<typeof RuntimeTask>;

export const ToolCall = z.strictObject({ callId: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof ToolCall>;

export const ToolResult = z.strictObject({
  callId: z.string(),
  status: z.enum(['success', 'failure']),
  output: z.string().optional(),
  errorType: z.string().optional(),
  retryable: z.boolean().optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/** The answer to `submit_pr`: reasons are role-safe and become the tool's result. */
export const CompletionDecision = z.strictObject({ accepted: z.boolean(), reasons: z.array(z.string()) });
export type CompletionDecision = z.infer<typeof CompletionDecision>;

/** Policy at the two borders: before a tool runs and before a completion is judged. */
export const PolicyDecision = z.strictObject({
  border: z.enum(['tool', 'completion']),
  decision: z.enum(['allow', 'deny', 'ask']),
  rule: z.string(),
  reason: z.string(),
});
export type PolicyDecision = z.infer<typeof PolicyDecision>;

/** Tokens and money of one or more calls; cost is null where the model has no price. */
export const Usage = z.strictObject({
  calls: z.int().min(0),
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costMicroUsd: z.int().min(0).nullable(),
});
export type Usage = z.infer<typeof Usage>;

/** Bounds of one agent run (G9). */
export const RunLimits = z.strictObject({
  turnsMax: z.int().positive(),
  /** Completion attempts: `submit_pr` calls that were judged. */
  attemptsMax: z.int().positive(),
  /** Messages without a tool call in a row that end the task. */
  silentTurnsMax: z.int().positive(),
  /** `run_test` calls; the role-safe result is an oracle, so it is bounded. */
  testRunsMax: z.int().min(0),
  /** Running time of models, tools and gate; absent in runs that older programs started. */
  runningMsMax: z.int().positive().optional(),
});
export type RunLimits = z.infer<typeof RunLimits>;

/** Whole state of a run: small, free of texts, carried over continue-as-new. */
export const AgentRun = z.strictObject({
  task: RuntimeTask,
  limits: RunLimits,
  turn: z.int().min(0),
  attempts: z.int().min(0),
  silentTurns: z.int().min(0),
  testRuns: z.int().min(0),
  tree: ObjectId,
  /** Newest link of the transcript's hash chain. */
  head: ContentRef,
  /** The answer whose tools are being run; null before the first one. */
  answer: ContentRef.nullable(),
  /** Reasons of the last refused attempt, joined; the same twice in a row is said so. */
  lastReasons: z.string(),
  sameReasons: z.int().min(0),
  /** It gave up while its files were there, and was asked once. */
  gaveUp: z.literal(true).optional(),
  /** Answers in a row that ended at their limit. */
  cutTurns: z.int().min(0).optional(),
  /** The limit of the last answer, where it ended there; and the limit from now on, where it was raised. */
  cut: z.strictObject({ limit: z.int(), raisedTo: z.int().optional() }).optional(),
  /** The limit of answers was raised, which happens once. */
  isRaised: z.literal(true).optional(),
  /** Running time so far. */
  runningMs: z.int().min(0).optional(),
  /** Each turn is one run of an agent's program in a room; absent: one model call and its tools. */
  isRoom: z.literal(true).optional(),
  usage: Usage,
});
export type AgentRun = z.infer<typeof AgentRun>;
