/** All layers to what holds for a run. Every default of the product's configuration is here or in `StageLimits`. */
import type { ConfigFile, ResolvedConfig, ResolvedModel } from '../../schemas/config.ts';
import type { ModelRole } from '../../schemas/model.ts';
import { resolveAgents } from './agents.ts';
import type { ConfigLayer, ConfigSource } from './layer.ts';
import { directoryOf, findModel, type ModelFault } from './models.ts';

export type ResolvedLayers =
  | {
      readonly ok: true;
      readonly config: ResolvedConfig;
      /** Which layer set each field of `config.toml`; fields that none set are left out. */
      readonly sources: Readonly<Partial<Record<keyof ConfigFile, ConfigSource>>>;
    }
  | { readonly ok: false; readonly faults: readonly ModelFault[] };

const SECOND_MS = 1000;
const MICRO_USD = 1_000_000;

/** Built-in defaults (seed 001 for the first three, design parts 6, 7 and 10 for the rest). */
export const CONFIG_DEFAULTS = {
  default_manager_max_turns: 25,
  default_drain_turn: 20,
  provisional_depth_limit: 3,
  strict_turns: false,
  require_wall: false,
  max_in_flight: 4,
  max_cost: 2,
  max_unpriced_tokens: 2_000_000,
  on_unknown: 'repay_once',
  completion_attempts: 3,
  agent_max_turns: 40,
  agent_test_runs: 12,
  agent_max_seconds: 1800,
  board_tokens: 8000,
  human_wait_seconds: 7 * 24 * 3600,
  mutation_seconds: 8,
  sandbox: 'auto',
} as const satisfies ConfigFile;

const SILENT_TURNS_MAX = 3;
const PLATFORM_FAULTS_MAX = 2;
/** Turns left when a run begins to drain. */
const TURNS_TO_DRAIN = 5;

/** Resolves layers, strongest first. Faults name the setting and what to do. */
export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedLayers {
  const merged = mergeFields(layers);
  const sources = sourcesOf(layers);
  const models = resolveModels(layers, merged);
  const turns = turnsOf(merged, sources.default_drain_turn !== undefined);
  const manager = merged.manager ?? (models.found.manager === null ? 'policy' : 'llm');
  const faults = [...models.faults, ...turns.faults];
  if (manager === 'llm' && models.found.manager === null && models.faults.length === 0) {
    faults.push({
      message: 'Cannot use manager "llm": no model is configured for the manager',
      suggestion: 'Give --model, set "manager_model" in .a7/config.toml, or use --manager policy',
    });
  }
  const { agents, faults: agentFaults } = resolveAgents(merged, sources.agent_files);
  faults.push(...hookFaults(merged.on_waiting, sources.on_waiting), ...agentFaults);
  if (faults.length > 0) return { ok: false, faults };
  const config: ResolvedConfig = {
    models: models.found,
    manager,
    strictTurns: merged.strict_turns,
    requireWall: merged.require_wall,
    limits: {
      ...turns.limits,
      inFlightMax: merged.max_in_flight,
      provisionalDepthLimit: merged.provisional_depth_limit,
      costCapMicroUsd: Math.round(merged.max_cost * MICRO_USD),
      platformFaultsMax: PLATFORM_FAULTS_MAX,
    },
    maxUnpricedTokens: merged.max_unpriced_tokens,
    onUnknown: merged.on_unknown,
    agent: {
      turnsMax: merged.agent_max_turns,
      attemptsMax: merged.completion_attempts,
      silentTurnsMax: SILENT_TURNS_MAX,
      testRunsMax: merged.agent_test_runs,
      runningMsMax: Math.max(1, Math.round(merged.agent_max_seconds * SECOND_MS)),
    },
    agents,
    boardTokens: merged.board_tokens,
    humanWaitMs: Math.round(merged.human_wait_seconds * SECOND_MS),
    mutationMs: Math.round(merged.mutation_seconds * SECOND_MS),
    sandbox: merged.sandbox,
    onWaiting: merged.on_waiting ?? null,
  };
  return { ok: true, config, sources };
}

/** A command runs on this machine: no folder that somebody hands on may bring one. */
function hookFaults(hook: string | undefined, source: ConfigSource | undefined): ModelFault[] {
  const isBrought = source?.kind === 'session' || source?.kind === 'project';
  if (hook === undefined || !isBrought || /^https?:\/\//u.test(hook)) return [];
  const message = `Cannot use "on_waiting" of ${source.path}: there it must be the address of a webhook, current value is a command`;
  return [{ message, suggestion: 'Set A7_ON_WAITING, or on_waiting in config.toml of A7_HOME' }];
}

type Settings = ConfigFile & { [K in keyof typeof CONFIG_DEFAULTS]: NonNullable<ConfigFile[K]> };

/** The strongest value of each field; an absent field is not set, because files have no way to say "undefined". */
function mergeFields(layers: readonly ConfigLayer[]): Settings {
  return layers.reduceRight<Settings>(
    (merged, layer) => ({ ...merged, ...layer.config }) as Settings,
    CONFIG_DEFAULTS,
  );
}

function resolveModels(
  layers: readonly ConfigLayer[],
  merged: Settings,
): { found: Record<ModelRole, ResolvedModel | null>; faults: ModelFault[] } {
  const directory = directoryOf(layers);
  const names: Record<ModelRole, string | undefined> = {
    manager: merged.manager_model,
    builder: merged.builder_model ?? merged.subagent_model,
    test_author: merged.test_author_model ?? merged.subagent_model,
    analyst: merged.analyst_model ?? merged.subagent_model,
    // No default: a reader beside the judge is asked for.
    reviewer: merged.reviewer_model,
  };
  const faults = new Map<string, ModelFault>();
  const find = (role: ModelRole): ResolvedModel | null => {
    const name = names[role];
    if (name === undefined) return null;
    const result = findModel(name, role, directory);
    if (result.ok) return result.model;
    faults.set(result.fault.message, result.fault);
    return null;
  };
  const found = {
    manager: find('manager'),
    builder: find('builder'),
    test_author: find('test_author'),
    analyst: find('analyst'),
    reviewer: find('reviewer'),
  };
  return { found, faults: [...faults.values()] };
}

/** A drain turn that nobody set follows the maximum; one that somebody set must fit. */
function turnsOf(
  merged: Settings,
  isDrainSet: boolean,
): { limits: { managerMaxTurns: number; drainTurn: number }; faults: ModelFault[] } {
  const { default_manager_max_turns: managerMaxTurns, default_drain_turn: wanted } = merged;
  const usual = Math.max(CONFIG_DEFAULTS.default_drain_turn, managerMaxTurns - TURNS_TO_DRAIN);
  const limits = { managerMaxTurns, drainTurn: Math.min(isDrainSet ? wanted : usual, managerMaxTurns) };
  if (!isDrainSet || wanted <= managerMaxTurns) return { limits, faults: [] };
  const message = `Cannot use "default_drain_turn": it must be at most "default_manager_max_turns", which is ${managerMaxTurns}, current value is ${wanted}`;
  return { limits, faults: [{ message }] };
}

function sourcesOf(layers: readonly ConfigLayer[]): Partial<Record<keyof ConfigFile, ConfigSource>> {
  const sources: Partial<Record<string, ConfigSource>> = {};
  for (const layer of layers.toReversed()) {
    for (const key of Object.keys(layer.config)) sources[key] = layer.source;
  }
  return sources;
}
