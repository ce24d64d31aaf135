/** What holds and who says so: every setting, alias and provider with its source, for people. No key is ever in it. */
import type { ConfigFile, ModelEntry, ProviderEntry, ResolvedModel } from '../../schemas/config.ts';
import { ConfigFile as ConfigSchema } from '../../schemas/config.ts';
import { ModelRole } from '../../schemas/model.ts';
import { type ConfigLayer, type ConfigSource, ENVIRONMENT_FIELDS } from './layer.ts';
import { BUILT_IN_PROVIDERS, directoryOf } from './models.ts';
import { CONFIG_DEFAULTS, resolveConfig } from './resolve.ts';

export interface SettingView {
  readonly name: string;
  /** As it would stand in `config.toml`; null: not set, and there is no default. */
  readonly value: string | null;
  readonly source: string;
}

export interface ModelView {
  readonly alias: string;
  readonly provider: string;
  readonly modelId: string;
  readonly entry: ModelEntry;
  readonly sources: readonly string[];
}

export interface ProviderView {
  readonly name: string;
  readonly baseUrl: string | null;
  /** Where the key is looked for: the variable first, then the file. */
  readonly keyVariable: string;
  readonly keyFile: string | null;
  /** Where a key was found; null: nowhere. */
  readonly keyFrom: string | null;
  readonly sources: readonly string[];
}

export interface ConfigReport {
  readonly settings: readonly SettingView[];
  /** The model of each role; null where none is set. */
  readonly roles: readonly { readonly role: ModelRole; readonly model: ResolvedModel | null }[];
  readonly models: readonly ModelView[];
  readonly providers: readonly ProviderView[];
  /** What is wrong, each with its next step; empty: a run may use it. */
  readonly problems: readonly string[];
}

/** `hasKey` tells whether a variable or a file holds one. */
export function describeConfig(
  layers: readonly ConfigLayer[],
  messages: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  keyFileHolds: boolean,
): ConfigReport {
  const resolved = resolveConfig(layers);
  const directory = directoryOf(layers);
  const faults = resolved.ok
    ? []
    : resolved.faults.map((fault) => [fault.message, fault.suggestion ?? []].flat().join('. '));
  return {
    settings: Object.keys(ConfigSchema.shape)
      .filter((name) => name !== 'providers')
      .map((name) => settingOf(name as keyof ConfigFile, layers, env)),
    roles: ModelRole.options.map((role) => ({
      role,
      model: resolved.ok ? shownModel(resolved.config.models[role]) : null,
    })),
    models: Object.entries(directory.models).map(([alias, entry]) => ({
      alias,
      provider: entry.provider ?? directory.defaultProvider,
      modelId: entry.model_id ?? alias,
      entry,
      sources: layers.filter((layer) => alias in layer.models).map((layer) => modelsFileOf(layer.source)),
    })),
    providers: Object.entries(directory.providers).map(([name, entry]) =>
      providerOf(name, entry, layers, env, keyFileHolds ? directory.keyPath : null),
    ),
    problems: [...messages, ...faults],
  };
}

function settingOf(
  name: keyof ConfigFile,
  layers: readonly ConfigLayer[],
  env: Readonly<Record<string, string | undefined>>,
): SettingView {
  const layer = layers.find((each) => each.config[name] !== undefined);
  if (layer !== undefined)
    return { name, value: JSON.stringify(layer.config[name]), source: sourceText(layer.source, name, env) };
  const value = (CONFIG_DEFAULTS as Partial<Record<keyof ConfigFile, unknown>>)[name];
  return value === undefined
    ? { name, value: null, source: 'not set' }
    : { name, value: JSON.stringify(value), source: 'built in' };
}

function providerOf(
  name: string,
  entry: ProviderEntry,
  layers: readonly ConfigLayer[],
  env: Readonly<Record<string, string | undefined>>,
  keyFile: string | null,
): ProviderView {
  const keyVariable = entry.api_key_env ?? `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
  const setBy = layers.filter((layer) => layer.config.providers?.[name] !== undefined);
  const sources = setBy.map((layer) =>
    layer.source.kind === 'environment' ? 'OPENAI_BASE_URL' : sourceText(layer.source, 'providers', env),
  );
  return {
    name,
    baseUrl: entry.base_url === undefined ? null : withoutPassword(entry.base_url),
    keyVariable,
    keyFile,
    keyFrom: (env[keyVariable] ?? '').trim() !== '' ? keyVariable : keyFile,
    sources: name in BUILT_IN_PROVIDERS ? [...sources, 'built in'] : sources,
  };
}

function sourceText(
  source: ConfigSource,
  name: keyof ConfigFile,
  env: Readonly<Record<string, string | undefined>>,
): string {
  switch (source.kind) {
    case 'command_line':
      return 'the last run (.a7/run.json)';
    case 'environment':
      return variableOf(name, env);
    case 'built_in':
      return 'built in';
    default:
      return source.path;
  }
}

function variableOf(name: keyof ConfigFile, env: Readonly<Record<string, string | undefined>>): string {
  const isSet = (variable: string): boolean => (env[variable] ?? '') !== '';
  if (name === 'default_provider')
    return ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENROUTER_API_KEY'].find(isSet) ?? 'the environment';
  const setting = Object.entries(ENVIRONMENT_FIELDS).filter(
    ([variable, fields]) => isSet(variable) && (fields as readonly string[]).includes(name),
  );
  return setting.at(-1)?.[0] ?? 'the environment';
}

function modelsFileOf({ path }: ConfigSource): string {
  return path.replace(/config\.toml$/, 'models.toml');
}

function shownModel(model: ResolvedModel | null): ResolvedModel | null {
  return model === null ? null : { ...model, baseUrl: withoutPassword(model.baseUrl) };
}

/** `https://user:secret@host/v1` is shown without its secret. */
export function withoutPassword(url: string): string {
  return url.replace(/^(https?:\/\/[^/:@]*):[^/@]*@/, '$1:***@');
}
