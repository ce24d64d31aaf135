/** Finds and reads the configuration of a session: all layers of seed 001, strongest first. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  type CommandLineSettings,
  commandLineFields,
  type ConfigLayer,
  type ConfigSource,
  environmentFields,
} from '../../core/config/layer.ts';
import { resolveConfig, type ResolvedLayers } from '../../core/config/resolve.ts';
import { errorCode, readFault } from '../../core/text/error-text.ts';
import { readNamedText } from '../system/named-file.ts';
import { formatProblems, schemaMessage } from '../../core/text/located-problem.ts';
import { ConfigFile, ModelsFile } from '../../schemas/config.ts';
import { checkDocument } from '../../schemas/problems.ts';
import { parseToml } from './toml.ts';

export interface ConfigRequest {
  /** Absolute path of the session folder; it need not exist yet. */
  readonly sessionDir: string;
  /** Folder of the user's configuration: `A7_HOME`, or `~/.a7`. */
  readonly userDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commandLine: CommandLineSettings;
}

export type LoadedConfig =
  | Extract<ResolvedLayers, { ok: true }>
  /** One line a fault: place, action, rule, value, next step. */
  | { readonly ok: false; readonly messages: readonly string[] };

type LayerResult =
  { readonly ok: true; readonly layer: ConfigLayer } | { readonly ok: false; readonly messages: string[] };

/** All layers, strongest first, and what is wrong with those that are left out. */
export async function readLayers(
  request: ConfigRequest,
): Promise<{ readonly layers: readonly ConfigLayer[]; readonly messages: readonly string[] }> {
  const results = [
    settingsLayer(
      'command_line',
      'the command line',
      commandLineFields(request.commandLine),
      request.commandLine.baseUrl,
    ),
    settingsLayer('environment', 'the environment', environmentFields(request.env)),
    ...(await Promise.all((await folders(request)).map((folder) => readFolder(folder)))),
  ];
  return {
    layers: results.flatMap((result) => (result.ok ? [result.layer] : [])),
    messages: results.flatMap((result) => (result.ok ? [] : result.messages)),
  };
}

/** Reads all layers and resolves them. Never throws for what files, environment or command line hold. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const { layers, messages } = await readLayers(request);
  if (messages.length > 0) return { ok: false, messages };
  const resolved = resolveConfig(layers);
  if (resolved.ok) return resolved;
  const lines = resolved.faults.map((fault) => [fault.message, fault.suggestion ?? []].flat().join('. '));
  return { ok: false, messages: lines };
}

interface ConfigFolder {
  readonly kind: 'session' | 'project' | 'user';
  readonly path: string;
}

/** The session's own folder, the nearest one above it, and the user's; each once. */
async function folders({ sessionDir, userDir }: ConfigRequest): Promise<ConfigFolder[]> {
  const own = join(resolve(sessionDir), '.a7');
  const user = resolve(userDir);
  const project = await nearestAbove(resolve(sessionDir), user);
  return [
    ...(own === user ? [] : [{ kind: 'session', path: own } as const]),
    ...(project === null ? [] : [{ kind: 'project', path: project } as const]),
    { kind: 'user', path: user },
  ];
}

async function nearestAbove(start: string, userDir: string): Promise<string | null> {
  for (let folder = dirname(start); ; folder = dirname(folder)) {
    const candidate = join(folder, '.a7');
    if (candidate !== userDir && (await isFolder(candidate))) return candidate;
    if (folder === dirname(folder)) return null;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function settingsLayer(
  kind: 'command_line' | 'environment',
  subject: string,
  fields: Record<string, unknown>,
  baseUrl?: string,
): LayerResult {
  const checked = checkDocument(ConfigFile, fields);
  const messages = checked.ok
    ? []
    : checked.problems.map((problem) => schemaMessage(subject, problem.path, problem).message);
  if (baseUrl !== undefined && !/^https?:\/\/[^\s/]/.test(baseUrl)) {
    messages.push(
      `Cannot use ${subject}: "base-url" must be an http or https address, current value is "${baseUrl}"`,
    );
  }
  if (!checked.ok || messages.length > 0) return { ok: false, messages };
  const source = { kind, path: '' };
  return {
    ok: true,
    layer: { source, config: checked.value, models: {}, keyPath: null, baseUrl: baseUrl ?? null },
  };
}

async function readFolder({ kind, path }: ConfigFolder): Promise<LayerResult> {
  const [config, models, key] = await Promise.all([
    readToml(join(path, 'config.toml'), ConfigFile, 'the configuration'),
    readToml(join(path, 'models.toml'), ModelsFile, 'the models'),
    findKey(join(path, 'key')),
  ]);
  const messages = [config, models, key].flatMap((part) => (part.ok ? [] : part.messages));
  if (!config.ok || !models.ok || !key.ok) return { ok: false, messages };
  const source: ConfigSource = { kind, path: join(path, 'config.toml') };
  return {
    ok: true,
    layer: { source, config: config.value, models: models.value, keyPath: key.path, baseUrl: null },
  };
}

type TomlFile<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly messages: string[] };

/** A missing file is an empty layer. */
async function readToml<S extends typeof ConfigFile | typeof ModelsFile>(
  path: string,
  schema: S,
  subject: string,
): Promise<TomlFile<ReturnType<S['parse']>>> {
  let text = '';
  try {
    text = await readNamedText(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      return { ok: false, messages: [`Cannot read "${path}": ${readFault(error)}`] };
    }
  }
  const parsed = parseToml(text, schema, subject);
  if (!parsed.ok) return { ok: false, messages: [formatProblems(path, parsed.problems)] };
  return { ok: true, value: parsed.value as ReturnType<S['parse']> };
}

/** The key file is only named here, never read; one that others may read is refused. */
async function findKey(
  path: string,
): Promise<{ ok: true; path: string | null } | { ok: false; messages: string[] }> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) === 0) return { ok: true, path };
    const shown = (mode & 0o777).toString(8);
    return {
      ok: false,
      messages: [
        `Cannot use key file "${path}": its mode must be 600, current mode is ${shown}. Run: chmod 600 "${path}"`,
      ],
    };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: true, path: null };
    return { ok: false, messages: [`Cannot read "${path}": ${readFault(error)}`] };
  }
}
