/** Whether anybody serves the orders of a data folder now. */
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { errorCode } from '../../../core/text/error-text.ts';
import { orderQueues } from '../../queues.ts';
import type { Surroundings } from '../common.ts';
import { findServer } from '../server.ts';
import { type OrderData, withClient } from './data.ts';

/** A worker asks again within a minute, as long as it lives. */
const SILENT_MAX_MS = 75_000;

/** One that asked the server for work. */
export interface Poller {
  /** `PID@HOST`. */
  readonly identity?: string | null;
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

/** The server names workers for minutes after their end: one of this host is asked for by its process. */
export function isAlive({ identity, lastAccessTime }: Poller, nowMs: number): boolean {
  const [, pid = '', host = ''] = /^(\d+)@(.+)$/.exec(identity ?? '') ?? [];
  if (host === hostname()) return processLives(Number(pid));
  return nowMs - Number(lastAccessTime?.seconds ?? 0) * 1000 < SILENT_MAX_MS;
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** True when some worker takes the orders of this data folder. */
export async function isServed(
  { workflowService, options: { namespace } }: Client,
  data: Pick<OrderData, 'id'>,
): Promise<boolean> {
  const taskQueue = { name: orderQueues(data.id).control };
  const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue });
  return pollers.some((poller) => isAlive(poller, Date.now()));
}

/** The same where the server may be away: then nobody does. */
export async function servedNow(around: Surroundings, data: Pick<OrderData, 'id'>): Promise<boolean> {
  const place = await findServer(around);
  if (place === null) return false;
  return withClient(place, (client) => isServed(client, data)).catch(() => false);
}
