/** Which endpoint an order's agent may speak to, and the key that it never sees. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../adapters/config/load.ts';
import { openForwarder } from '../adapters/forwarder/forwarder.ts';
import type { ForwarderTarget } from '../adapters/forwarder/upstream.ts';
import { readApiKey } from '../adapters/model/api-key.ts';
import type { DoorRequest, ModelDoors } from '../core/ports/agent-driver.ts';
import type { ResolvedModel } from '../schemas/config.ts';
import type { ConfigPlaces } from './models.ts';

/** Doors of this machine; their sockets lie in a folder of the home that only its owner enters. */
export function createModelDoors(places: ConfigPlaces, home: string): ModelDoors {
  // A socket's path has at most 107 bytes.
  const near = join(home, 'doors');
  const doors =
    near.length <= 75
      ? near
      : join(tmpdir(), `a7-doors-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`);
  return {
    async open(request: DoorRequest) {
      mkdirSync(doors, { recursive: true, mode: 0o700 });
      const { agent, protocol } = request;
      const isModelless = protocol === null && 'model' in agent && agent.model === null;
      const target = isModelless ? null : await targetOf(agent, places);
      return openForwarder({ request, target, doors });
    },
  };
}

/** The model of an agent, with its key. @throws an error for people where it cannot be used */
export async function targetOf(agent: DoorRequest['agent'], places: ConfigPlaces): Promise<ForwarderTarget> {
  const model = 'target' in agent ? agent.target : await modelOf(agent, places);
  const key = await readApiKey(model.apiKey, places.env);
  if (key === null)
    throw new Error(
      `Cannot use model "${model.alias}": no key; set ${model.apiKey.envName} where the worker runs`,
    );
  return {
    modelId: model.modelId,
    baseUrl: model.baseUrl,
    maxOutputTokens: model.maxOutputTokens,
    price: model.price,
    key,
  };
}

type NamedModel = Exclude<DoorRequest['agent'], { readonly target: unknown }>;

/** The configured model of an agent. @throws an error for people */
export async function modelOf(agent: NamedModel, places: ConfigPlaces): Promise<ResolvedModel> {
  const loaded = await loadConfig({
    sessionDir: join(places.userDir, 'orders'),
    userDir: places.userDir,
    env: places.env,
    commandLine: {
      ...(agent.model === null ? {} : { model: agent.model }),
      ...(agent.baseUrl === null ? {} : { baseUrl: agent.baseUrl }),
    },
  });
  if (!loaded.ok) throw new Error(`Cannot read the configuration: ${loaded.messages.join('; ')}`);
  const model = loaded.config.models.builder;
  if (model === null)
    throw new Error(
      'No model is configured: name one with --model, and its endpoint with --base-url or OPENAI_BASE_URL',
    );
  return model;
}
