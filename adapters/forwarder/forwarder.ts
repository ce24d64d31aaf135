/**
 * The forwarder: a unix socket on the host that speaks to one model endpoint, puts in the real key, counts tokens and money
 * against the cap, and refuses everything else. What may pass is decided in `core/model/door-rules.ts`.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
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
}

/** Opens a door: a folder with `model.sock`, for one room. */
export async function openForwarder({ request, target, doors }: ForwarderOptions): Promise<OpenDoor> {
  const outer = join(doors, randomBytes(6).toString('hex'));
  const folder = join(outer, 'd');
  mkdirSync(outer, { recursive: true, mode: 0o700 });
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(folder, 0o755);
  const record = openCallRecord(request.folder);
  const token = `a7-room-${randomBytes(12).toString('hex')}`;
  const door = new Door(request, target, record);
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000 }, (incoming, response) => {
    door.serve(incoming, response).catch(() => response.destroy());
  });
  const tunnels = openTunnels(server, request.order.policy.networkHosts);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder, 'model.sock'), resolve);
  });
  chmodSync(join(folder, 'model.sock'), 0o666);
  return {
    folder,
    token,
    model: target?.modelId ?? '',
    usage: () => record.usage(),
    limitHit: () => door.limitHit,
    async close(): Promise<void> {
      door.close();
      tunnels.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      rmSync(outer, { recursive: true, force: true });
    },
  };
}
