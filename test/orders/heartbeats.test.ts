/** On a large repository a step of an order takes longer than a worker may be silent. */
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createOrderActivities, type OrderActivities } from '../../activities/order/index.ts';
import type { OrderPorts } from '../../activities/order/ports.ts';

/** Every step begins by opening its order: here that lasts until somebody has seen a sign of life. */
async function waits(name: keyof OrderActivities): Promise<unknown> {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const seen = once(environment, 'heartbeat');
  const open = (): Promise<never> => seen.then(() => Promise.reject(new Error('seen')));
  const steps = createOrderActivities({ store: { open } } as object as OrderPorts);
  const step = steps[name] as (input: object) => Promise<unknown>;
  return environment.run(step, { at: { orderId: 'o' }, orderId: 'o' }).catch((error: Error) => error.message);
}

test('each step of an order shows that it lives while it opens, copies or bundles', async () => {
  const names = [
    'openWorkOrder',
    'appendOrder',
    'prepareOrder',
    'snapshotIteration',
    'writeFeedback',
    'closeOrder',
  ] as const;
  expect(await Promise.all(names.map(waits))).toEqual(names.map(() => 'seen'));
});
