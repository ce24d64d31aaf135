/** Orders as folders: `<home>/orders/<id>/`, workspaces beside them (docs/orders.md has the layout). */
import { appendFileSync, mkdirSync } from 'node:fs';
import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldOrder } from '../../core/order/fold.ts';
import type { OrderState } from '../../core/order/types.ts';
import type { OrderFolder, OrderStore, Workspace } from '../../core/ports/orders.ts';
import type { LedgerPort } from '../../core/ports/session.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import { OrderEvent } from '../../schemas/order-ledger.ts';
import { OrderId } from '../../schemas/order.ts';
import { createExclusively, removeDeadTemps, writeDurably } from '../system/files.ts';

/** An order whose ledger was changed, or is of a version that this one does not know. */
export class OrderUnreadable extends Error {
  override readonly name = 'OrderUnreadable';
}

/** What the store is made of; the ledger and the trees are adapters of their own. */
export interface OrderStoreParts {
  readonly ledgerOf: (path: string, lockName: string) => LedgerPort<OrderEvent>;
  readonly openWorkspace: (dir: string, id: string) => Promise<Workspace>;
}

/** Folder of all orders of a home. */
export function ordersFolder(home: string): string {
  return join(home, 'orders');
}

/** The store of one home. */
export function createOrderStore(home: string, parts: OrderStoreParts): OrderStore {
  const root = ordersFolder(home);
  const workspaces = new Map<string, Promise<Workspace>>();
  const folders = new Map<string, OrderFolder>();
  const folderOf = (id: string): OrderFolder => {
    const known = folders.get(id) ?? folder(join(root, id), id, parts);
    folders.set(id, known);
    return known;
  };
  return {
    async create(order): Promise<OrderFolder> {
      const made = folderOf(order.id);
      try {
        await made.put('order.json', prettyJson(order));
        await made.put('task.md', order.task.endsWith('\n') ? order.task : `${order.task}\n`);
        await append(made, { type: 'order_submitted', data: { order } });
      } catch (error) {
        await rm(made.dir, { recursive: true, force: true });
        throw error;
      }
      return made;
    },
    async open(id): Promise<OrderFolder | null> {
      if (!OrderId.safeParse(id).success) return null;
      const ledger = await stat(join(root, id, 'events.jsonl')).catch(() => null);
      return (ledger?.size ?? 0) > 0 ? folderOf(id) : null;
    },
    async list(): Promise<readonly string[]> {
      const names = (await readdir(root).catch(() => [])).filter((name) => OrderId.safeParse(name).success);
      // Its first line makes an order: who was killed before has left a folder and nothing else.
      const begun = await Promise.all(
        names.map((name) => stat(join(root, name, 'events.jsonl')).catch(() => null)),
      );
      return names.filter((_name, at) => (begun[at]?.size ?? 0) > 0).toSorted();
    },
    workspace(id): Promise<Workspace> {
      const known = workspaces.get(id) ?? parts.openWorkspace(join(home, 'workspaces', id), id);
      workspaces.set(id, known);
      return known;
    },
    async close(): Promise<void> {
      for (const opened of workspaces.values()) await (await opened).trees.close();
      workspaces.clear();
    },
  };
}

async function append(made: OrderFolder, event: OrderEvent): Promise<void> {
  const done = await made.ledger.append({ run: 0, fromSeq: 1, events: [event] });
  if (done.kind !== 'appended') throw new Error(`Cannot submit order ${made.id}: its ledger is not new`);
}

function folder(dir: string, id: string, { ledgerOf }: OrderStoreParts): OrderFolder {
  const path = (name: string): string => {
    if (name.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw new RangeError(`Cannot name an artifact "${name}": it must be a plain relative path`);
    return join(dir, name);
  };
  const ledger = ledgerOf(join(dir, 'events.jsonl'), `a7-order:${dir}`);
  const events = async (): Promise<readonly OrderEvent[]> => {
    const read = await ledger.read();
    if (read.kind === 'corrupt')
      throw new OrderUnreadable(
        `Cannot read order ${id}: line ${String(read.fault.line)} of its ledger ${read.fault.reason}`,
      );
    if (read.lines.length === 0)
      throw new OrderUnreadable(
        `Cannot read order ${id}: the first line of its ledger is not whole, so it never began`,
      );
    return read.lines.map(({ type, data }) => OrderEvent.parse({ type, data }));
  };
  return {
    id,
    dir,
    ledger,
    events,
    state: async (): Promise<OrderState> => foldOrder(await events()),
    get: (name) => readOrNull(path(name)),
    put: (name, bytes) => writeDurably(path(name), bytes),
    async putFirst(name, bytes): Promise<Uint8Array> {
      if (await createExclusively(path(name), bytes)) return Buffer.from(bytes);
      return readFile(path(name));
    },
    append: (name, bytes) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      appendFileSync(path(name), bytes);
    },
    keys: async () =>
      (await readdir(path('.a7/keys')).catch(() => [])).map((name) => `.a7/keys/${name}`).toSorted(),
    pathOf: path,
    tidy: async () => {
      removeDeadTemps(dir);
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      for (const entry of entries)
        if (entry.isDirectory()) removeDeadTemps(join(entry.parentPath, entry.name));
    },
  };
}

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
