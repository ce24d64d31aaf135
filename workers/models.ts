/** Which model serves a role: the session's configuration, with what the last `run` was told on its command line. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ConfigRequest, loadConfig } from '../adapters/config/load.ts';
import { errorCode } from '../core/text/error-text.ts';
import { writeDurably } from '../adapters/system/files.ts';
import type { CommandLineSettings } from '../core/config/layer.ts';
import type { ModelChoice, ModelDirectory } from '../core/ports/model-directory.ts';
import type { ResolvedConfig } from '../schemas/config.ts';

/** Flags of `run` that every worker of the session must know; no secrets. */
export const RunSettings = z.strictObject({
  model: z.string().optional(),
  managerModel: z.string().optional(),
  subagentModel: z.string().optional(),
  baseUrl: z.string().optional(),
  builderAgent: z.string().optional(),
  authorAgent: z.string().optional(),
  manager: z.string().optional(),
  maxCost: z.number().optional(),
  maxTokens: z.number().optional(),
  maxInFlight: z.number().optional(),
  maxTurns: z.number().optional(),
  drainTurn: z.number().optional(),
  strictTurns: z.boolean().optional(),
  requireWall: z.boolean().optional(),
  sandbox: z.string().optional(),
});
export type RunSettings = z.infer<typeof RunSettings>;

export interface ConfigPlaces {
  readonly userDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type SessionConfig =
  | { readonly ok: true; readonly config: ResolvedConfig }
  | { readonly ok: false; readonly messages: readonly string[] };

export const RUN_SETTINGS_DAMAGED =
  '.a7/run.json, the flags of the last run, cannot be read: run --fresh forgets them';

/** Characters of text for one token, on the safe side. */
const CHARS_PER_TOKEN = 3;
/** Part of the context that a transcript may take; the rest is for tools and the answer. */
const TRANSCRIPT_SHARE = 0.6;
const OUTPUT_RAISE = 4;

/** Remembers what `run` was told, for every worker of the session and as defaults of the next run. */
export async function writeRunSettings(sessionDir: string, settings: RunSettings): Promise<void> {
  await writeDurably(settingsPath(sessionDir), `${JSON.stringify(RunSettings.parse(settings), null, 2)}\n`);
}

/** The settings of the last run with the given ones over them; null when the file is damaged. */
export async function runSettings(sessionDir: string, given: RunSettings): Promise<RunSettings | null> {
  const last = await readRunSettings(sessionDir);
  return last === null ? null : { ...last, ...given };
}

/** All layers of configuration, the command line first: `settings`, else those of the last run. */
export async function readConfig(
  sessionDir: string,
  places: ConfigPlaces,
  given?: RunSettings,
): Promise<SessionConfig> {
  const settings = given ?? (await readRunSettings(sessionDir));
  if (settings === null) return { ok: false, messages: [RUN_SETTINGS_DAMAGED] };
  const commandLine = commandLineOf(settings);
  return loadConfig({ sessionDir, userDir: places.userDir, env: places.env, commandLine });
}

/** What `loadConfig` is asked with for a session: the settings of the last run stand for its command line. */
export async function configRequest(
  sessionDir: string,
  { userDir, env }: ConfigPlaces,
): Promise<ConfigRequest | null> {
  const settings = await readRunSettings(sessionDir);
  return settings === null ? null : { sessionDir, userDir, env, commandLine: commandLineOf(settings) };
}

function commandLineOf(settings: RunSettings): CommandLineSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** A changed file counts within this time: agents ask before every call. */
const CONFIG_FRESH_MS = 500;

/** The directory that model calls use; configuration is read anew as they go, so that a changed file counts. */
export function createModelDirectory(places: ConfigPlaces): ModelDirectory {
  const recent = new Map<string, { readonly atMs: number; readonly reading: Promise<SessionConfig> }>();
  const fresh = (sessionDir: string): Promise<SessionConfig> => {
    const known = recent.get(sessionDir);
    if (known !== undefined && performance.now() - known.atMs < CONFIG_FRESH_MS) return known.reading;
    const reading = readConfig(sessionDir, places);
    recent.set(sessionDir, { atMs: performance.now(), reading });
    return reading;
  };
  return {
    async choose(sessionDir, stageId, role): Promise<ModelChoice | null> {
      const read = await fresh(sessionDir);
      if (!read.ok) throw new Error(`Cannot read the configuration: ${read.messages.join('; ')}`);
      const { config } = read;
      const model = config.models[role];
      if (model === null) return null;
      const { alias, modelId, baseUrl, maxOutputTokens, price, supportsTools, toolCalls, apiKey } = model;
      const form = toolCalls === undefined ? {} : { toolCalls };
      const room = Math.max(1000, model.contextTokens - maxOutputTokens);
      return {
        target: { alias, modelId, baseUrl, maxOutputTokens, price, supportsTools, ...form, apiKey },
        cap: {
          scope: stageId,
          maxCostMicroUsd: config.limits.costCapMicroUsd ?? Number.MAX_SAFE_INTEGER,
          maxTokensWhenUnpriced: config.maxUnpricedTokens,
        },
        raisedOutputTokens: raisedLimit(maxOutputTokens, model.contextTokens),
        onUnknown: config.onUnknown,
        transcriptMaxChars: Math.floor(room * CHARS_PER_TOKEN * TRANSCRIPT_SHARE),
      };
    },
  };
}

/** Where an answer was cut, the next ones may be longer, as far as the context of the model allows. */
function raisedLimit(maxOutputTokens: number, contextTokens: number): number | null {
  const raised = Math.min(OUTPUT_RAISE * maxOutputTokens, Math.floor(contextTokens / 2));
  return raised > maxOutputTokens ? raised : null;
}

function settingsPath(sessionDir: string): string {
  return join(sessionDir, '.a7', 'run.json');
}

/** What `run` was told last; null when the file is damaged. */
async function readRunSettings(sessionDir: string): Promise<RunSettings | null> {
  try {
    return RunSettings.parse(JSON.parse(await readFile(settingsPath(sessionDir), 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
