/** Which Temporal server a process uses: a configured one, else the embedded one of its home (design part 11). */
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { homeFolder, readRecord, isRunning } from '../../adapters/temporal/home.ts';
import { address, ensureServer, ServerUnavailable, stopServer } from '../../adapters/temporal/server.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { addSearchAttributes, SEARCH_ATTRIBUTES } from '../search-attributes.ts';
import type { Surroundings } from './common.ts';

export interface ServerPlace {
  readonly address: string;
  readonly namespace: string;
  /** Address of the pages; null when it is not ours and nobody told. */
  readonly ui: string | null;
  /** True: ours, restarted when it dies. */
  readonly embedded: boolean;
  /** The server has our search attributes: ours is started with them, a foreign one may refuse them. */
  readonly searchable: boolean;
}

const NAMESPACE = 'default';
/** A configured server that is silent for this long is not there. */
const CONNECT_TIMEOUT = '3s';

/** The serving server; the embedded one is started when it is not there. @throws {ServerUnavailable} */
export async function openServer(around: Surroundings): Promise<ServerPlace> {
  const configured = configuredServer(around);
  if (configured !== null) return reached(configured);
  const { temporal } = await readToolchain();
  const record = await ensureServer({
    home: homeFolder(around.env),
    program: temporal.path,
    programVersion: temporal.version,
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  return {
    address: address(record),
    namespace: NAMESPACE,
    ui: `http://127.0.0.1:${String(record.uiPort)}`,
    embedded: true,
    searchable: true,
  };
}

/** The server that is there already, without starting one. */
export async function findServer(around: Surroundings): Promise<ServerPlace | null> {
  const configured = configuredServer(around);
  if (configured !== null) return configured;
  const record = await readRecord(homeFolder(around.env));
  if (record === null || !(await isRunning(record))) return null;
  return {
    address: address(record),
    namespace: NAMESPACE,
    ui: `http://127.0.0.1:${String(record.uiPort)}`,
    embedded: true,
    searchable: true,
  };
}

/** Stops the embedded server of this home. */
export function closeServer(around: Surroundings): Promise<boolean> {
  return stopServer(homeFolder(around.env));
}

/** `TEMPORAL_ADDRESS` or Temporal's own configuration file; null when neither names a server. */
function configuredServer({ env }: Surroundings): ServerPlace | null {
  if ((env['TEMPORAL_ADDRESS'] ?? env['TEMPORAL_CONFIG_FILE'] ?? env['TEMPORAL_PROFILE']) === undefined)
    return null;
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: definedOf(env) });
  if (connectionOptions.address === undefined) return null;
  return {
    address: connectionOptions.address,
    namespace: namespace ?? NAMESPACE,
    ui: env['TEMPORAL_UI'] ?? null,
    embedded: false,
    searchable: false,
  };
}

async function reached(place: ServerPlace): Promise<ServerPlace> {
  try {
    const connection = await Connection.connect({ address: place.address, connectTimeout: CONNECT_TIMEOUT });
    const searchable = await addSearchAttributes(connection, place.namespace);
    await connection.close();
    return { ...place, searchable };
  } catch {
    throw new ServerUnavailable(
      `Cannot reach the Temporal server at ${place.address}: it does not answer. Start it, or unset TEMPORAL_ADDRESS, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE to use the embedded one`,
    );
  }
}

/** Page of a workflow. */
export function pageOf(place: ServerPlace, workflowId: string): string | null {
  if (place.ui === null) return null;
  return `${place.ui}/namespaces/${place.namespace}/workflows/${encodeURIComponent(workflowId)}`;
}

function definedOf(env: Surroundings['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
