/** Workflow `workOrder` on a real server with scripted activities: long histories, and messages while it continues as new. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { onOrderServer, type OrderWorld } from '../support/order-world.ts';
import { type TestServer, startTestServer } from '../support/server.ts';
import { quietWorkers } from '../support/worker-bundle.ts';

let server: TestServer;
beforeAll(async () => {
  quietWorkers();
  server = await startTestServer();
});
afterAll(() => server.stop());

/** What one iteration performs, once. */
const ITERATION = ['buildIteration', 'snapshotIteration', 'verifyIteration', 'writeFeedback'];
const isIterationStep = (step: string): boolean => ITERATION.some((name) => step.startsWith(`${name} `));

describe('workOrder', () => {
  test('continues as new between steps, performs each of them once, and loses no message', async () => {
    const told: string[] = [];
    const world: OrderWorld = {
      server,
      passesAt: 6,
      input: { historyEventsMax: 40 },
      during: async (step, order, iteration) => {
        if (step !== 'verifyIteration') return;
        const id = `a${String(iteration)}`;
        told.push(id);
        await order.tell({ kind: 'advice', id, by: 'tester', text: id });
      },
    };
    await onOrderServer(world, async (order) => {
      expect(await order.handle.result()).toMatchObject({ status: 'SUCCEEDED', code: 'pass' });
      const performed = order.steps.filter(isIterationStep);
      expect(performed).toEqual(
        [1, 2, 3, 4, 5, 6]
          .flatMap((iteration) => ITERATION.map((step) => `${step} ${String(iteration)}`))
          .slice(0, -1),
      );
      const { run, adviceIds, iterations } = order.state();
      expect(run).toBeGreaterThan(2);
      expect(adviceIds).toEqual(told);
      expect(iterations.flatMap(({ advice }) => advice)).toEqual(told.slice(0, -1));
    });
  });

  test('is cancelled where it would have continued', async () => {
    const world: OrderWorld = {
      server,
      passesAt: 3,
      input: { historyEventsMax: 1 },
      during: async (step, order) => {
        if (step === 'prepareOrder') await order.handle.cancel();
      },
    };
    await onOrderServer(world, async (order) => {
      expect(await order.handle.result()).toMatchObject({ status: 'CANCELED', code: 'cancelled' });
      expect(order.steps.filter((step) => step === 'closeOrder')).toEqual(['closeOrder']);
      expect(order.steps.filter(isIterationStep)).toEqual([]);
    });
  });
});
