/** Which Temporal server a process uses: a configured one, else the embedded one of its home (design part 11). */
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type ServerRecord, homeFolder, readRecord, isRunning } from '../../adapters/temporal/home.ts';
import { address, ensureServer, ServerUnavailable, stopServer } from '../../adapters/temporal/server.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { addSearchAttributes, SEARCH_ATTRIBUTE_NAMES } from '../search-attributes.ts';
import type { Surroundings } from './common.ts';

/** How to reach a server: all that its profile says, so that keys and certificates of a cloud are used by everybody. */
export type ServerConnection = Pick<ConnectionOptions, 'tls' | 'metadata'> & {
  readonly address: string;
  readonly apiKey?: string;
};

export interface ServerPlace {
  readonly address: string;
  /** Given to every client and worker. May hold secrets: never shown, never stored. */
  readonly connection: ServerConnection;
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
const ANSWER_MS = 3_000;

/** The serving server; the embedded one is started when it is not there. @throws {ServerUnavailable} */
export async function openServer(around: Surroundings): Promise<ServerPlace> {
  const configured = configuredServer(around);
  if (configured !== null) return reached(configured);
  const { temporal } = await readToolchain();
  const record = await ensureServer({
    home: homeFolder(around.env),
    program: temporal.path,
    programVersion: temporal.version,
    searchAttributes: SEARCH_ATTRIBUTE_NAMES,
  });
  // Its flags name them for a new database only: one of an older version lacks what came since.
  const place = embedded(record);
  const connection = await connectTo(place);
  try {
    return { ...place, searchable: await addSearchAttributes(connection, place.namespace) };
  } finally {
    await connection.close();
  }
}

/** The server that is there already, without starting one. */
export async function findServer(around: Surroundings): Promise<ServerPlace | null> {
  const configured = configuredServer(around);
  if (configured !== null) return configured;
  const record = await readRecord(homeFolder(around.env));
  if (record === null || !(await isRunning(record))) return null;
  return embedded(record);
}

function embedded(record: ServerRecord): ServerPlace {
  return {
    address: address(record),
    connection: { address: address(record) },
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
export function configuredServer({ env }: Surroundings): ServerPlace | null {
  if ((env['TEMPORAL_ADDRESS'] ?? env['TEMPORAL_CONFIG_FILE'] ?? env['TEMPORAL_PROFILE']) === undefined)
    return null;
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: definedOf(env) });
  const { address: named, tls, apiKey, metadata } = connectionOptions;
  if (named === undefined) return null;
  return {
    address: named,
    connection: {
      address: named,
      ...(tls === undefined ? {} : { tls }),
      ...(typeof apiKey === 'string' ? { apiKey } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    },
    namespace: namespace ?? NAMESPACE,
    ui: env['TEMPORAL_UI'] ?? null,
    embedded: false,
    searchable: false,
  };
}

/** A connection as the place says; the caller closes it. */
export function connectTo(place: Pick<ServerPlace, 'connection'>): Promise<Connection> {
  return Connection.connect({ ...place.connection, connectTimeout: CONNECT_TIMEOUT });
}

/** True when the server answers and has the namespace. */
export async function answers(place: ServerPlace): Promise<boolean> {
  try {
    const connection = await connectTo(place);
    try {
      await connection.withDeadline(Date.now() + ANSWER_MS, () =>
        connection.workflowService.describeNamespace({ namespace: place.namespace }),
      );
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

async function reached(place: ServerPlace): Promise<ServerPlace> {
  try {
    const connection = await connectTo(place);
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
