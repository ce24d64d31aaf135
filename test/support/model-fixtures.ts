/** A session folder, a scripted server and requests for tests of the model port. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelAdapterOptions, createModelAdapter } from '../../adapters/model/model-adapter.ts';
import { parseModelScript } from '../../adapters/model-server/script-file.ts';
import { type ModelServer, startModelServer } from '../../adapters/model-server/server.ts';
import { withLock } from '../../adapters/store/lock.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import type { ModelPort, ModelRequest } from '../../core/ports/model.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { ChatTool, ModelPrice } from '../../schemas/model.ts';

export const PRICE: ModelPrice = { inputMicroUsdPerMTok: 1_000_000, outputMicroUsdPerMTok: 2_000_000 };
export const TEST_KEY = 'sk-test-0123456789abcdef';

export const READ_FILE_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};

/** A new folder that `removeFolders` removes. */
export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'a7-model-')));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
}

/** Starts a server for a script given as data. */
export function serveScript(
  script: Omit<ModelScriptInput, 'version'>,
  options: { readonly recordDir?: string; readonly port?: number } = {},
): Promise<ModelServer> {
  return startModelServer({ script: parseModelScript({ version: 1, ...script }, 'test'), ...options });
}

/** An adapter with the real store and lock. */
export function makeModel(options: Partial<ModelAdapterOptions> = {}): ModelPort {
  return createModelAdapter({
    objectsOf: (sessionDir) => createObjectFiles({ dir: join(sessionDir, 'objects') }),
    withLock,
    env: { TEST_MODEL_KEY: TEST_KEY },
    pollMs: 20,
    progressEveryMs: 50,
    ...options,
  });
}

export interface RequestParts {
  readonly sessionDir: string;
  readonly baseUrl: string;
  readonly turn?: number;
  readonly prompt?: string;
  readonly price?: ModelPrice | null;
  readonly maxCostMicroUsd?: number;
  readonly maxTokensWhenUnpriced?: number;
  readonly maxOutputTokens?: number;
  readonly onUnknown?: ModelRequest['onUnknown'];
  readonly supportsTools?: boolean;
}

/** A request of the builder of `price.money`, dispatch 1. */
export function makeRequest(parts: RequestParts): ModelRequest {
  const turn = parts.turn ?? 1;
  return {
    key: `core/price.money/1/${String(turn)}`,
    sessionDir: parts.sessionDir,
    fence: 1,
    coordinates: { role: 'builder', stage: 'core', node: 'price.money', dispatch: 1, turn },
    model: {
      alias: 'test',
      modelId: 'scripted',
      baseUrl: parts.baseUrl,
      maxOutputTokens: parts.maxOutputTokens ?? 100,
      price: parts.price === undefined ? PRICE : parts.price,
      supportsTools: parts.supportsTools ?? true,
      apiKey: { envName: 'TEST_MODEL_KEY', filePath: null },
    },
    messages: [{ role: 'user', content: parts.prompt ?? 'Build price/money.py' }],
    tools: [READ_FILE_TOOL],
    cap: {
      scope: 'core',
      maxCostMicroUsd: parts.maxCostMicroUsd ?? 2_000_000,
      maxTokensWhenUnpriced: parts.maxTokensWhenUnpriced ?? 1_000_000,
    },
    onUnknown: parts.onUnknown ?? 'repay_once',
  };
}
