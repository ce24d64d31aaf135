/** The lease of a workspace: one holder, first come first served, taken over from who is gone (core/ports/orders.ts, D3). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { takeLease } from '../../activities/order/ledger-steps.ts';
import type { OrderPorts } from '../../activities/order/ports.ts';
import { openWorkspace } from '../../adapters/git/order-workspace.ts';
import { withLock } from '../../adapters/store/lock.ts';
import type { Workspace } from '../../core/ports/orders.ts';
import { tempFolder, type TempFolder } from '../support/git-repo.ts';

let home: TempFolder;
beforeAll(async () => {
  home = await tempFolder();
});
afterAll(() => home.remove());

/** What is known of the other orders: `moving`, `ended`, or left without a workflow; an unknown one has no folder. */
type Known = Map<string, 'moving' | 'ended' | 'left'>;

function portsOf(workspace: Workspace, known: Known): OrderPorts {
  const state = (id: string): object => ({
    order: { id, workspace: workspace.id },
    end: known.get(id) === 'ended' ? {} : null,
  });
  const store = {
    open: (id: string) =>
      Promise.resolve(known.has(id) ? { id, state: () => Promise.resolve(state(id)) } : null),
    workspace: () => Promise.resolve(workspace),
  };
  const isMoving = (id: string): Promise<boolean> => Promise.resolve(known.get(id) === 'moving');
  return { store, isMoving, nowMs: () => performance.now() } as object as OrderPorts;
}

async function line(name: string, ...orders: readonly string[]): Promise<Workspace> {
  const workspace = await openWorkspace(join(home.path, name), name, withLock);
  for (const each of orders) await workspace.enqueue(each);
  return workspace;
}

/** The activity, and the first time that it says whom it waits for. */
function asked(
  ports: OrderPorts,
  orderId: string,
): { readonly end: Promise<unknown>; readonly ahead: Promise<unknown[]> } {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const ahead = once(environment, 'heartbeat');
  return { end: environment.run(() => takeLease(ports, { orderId })), ahead };
}

describe('takeLease()', () => {
  test.each([
    ['has ended', 'ended'],
    ['is moved by no workflow', 'left'],
    ['has no folder any more', undefined],
  ] as const)('passes over a holder that %s, and says whose it was', async (_how, fate) => {
    const workspace = await line(`lost-${fate ?? 'gone'}`, 'a', 'b');
    const known: Known = new Map([
      ['a', 'moving'],
      ['b', 'moving'],
    ]);
    const ports = portsOf(workspace, known);
    expect(await asked(ports, 'a').end).toEqual({ tookOverFrom: null });
    if (fate === undefined) known.delete('a');
    else known.set('a', fate);
    expect(await asked(ports, 'b').end).toEqual({ tookOverFrom: 'a' });
    // Who was passed over and comes back gives back nothing that is another's.
    await workspace.release('a');
    expect(await workspace.holder()).toBe('b');
    await workspace.trees.close();
  });

  test('waits for a holder that moves, in the order of submission, and keeps the lease of a repeated step', async () => {
    const workspace = await line('line', 'a', 'b', 'c');
    const known: Known = new Map(['a', 'b', 'c'].map((id) => [id, 'moving']));
    const ports = portsOf(workspace, known);
    await asked(ports, 'a').end;
    expect(await asked(ports, 'a').end).toEqual({ tookOverFrom: null });
    const third = asked(ports, 'c');
    expect(await third.ahead).toEqual([['a', 'b']]);
    const second = asked(ports, 'b');
    await second.ahead;
    await workspace.release('a');
    expect(await second.end).toEqual({ tookOverFrom: null });
    // An order that waits in front and is gone is passed over, too.
    await workspace.release('b');
    expect(await third.end).toEqual({ tookOverFrom: null });
    expect(await workspace.holder()).toBe('c');
    await workspace.trees.close();
  });
});
