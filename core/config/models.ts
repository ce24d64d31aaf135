/** From the name of a model to everything a call needs: alias, provider, endpoint, limits and price (design part 10). */
import type { ModelEntry, ProviderEntry, ResolvedModel } from '../../schemas/config.ts';
import type { ModelPrice, ModelRole } from '../../schemas/model.ts';
import { suggestNearest } from '../text/nearest.ts';
import type { ConfigLayer } from './layer.ts';

/** Endpoints that need no configuration. Which model runs there is never built in. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, ProviderEntry>> = {
  openai: { base_url: 'https://api.openai.com/v1', api_key_env: 'OPENAI_API_KEY' },
  openrouter: { base_url: 'https://openrouter.ai/api/v1', api_key_env: 'OPENROUTER_API_KEY' },
};
/** Variables that hold the keys of these. */
export const MODEL_KEY_NAMES: readonly string[] = Object.values(BUILT_IN_PROVIDERS).flatMap(
  ({ api_key_env: name }) => name ?? [],
);
const DEFAULT_PROVIDER = 'openai';
const MAX_OUTPUT_TOKENS = 4096;
const CONTEXT_TOKENS = 128_000;
const MICRO_USD = 1_000_000;

export interface ModelFault {
  readonly message: string;
  readonly suggestion?: string;
}

export type FoundModel =
  { readonly ok: true; readonly model: ResolvedModel } | { readonly ok: false; readonly fault: ModelFault };

/** Aliases and providers of all layers, the strongest field of each. */
export interface ModelDirectoryData {
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly defaultProvider: string;
  readonly baseUrl: string | null;
  readonly keyPath: string | null;
}

/** Merges the layers, strongest first. Entries of one name are merged field by field. */
export function directoryOf(layers: readonly ConfigLayer[]): ModelDirectoryData {
  return {
    models: mergeEntries(layers.map((layer) => layer.models)),
    providers: mergeEntries([...layers.map((layer) => layer.config.providers ?? {}), BUILT_IN_PROVIDERS]),
    defaultProvider: firstOf(layers, (layer) => layer.config.default_provider) ?? DEFAULT_PROVIDER,
    baseUrl: firstOf(layers, (layer) => layer.baseUrl ?? undefined) ?? null,
    keyPath: firstOf(layers, (layer) => layer.keyPath ?? undefined) ?? null,
  };
}

/** Resolves a name for a role. A name that is no alias is the provider's own name of a model. */
export function findModel(name: string, role: ModelRole, directory: ModelDirectoryData): FoundModel {
  const entry = directory.models[name] ?? {};
  const kind = role === 'manager' ? 'manager' : 'subagent';
  if (entry.role !== undefined && !entry.role.includes(kind)) {
    return fault(
      `Cannot use model "${name}" for the ${role}: its "role" must include "${kind}", current value is ${entry.role.join(', ')}`,
    );
  }
  const provider = entry.provider ?? directory.defaultProvider;
  const endpoint = directory.providers[provider];
  if (endpoint === undefined) {
    const known = Object.keys(directory.providers);
    return fault(
      `Cannot use model "${name}": provider "${provider}" is not configured`,
      suggestNearest(provider, known) ??
        `Add [providers.${provider}] with "base_url" to config.toml; known are: ${known.join(', ')}`,
    );
  }
  const baseUrl = directory.baseUrl ?? endpoint.base_url;
  if (baseUrl === undefined) {
    return fault(
      `Cannot use model "${name}": provider "${provider}" has no "base_url"`,
      `Add it under [providers.${provider}], or give --base-url`,
    );
  }
  if ((entry.input_price === undefined) !== (entry.output_price === undefined)) {
    return fault(`Cannot use model "${name}": "input_price" and "output_price" must be given together`);
  }
  return {
    ok: true,
    model: {
      alias: name,
      modelId: entry.model_id ?? name,
      provider,
      baseUrl,
      maxOutputTokens: entry.max_tokens ?? MAX_OUTPUT_TOKENS,
      contextTokens: entry.context_tokens ?? CONTEXT_TOKENS,
      // Words need no support.
      supportsTools: (entry.tool_calls ?? 'native') !== 'native' || (entry.supports_tools ?? true),
      ...(entry.tool_calls === undefined ? {} : { toolCalls: entry.tool_calls }),
      price: priceOf(entry),
      apiKey: { envName: endpoint.api_key_env ?? keyVariable(provider), filePath: directory.keyPath },
    },
  };
}

/** First defined value, strongest layer first. */
function firstOf<T>(
  layers: readonly ConfigLayer[],
  pick: (layer: ConfigLayer) => T | undefined,
): T | undefined {
  for (const layer of layers) {
    const value = pick(layer);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Dollars for a million tokens to integer micro-dollars. */
function priceOf(entry: ModelEntry): ModelPrice | null {
  const { input_price: input, output_price: output, cached_input_price: cached } = entry;
  if (input === undefined || output === undefined) return null;
  const price = { inputMicroUsdPerMTok: micro(input), outputMicroUsdPerMTok: micro(output) };
  return cached === undefined ? price : { ...price, cachedInputMicroUsdPerMTok: micro(cached) };
}

function micro(dollars: number): number {
  return Math.ceil(dollars * MICRO_USD - 1e-6);
}

function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
}

function mergeEntries<T extends object>(layers: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  const merged: Record<string, T> = {};
  for (const entries of layers.toReversed()) {
    for (const [name, entry] of Object.entries(entries)) merged[name] = { ...merged[name], ...entry };
  }
  return merged;
}

function fault(message: string, suggestion?: string): FoundModel {
  return { ok: false, fault: suggestion === undefined ? { message } : { message, suggestion } };
}
