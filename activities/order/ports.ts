/** What the activities of work orders are made of. */
import type { AgentPrograms, ModelDoors } from '../../core/ports/agent-driver.ts';
import type { OrderFolder, OrderSources, OrderStore, Workspace } from '../../core/ports/orders.ts';
import type { RepositoryParts } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { Listing } from '../../core/ports/user-repository.ts';
import type { RefusedPath } from '../../core/repository/snapshot-rules.ts';
import type { FrozenPlan } from '../../schemas/order-files.ts';
import type { OrderGate, WorkOrder } from '../../schemas/order.ts';
import type { OrderAt } from '../../schemas/order.ts';
import { fatal } from '../shared/failures.ts';

export interface OrderPorts {
  readonly store: OrderStore;
  readonly sources: OrderSources;
  readonly programs: AgentPrograms;
  readonly doors: ModelDoors;
  readonly parts: RepositoryParts;
  /** Text of the program that joins a room's loopback to its door. */
  readonly doorProgram: SandboxFile;
  /** The plain image of rooms. */
  readonly image: string;
  readonly planOf: (
    listing: Listing,
    gate: OrderGate,
  ) => Promise<FrozenPlan | { readonly problem: string; readonly next: string }>;
  readonly readSnapshot: (
    listing: Listing,
    leaveOut: readonly string[],
  ) => Promise<{
    readonly files: readonly SandboxFile[];
    readonly refused: readonly RefusedPath[];
    readonly notes: readonly string[];
  }>;
  /** False when no workflow moves an order any more. */
  readonly isMoving: (orderId: string) => Promise<boolean>;
  /** Null where a text is no TOML. */
  readonly readToml: (text: string) => Readonly<Record<string, unknown>> | null;
  readonly nowMs: () => number;
  /** Returns when the disk has room for what a step leaves; says so while it has not. @throws what `signal` says */
  readonly awaitSpace: (signal: AbortSignal) => Promise<void>;
}

/** An order with all that its steps need. */
export interface OpenOrder {
  readonly folder: OrderFolder;
  readonly order: WorkOrder;
  readonly workspace: Workspace;
}

/** @throws an error named `SessionGone` when the order's folder is not there any more. */
export async function openOrder(ports: Pick<OrderPorts, 'store'>, at: OrderAt): Promise<OpenOrder> {
  const folder = await ports.store.open(at.orderId);
  if (folder === null) throw new OrderGone(at.orderId);
  const { order } = await folder.state();
  return { folder, order, workspace: await ports.store.workspace(order.workspace) };
}

/** The same for a step: a person may have ended the order while nobody moved it, and then nothing more is done or paid. */
export async function openStep(ports: Pick<OrderPorts, 'store'>, at: OrderAt): Promise<OpenOrder> {
  const opened = await openOrder(ports, at);
  const { end } = await opened.folder.state();
  if (end !== null)
    throw fatal('OrderEnded', `Order ${at.orderId} has ended as ${end.status}: ${end.message}`);
  return opened;
}

/** Folder of an iteration's artifacts. */
export function iterationFolder(iteration: number): string {
  return `iteration-${String(iteration)}`;
}

class OrderGone extends Error {
  override readonly name = 'SessionGone';
  constructor(orderId: string) {
    super(`Cannot open order ${orderId}: its folder is gone`);
  }
}
