/** Where settings come from, strongest first (seed 001): command line, environment, session, project, user, built in. */
import type { ConfigFile, ModelsFile } from '../../schemas/config.ts';

export interface ConfigSource {
  readonly kind: 'command_line' | 'environment' | 'session' | 'project' | 'user' | 'built_in';
  /** File, for the middle three; empty otherwise. */
  readonly path: string;
}

/** One layer, already checked by its schema. */
export interface ConfigLayer {
  readonly source: ConfigSource;
  readonly config: ConfigFile;
  readonly models: ModelsFile;
  /** Key file beside the configuration, where there is one. */
  readonly keyPath: string | null;
  /** Endpoint for every model of the run, whatever its provider: `--base-url`. */
  readonly baseUrl: string | null;
}

/** What of the command line is configuration. Names are those of the options. */
export interface CommandLineSettings {
  readonly model?: string;
  readonly managerModel?: string;
  readonly subagentModel?: string;
  readonly baseUrl?: string;
  readonly builderAgent?: string;
  readonly authorAgent?: string;
  readonly manager?: string;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxInFlight?: number;
  readonly maxTurns?: number;
  readonly drainTurn?: number;
  readonly strictTurns?: boolean;
  readonly requireWall?: boolean;
  readonly sandbox?: string;
}

/** The fields of the command line under their names in `config.toml`; not yet checked. */
export function commandLineFields(settings: CommandLineSettings): Record<string, unknown> {
  return defined({
    manager_model: settings.managerModel ?? settings.model,
    subagent_model: settings.subagentModel ?? settings.model,
    builder_agent: settings.builderAgent,
    test_author_agent: settings.authorAgent,
    manager: settings.manager,
    max_cost: settings.maxCost,
    max_unpriced_tokens: settings.maxTokens,
    max_in_flight: settings.maxInFlight,
    default_manager_max_turns: settings.maxTurns,
    default_drain_turn: settings.drainTurn,
    strict_turns: settings.strictTurns,
    require_wall: settings.requireWall,
    sandbox: settings.sandbox,
  });
}

/** Variables that set a field of `config.toml`, for help texts too. */
export const ENVIRONMENT_FIELDS = {
  A7_MODEL: ['manager_model', 'subagent_model'],
  A7_MANAGER_MODEL: ['manager_model'],
  A7_SUBAGENT_MODEL: ['subagent_model'],
  A7_BUILDER_AGENT: ['builder_agent'],
  A7_AUTHOR_AGENT: ['test_author_agent'],
  A7_AGENT_FILES: ['agent_files'],
  A7_MANAGER: ['manager'],
  A7_ON_WAITING: ['on_waiting'],
  A7_MAX_COST: ['max_cost'],
  A7_MAX_IN_FLIGHT: ['max_in_flight'],
  A7_MUTATION_SECONDS: ['mutation_seconds'],
  A7_SANDBOX: ['sandbox'],
} as const satisfies Readonly<Record<string, readonly (keyof ConfigFile)[]>>;

const NUMERIC: ReadonlySet<string> = new Set(['A7_MAX_COST', 'A7_MAX_IN_FLIGHT', 'A7_MUTATION_SECONDS']);

/** The fields that the environment sets, not yet checked. An empty variable counts as not set. */
export function environmentFields(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, targets] of Object.entries(ENVIRONMENT_FIELDS)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    for (const target of targets) fields[target] = NUMERIC.has(name) ? numberOf(text) : text;
  }
  const baseUrl = env['OPENAI_BASE_URL'];
  if (baseUrl !== undefined && baseUrl !== '') fields['providers'] = { openai: { base_url: baseUrl } };
  const provider = providerWithKey(env);
  if (provider !== null) fields['default_provider'] = provider;
  return fields;
}

/** The provider whose key or address the environment holds, for models that name none. */
function providerWithKey(env: Readonly<Record<string, string | undefined>>): string | null {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('OPENAI_API_KEY') || isSet('OPENAI_BASE_URL')) return 'openai';
  return isSet('OPENROUTER_API_KEY') ? 'openrouter' : null;
}

/** A text that is no number stays a text, which the schema then refuses with its value. */
function numberOf(text: string): number | string {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
