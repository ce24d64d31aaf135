/**
 * `a7-rt worker` of the product with one strike between its ports: a marker is written, then the process is killed. Arguments:
 * backend, and JSON of a {@link OrderStrike} or `null`.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { OrderPorts } from '../../../activities/order/ports.ts';
import type { OrderFolder } from '../../../core/ports/orders.ts';
import { createOrderServices } from '../../../workers/services/orders/index.ts';
import type { OrderStrike } from './yard.ts';

const [backend = 'bubblewrap', json = 'null'] = process.argv.slice(2);
const strike = JSON.parse(json) as OrderStrike | null;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const services = createOrderServices({
  env: process.env,
  ...(strike === null ? {} : { wrapOrderPorts: (ports: OrderPorts) => struckPorts(ports, strike) }),
});
void services
  .serve(backend as 'docker' | 'bubblewrap', (text) => process.stderr.write(`${text}\n`), stop.signal)
  .then((served) => {
    if (!served.ok) process.stderr.write(`${JSON.stringify(served)}\n`);
  });

function struckPorts(ports: OrderPorts, { point, marker }: OrderStrike): OrderPorts {
  const reached = (now: string): void => {
    if (now !== point) return;
    const file = openSync(marker, 'w');
    writeSync(file, now);
    fsyncSync(file);
    closeSync(file);
    process.kill(process.pid, 'SIGKILL');
  };
  const wrapped = (folder: OrderFolder): OrderFolder => ({
    ...folder,
    ledger: {
      read: () => folder.ledger.read(),
      async append(request) {
        const done = await folder.ledger.append(request);
        for (const { type } of request.events) reached(`appended:${type}`);
        return done;
      },
    },
    async put(name, bytes) {
      await folder.put(name, bytes);
      reached(`stored:${name}`);
    },
    async putFirst(name, bytes) {
      const stored = await folder.putFirst(name, bytes);
      reached(`stored:${name}`);
      return stored;
    },
    append(name, bytes) {
      folder.append(name, bytes);
      reached(`logged:${name}`);
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
