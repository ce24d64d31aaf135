/** Wires the ports of work orders to adapters: the store of a home, its sources, agents and doors. */
import { basename, dirname, join } from 'node:path';
import type { OrderPorts } from '../activities/order/ports.ts';
import { readToml } from '../adapters/system/toml.ts';
import { readSnapshot } from '../adapters/git/read-snapshot.ts';
import { openWorkspace } from '../adapters/git/order-workspace.ts';
import { createOrderSources } from '../adapters/git/order-sources.ts';
import { createSessionKeys } from '../adapters/keys/session-keys.ts';
import { createOrderStore } from '../adapters/orders/order-store.ts';
import { createLedger } from '../adapters/store/ledger.ts';
import { withLock } from '../adapters/store/lock.ts';
import type { OrderStore } from '../core/ports/orders.ts';
import type { SessionKeys } from '../core/ports/signing.ts';
import { OrderEvent } from '../schemas/order-ledger.ts';
import { agentParts } from './agent-parts.ts';
import type { Machine } from './machine.ts';
import { createModelDoors } from './model-doors.ts';
import type { ConfigPlaces } from './models.ts';
import { spaceFor } from './services/disk-space.ts';
import { orderPlan } from './services/orders/plan.ts';
import { repositoryParts } from './services/gate/parts.ts';

/** Keys of an order's folder: its ledger is signed as a session's is (decision 0031). */
export function orderKeys(home: string, dir: string): SessionKeys {
  return createSessionKeys({
    home,
    dir,
    travelling: join(dir, '.a7', 'keys'),
    sessionId: `order-${basename(dir)}`,
  });
}

/** Orders and workspaces of a home. */
export function orderStoreOf(home: string): OrderStore {
  return createOrderStore(home, {
    ledgerOf: (path, lockName) =>
      createLedger<OrderEvent>({ path, lockName, events: OrderEvent, keys: orderKeys(home, dirname(path)) }),
    openWorkspace: (dir, id) => openWorkspace(dir, id, withLock),
  });
}

export interface OrderWiring {
  readonly home: string;
  readonly machine: Machine;
  readonly places: ConfigPlaces;
  readonly store: OrderStore;
  readonly isMoving: (orderId: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

/** Everything that the activities of orders are made of. */
export async function createOrderPorts({
  home,
  machine,
  places,
  store,
  isMoving,
  say,
}: OrderWiring): Promise<OrderPorts> {
  return {
    store,
    sources: createOrderSources(join(home, 'sources'), places.env),
    ...(await agentParts()),
    doors: createModelDoors(places, home),
    parts: repositoryParts(machine),
    image: machine.image,
    planOf: orderPlan,
    readSnapshot,
    readToml,
    isMoving,
    nowMs: () => performance.now(),
    awaitSpace: spaceFor(home, say),
  };
}
