/**
 * `config.toml` and `models.toml` as a person writes them (seed 001, design part 10), and what they resolve to. Names in
 * the files are those of the seed; every field is optional, because a file is one layer among several.
 */
import { z } from 'zod';
import { RoleAgents } from './agent-choice.ts';
import { ModelPrice, ModelRole } from './model.ts';
import { RunLimits } from './runtime.ts';
import { ManagerKind, StageLimits } from './stage.ts';

export const SandboxChoice = z.enum(['auto', 'docker', 'bubblewrap']);
export type SandboxChoice = z.infer<typeof SandboxChoice>;

/** What to do when a crash made the outcome of a paid call unknowable (G6). */
export const OnUnknown = z.enum(['repay_once', 'halt']);
export type OnUnknown = z.infer<typeof OnUnknown>;

const Url = z
  .string()
  .regex(/^https?:\/\/[^\s/]/, 'must be an http or https address, for example "https://api.example.com/v1"');
const EnvironmentName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable, not a key');

export const ProviderEntry = z.strictObject({
  base_url: Url.optional(),
  /** Variable that holds the key; the key itself never stands in a configuration file. */
  api_key_env: EnvironmentName.optional(),
});
export type ProviderEntry = z.infer<typeof ProviderEntry>;

/** The endpoint's own tool calls, an answer held to a JSON schema, or a call written as text. */
export const ToolCalls = z.enum(['native', 'json_schema', 'text']);
export type ToolCalls = z.infer<typeof ToolCalls>;

const Dollars = z.number().min(0).max(1_000_000);

/** One alias of `models.toml`. Prices are dollars for a million tokens; without them a run is capped by tokens. */
export const ModelEntry = z.strictObject({
  provider: z.string().min(1).optional(),
  model_id: z.string().min(1).optional(),
  /** Output tokens of one answer. */
  max_tokens: z.int().positive().max(1_000_000).optional(),
  context_tokens: z.int().min(1000).max(100_000_000).optional(),
  /** Default true; false rests a stage before any call is paid. */
  supports_tools: z.boolean().optional(),
  /** How its tool calls are asked for; `a7-rt models --check` finds out. Default native. */
  tool_calls: ToolCalls.optional(),
  /** Which roles may use it; default all. */
  role: z
    .array(z.enum(['manager', 'subagent']))
    .min(1)
    .optional(),
  input_price: Dollars.optional(),
  output_price: Dollars.optional(),
  cached_input_price: Dollars.optional(),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

export const ModelsFile = z.record(z.string().min(1).max(100), ModelEntry);
export type ModelsFile = z.infer<typeof ModelsFile>;

const Seconds = z.number().positive();

export const ConfigFile = z.strictObject({
  manager_model: z.string().min(1).optional(),
  subagent_model: z.string().min(1).optional(),
  builder_model: z.string().min(1).optional(),
  test_author_model: z.string().min(1).optional(),
  analyst_model: z.string().min(1).optional(),
  /** Reads code that passed, beside its contract; absent: nobody does. */
  reviewer_model: z.string().min(1).optional(),
  /** A coding agent in a room takes the role: its name, or `command:` and a shell command. */
  builder_agent: z.string().min(1).max(10_000).optional(),
  test_author_agent: z.string().min(1).max(10_000).optional(),
  /** Folder that such an agent is shown at /opt/agent. */
  agent_files: z.string().min(1).max(4_096).optional(),
  default_provider: z.string().min(1).optional(),
  providers: z.record(z.string().min(1).max(60), ProviderEntry).optional(),
  manager: ManagerKind.optional(),
  strict_turns: z.boolean().optional(),
  require_wall: z.boolean().optional(),
  default_manager_max_turns: z.int().min(1).max(10_000).optional(),
  default_drain_turn: z.int().min(1).max(10_000).optional(),
  provisional_depth_limit: z.int().min(0).max(100).optional(),
  max_in_flight: z.int().min(1).max(64).optional(),
  max_cost: Dollars.optional(),
  max_unpriced_tokens: z.int().positive().optional(),
  on_unknown: OnUnknown.optional(),
  completion_attempts: z.int().min(1).max(20).optional(),
  agent_max_turns: z.int().min(1).max(1000).optional(),
  /** `run_test` calls of one agent run. */
  agent_test_runs: z.int().min(0).max(1000).optional(),
  agent_max_seconds: Seconds.optional(),
  board_tokens: z.int().min(1000).max(1_000_000).optional(),
  human_wait_seconds: Seconds.optional(),
  /** Time of the mutation check of one node; 0 for none. */
  mutation_seconds: z.number().min(0).max(600).optional(),
  sandbox: SandboxChoice.optional(),
  /** A command, or the address of a webhook, that is told when a stage waits for a person. */
  on_waiting: z.string().min(1).max(2_000).optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** A model as calls use it. The key is not here: only where it is (design part 4). */
export const ResolvedModel = z.strictObject({
  /** As configured: an alias of `models.toml`, or the provider's own name of the model. */
  alias: z.string(),
  modelId: z.string(),
  provider: z.string(),
  baseUrl: Url,
  maxOutputTokens: z.int().positive(),
  contextTokens: z.int().positive(),
  supportsTools: z.boolean(),
  /** Absent: native. */
  toolCalls: ToolCalls.exactOptional(),
  /** Null: unknown, so the run is capped by tokens and its cost reads `unknown`. */
  price: ModelPrice.nullable(),
  /** The environment variable first, then the first line of the file. */
  apiKey: z.strictObject({ envName: EnvironmentName, filePath: z.string().nullable() }),
});
export type ResolvedModel = z.infer<typeof ResolvedModel>;

/** What holds for a run after all layers. */
export const ResolvedConfig = z.strictObject({
  /** Null where no model is configured for the role. */
  models: z.record(ModelRole, ResolvedModel.nullable()),
  manager: ManagerKind,
  strictTurns: z.boolean(),
  requireWall: z.boolean(),
  limits: StageLimits,
  /** Cap in tokens for calls of models without a price. */
  maxUnpricedTokens: z.int().positive(),
  onUnknown: OnUnknown,
  agent: RunLimits,
  /** Roles that a coding agent takes. */
  agents: RoleAgents,
  boardTokens: z.int().positive(),
  humanWaitMs: z.int().positive(),
  mutationMs: z.int().min(0),
  sandbox: SandboxChoice,
  /** Told when a stage waits for a person; null: nobody. */
  onWaiting: z.string().nullable(),
});
export type ResolvedConfig = z.infer<typeof ResolvedConfig>;
