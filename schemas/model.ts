/** The words of a model call: chat messages, tools, prices, usage and the stored answer (design part 10). */
import { z } from 'zod';

/** Who asks. The manager uses the same port as the agents. */
export const ModelRole = z.enum(['manager', 'builder', 'test_author', 'analyst', 'reviewer']);
export type ModelRole = z.infer<typeof ModelRole>;

/** Whose call it is: the oracle answers a manager's CONSULT, with the manager's model. */
export const CallRole = z.enum([...ModelRole.options, 'oracle']);
export type CallRole = z.infer<typeof CallRole>;

/** Where in a stage a call belongs. `node` is null for the manager. Also sent as the header `x-a7-call`. */
export const CallCoordinates = z.strictObject({
  role: CallRole,
  stage: z.string().min(1).max(100),
  node: z.string().min(1).max(200).nullable(),
  dispatch: z.int().min(0),
  turn: z.int().min(0),
});
export type CallCoordinates = z.infer<typeof CallCoordinates>;

export const ChatToolCall = z.strictObject({
  id: z.string().min(1).max(200),
  type: z.literal('function'),
  /** `arguments` is the JSON text as the model wrote it: it may be invalid. */
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
export type ChatToolCall = z.infer<typeof ChatToolCall>;

export const ChatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(ChatToolCall).min(1).exactOptional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: z.string() }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;

/** `parameters` is a JSON schema whose root is an object. */
export const ChatTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z, A-Z, 0-9, _ and -'),
    description: z.string().exactOptional(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});
export type ChatTool = z.infer<typeof ChatTool>;

/** The endpoint refuses this session's calls until a person acts (key, quota, address): the work rests, nobody is charged. */
export const CallRested = z.strictObject({
  kind: z.literal('rested'),
  code: z.string(),
  message: z.string(),
});

/** The call was not sent: what is spent and its worst case together pass the cap (G9). */
export const CapReached = z.strictObject({
  kind: z.literal('budget'),
  unit: z.enum(['micro_usd', 'tokens']),
  spent: z.int().min(0),
  cap: z.int().min(0),
  worstCase: z.int().min(0),
});
export type CapReached = z.infer<typeof CapReached>;

/** Integer micro-dollars for a million tokens: 3 dollars are 3_000_000. */
export const ModelPrice = z.strictObject({
  inputMicroUsdPerMTok: z.int().min(0),
  outputMicroUsdPerMTok: z.int().min(0),
  /** Default: the input price. */
  cachedInputMicroUsdPerMTok: z.int().min(0).optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** Tokens of one answer. `cachedInputTokens` are part of `inputTokens`, `reasoningTokens` of `outputTokens`. */
export const ModelUsage = z.strictObject({
  inputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  reasoningTokens: z.int().min(0),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

/**
 * Why the model stopped. `garbage`: the endpoint said 200 and sent what is no completion; it was paid, so it is an
 * answer, and whoever reads it judges it.
 */
export const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'garbage', 'other']);
export type FinishReason = z.infer<typeof FinishReason>;

/** The object behind an answer reference: everything of it that a person or the agent loop may want. */
export const StoredAnswer = z.strictObject({
  version: z.literal(1),
  message: z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(ChatToolCall).min(1).exactOptional(),
  }),
  finishReason: FinishReason,
  /** Null when the endpoint told none. */
  usage: ModelUsage.nullable(),
  provider: z.strictObject({ responseId: z.string().nullable(), model: z.string().nullable() }),
  /** The raw start of what is no completion, at most 4,000 characters; null otherwise. */
  garbage: z.string().nullable(),
});
export type StoredAnswer = z.infer<typeof StoredAnswer>;
