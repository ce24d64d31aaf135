/**
 * The forwarder: a unix socket on the host that speaks to one model endpoint, puts in the real key, counts tokens and money
 * against the cap, and refuses everything else. What may pass is decided in `core/model/door-rules.ts`
 * and `door-body.ts`.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { DoorRequest, OpenDoor } from '../../core/ports/agent-driver.ts';
import { openCallRecord } from './call-record.ts';
import { Door } from './door.ts';
import { openTunnels } from './tunnels.ts';
import type { ForwarderTarget } from './upstream.ts';

export interface ForwarderOptions {
  readonly request: DoorRequest;
  /** Null: no model, only the tunnels of the order. */
  readonly target: ForwarderTarget | null;
  /** Folder for sockets; only its owner may enter. */
  readonly doors: string;
  /** Requests of any kind before the door is shut. Default 10,000. */
  readonly floodMax?: number;
  /** Other times than the usual ones. */
  readonly http?: Pick<ServerOptions, 'requestTimeout' | 'headersTimeout' | 'connectionsCheckingInterval'>;
}

const CONNECTIONS_MAX = 64;
const HTTP = {
  maxHeaderSize: 32 * 1024,
  requireHostHeader: false,
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** Opens a door: a folder with `model.sock`, for one room. */
export async function openForwarder(options: ForwarderOptions): Promise<OpenDoor> {
  const { request, target, doors, http, floodMax } = options;
  const outer = join(ownFolder(doors), randomBytes(6).toString('hex'));
  const folder = join(outer, 'd');
  mkdirSync(outer, { mode: 0o700 });
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(folder, 0o755);
  const record = request.record ?? openCallRecord(request);
  const token = `a7-room-${randomBytes(12).toString('hex')}`;
  const door = new Door(request, target, record, floodMax);
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    door.serve(incoming, response).catch(() => response.destroy());
  };
  const server = createServer({ ...HTTP, ...http }, serve);
  server.maxConnections = CONNECTIONS_MAX;
  // What Node would answer by itself is counted like every request: expectations, and what has no host.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!door.connected()) socket.destroy();
  });
  server.on('drop', () => door.connected());
  // Also those that Node has let go of (tunnels, upgrades): one that nobody reads would keep a closing server open for ever.
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  // Whoever flooded it finds nobody there any more: also to end a connection costs time.
  door.onShut = () => {
    server.close();
    hangUp();
  };
  // Node answers what is no HTTP by 400 and ends the connection; here it is counted, too.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (door.admit()) door.refused('', 400, `no HTTP request: ${error.code ?? 'unreadable'}`);
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    else socket.destroy();
  });
  openTunnels(server, request.networkHosts, door);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder, 'model.sock'), resolve);
  });
  chmodSync(join(folder, 'model.sock'), 0o666);
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    hangUp();
    await Promise.all([closed, door.close()]);
    await record.close();
    rmSync(outer, { recursive: true, force: true });
  };
  let closing: Promise<void> | null = null;
  return {
    folder,
    token,
    model: target?.modelId ?? '',
    usage: () => record.usage(),
    limitHit: () => door.limitHit,
    noAccess: () => door.noAccess,
    close: () => (closing ??= close()),
  };
}

/** Made for its owner alone. @throws where another user could put a folder of his own in the place of a door */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const info = lstatSync(path);
  if (!info.isDirectory() || info.uid !== process.getuid?.() || (info.mode & 0o022) !== 0)
    throw new Error(
      `Cannot open a door to a model in "${path}": another user may write there; remove it, or set A7_HOME to a shorter path`,
    );
  return path;
}
