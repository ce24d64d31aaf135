/** On a large repository a step of an order takes longer than a worker may be silent. */
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createOrderActivities } from '../../activities/order/index.ts';
import type { OrderPorts } from '../../activities/order/ports.ts';

type Step =
  'openWorkOrder' | 'appendOrder' | 'prepareOrder' | 'snapshotIteration' | 'writeFeedback' | 'closeOrder';

/** Every step begins by opening its order, where the disk has room: here that lasts until somebody has seen a sign of life. */
async function waits(name: Step): Promise<string> {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const seen = once(environment, 'heartbeat');
  const open = (): Promise<never> => seen.then(() => Promise.reject(new Error('seen')));
  const steps = createOrderActivities({
    store: { open },
    awaitSpace: () => Promise.resolve(),
  } as object as OrderPorts);
  const input = { at: { orderId: 'o' }, orderId: 'o' };
  return environment
    .run((given: object) => steps[name](given as never), input)
    .then(String, (error: unknown) => (error as Error).message);
}

test('each step of an order shows that it lives while it opens, copies or bundles', async () => {
  const names = [
    'openWorkOrder',
    'appendOrder',
    'prepareOrder',
    'snapshotIteration',
    'writeFeedback',
    'closeOrder',
  ] as const satisfies readonly Step[];
  expect(await Promise.all(names.map(waits))).toEqual(names.map(() => 'seen'));
});
