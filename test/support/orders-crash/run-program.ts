/**
 * `a7-rt worker` of the product with strikes between its ports. Arguments: backend, and JSON of {@link OrderStrikes} or `null`.
 *  kill: a marker is written, then the process is killed.
 *  hold: a marker is written, and the step waits until the test takes it away.
 *  full: what is written there meets a full disk, once.
 */
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderPorts } from '../../../activities/order/ports.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import { createOrderServices } from '../../../workers/services/orders/index.ts';
import type { OrderStrikes } from './yard.ts';

const POLL_MS = 10;
const [backend = 'bubblewrap', json = 'null'] = process.argv.slice(2);
const strikes = JSON.parse(json) as OrderStrikes | null;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const services = createOrderServices({
  env: process.env,
  ...(strikes === null ? {} : { wrapOrderPorts: (ports: OrderPorts) => struckPorts(ports, strikes) }),
});
void services
  .serve(backend as 'docker' | 'bubblewrap', (text) => process.stderr.write(`${text}\n`), stop.signal)
  .then((served) => {
    if (!served.ok) process.stderr.write(`${JSON.stringify(served)}\n`);
  });

function struckPorts(ports: OrderPorts, { act, points, marker }: OrderStrikes): OrderPorts {
  const left = new Set(points);
  const mark = (point: string): void => {
    const file = openSync(marker, 'w');
    writeSync(file, point);
    fsyncSync(file);
    closeSync(file);
  };
  const before = (point: string): void => {
    if (act === 'full' && left.delete(point))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const kill = (point: string): void => {
    if (act !== 'kill' || !left.delete(point)) return;
    mark(point);
    process.kill(process.pid, 'SIGKILL');
  };
  const after = async (point: string): Promise<void> => {
    kill(point);
    if (act !== 'hold' || !left.delete(point)) return;
    mark(point);
    while (existsSync(marker)) await delay(POLL_MS);
  };
  const wrapped = (folder: OrderFolder): OrderFolder => ({
    ...folder,
    ledger: {
      read: () => folder.ledger.read(),
      async append(request) {
        for (const { type } of request.events) before(`appended:${type}`);
        const done = await folder.ledger.append(request);
        for (const { type } of request.events) await after(`appended:${type}`);
        return done;
      },
    },
    async put(name, bytes) {
      before(`stored:${name}`);
      await folder.put(name, bytes);
      await after(`stored:${name}`);
    },
    async putFirst(name, bytes) {
      before(`stored:${name}`);
      const stored = await folder.putFirst(name, bytes);
      await after(`stored:${name}`);
      return stored;
    },
    append(name, bytes) {
      before(`logged:${name}`);
      folder.append(name, bytes);
      kill(`logged:${name}`);
    },
  });
  const { store } = ports;
  return {
    ...ports,
    store: {
      ...store,
      async open(id) {
        const folder = await store.open(id);
        return folder === null ? null : wrapped(folder);
      },
    },
  };
}
