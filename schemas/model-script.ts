/** The script of the scripted model server: which answer belongs to which request (docs/model-script.md). */
import { z } from 'zod';
import { CallRole } from './model.ts';

/** A number, or `*` for any. */
const Ordinal = z.union([z.int().min(0), z.literal('*')]);

/** A tool call. Text values may hold patterns, for example `${hash:price/money.py}`. */
export const ScriptToolCall = z
  .strictObject({
    name: z.string().min(1),
    arguments: z.record(z.string(), z.json()).optional().describe('Arguments as a map; default none.'),
    arguments_raw: z
      .string()
      .optional()
      .describe('Arguments as text, sent as it is: for malformed arguments. Instead of `arguments`.'),
    content_file: z
      .string()
      .optional()
      .describe('A file beside the script whose text becomes the argument `content`.'),
  })
  .refine((call) => call.arguments_raw === undefined || (call.arguments ?? call.content_file) === undefined, {
    error: 'arguments_raw stands alone: remove arguments and content_file',
  });
export type ScriptToolCall = z.infer<typeof ScriptToolCall>;

/** A fault instead of an answer, or one that spoils it. Each is played once, then the answer follows. */
export const ScriptFault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status').describe('An HTTP status other than 200.'),
    status: z.int().min(400).max(599),
    message: z.string().default('Scripted error'),
    code: z.string().nullable().default(null),
    retry_after_seconds: z.number().min(0).optional(),
  }),
  z.strictObject({
    kind: z.literal('drop'),
    after_bytes: z.int().min(0).default(0).describe('0: before any byte of the response.'),
  }),
  z.strictObject({
    kind: z.literal('stall'),
    after_bytes: z.int().min(0).default(0).describe('Silence until the client hangs up.'),
  }),
  z.strictObject({
    kind: z.literal('garbage'),
    body: z.string().default('<<<garbage>>>').describe('Status 200 and this as JSON body.'),
  }),
  z.strictObject({ kind: z.literal('html').describe('Status 200 and a web page.') }),
  z.strictObject({ kind: z.literal('invalid_event').describe('A stream whose second event is no JSON.') }),
  z.strictObject({
    kind: z.literal('refuse_stream').describe('400 for a streamed request; does not count for others.'),
  }),
]);
export type ScriptFault = z.infer<typeof ScriptFault>;

export const ScriptAnswer = z.strictObject({
  text: z.string().optional().describe('The words of the message.'),
  tool_calls: z.array(ScriptToolCall).default([]),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
  usage: z
    .strictObject({
      prompt_tokens: z.int().min(0),
      completion_tokens: z.int().min(0),
      cached_tokens: z.int().min(0).default(0),
    })
    .optional()
    .describe('Default: estimated from the texts.'),
  omit_usage: z.boolean().default(false).describe('Sends no usage, as some endpoints do.'),
  delay_ms: z.int().min(0).max(600_000).default(0).describe('Wait before the first byte.'),
  chunk_delay_ms: z.int().min(0).max(60_000).default(0).describe('Wait between the events of a stream.'),
  faults: z
    .array(ScriptFault)
    .default([])
    .describe('Played in order, one a request, before the answer is given.'),
  hostile: z
    .boolean()
    .default(false)
    .describe('Permits paths, hashes, exports and imports that the request does not contain.'),
});
export type ScriptAnswer = z.infer<typeof ScriptAnswer>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

export const ScriptRule = z
  .strictObject({
    role: z.enum([...CallRole.options, '*']).default('*'),
    node: z
      .string()
      .default('*')
      .describe('Node id, or a glob with `*`. The manager has none: only `*` fits.'),
    stage: z.string().default('*').describe('Stage id, or a glob with `*`.'),
    dispatch: Ordinal.default('*'),
    turn: Ordinal.default('*'),
    told: z
      .string()
      .refine(isPattern, { error: 'must be a regular expression' })
      .optional()
      .describe('A regular expression that something the model was told must fit.'),
    repeat: z
      .boolean()
      .default(false)
      .describe('False: the rule answers one place (stage, node, dispatch, turn) and is used up.'),
    answer: ScriptAnswer.optional(),
    turns: z.array(ScriptAnswer).min(1).optional().describe('Answers of the turns 1, 2, … of one dispatch.'),
  })
  .refine((rule) => (rule.answer === undefined) !== (rule.turns === undefined), {
    error: 'a rule has either answer or turns',
  })
  .refine((rule) => rule.turns === undefined || rule.turn === '*', {
    error: 'turns counts the turns itself: remove turn',
  });
export type ScriptRule = z.infer<typeof ScriptRule>;

export const ModelScript = z.strictObject({
  version: z.literal(1),
  model: z.string().default('scripted').describe('Name that the server reports.'),
  models: z
    .array(z.string())
    .optional()
    .describe('Model names that it knows; others are 404. Default: every name.'),
  supports_tools: z.boolean().default(true),
  supports_stream: z.boolean().default(true),
  supports_max_tokens: z
    .boolean()
    .default(true)
    .describe('False: only max_completion_tokens, as newer models demand.'),
  api_key: z.string().optional().describe('The only key that is let in; default: any.'),
  rules: z.array(ScriptRule),
});
export type ModelScript = z.infer<typeof ModelScript>;
/** A script as a person writes it, defaults left out. */
export type ModelScriptInput = z.input<typeof ModelScript>;
