/**
 * Everything durable of work orders, behind ports: a store for many hosts can take the folder's place.
 *
 *  D1. What a method wrote is on disk when it returns; `append` alone is a log that may lose its last lines with the machine.
 *  D2. `putFirst` keeps the first: a retried step finds what an earlier attempt stored.
 *  D3. A workspace has at most one holder; turns are given first come, first served.
 */
import type { OrderEvent } from '../../schemas/order-ledger.ts';
import type { OrderSource, WorkOrder } from '../../schemas/order.ts';
import type { OrderState } from '../order/types.ts';
import type { TreeStore } from './git.ts';
import type { LedgerPort } from './session.ts';

export interface OrderFolder {
  readonly id: string;
  /** Where people find the artifacts. */
  readonly dir: string;
  readonly ledger: LedgerPort<OrderEvent>;
  events(): Promise<readonly OrderEvent[]>;
  state(): Promise<OrderState>;
  get(name: string): Promise<Uint8Array | null>;
  put(name: string, bytes: Uint8Array | string): Promise<void>;
  /** Stores unless something is there; gives what is there. */
  putFirst(name: string, bytes: Uint8Array | string): Promise<Uint8Array>;
  /** Adds to a log at once, without waiting for the disk. */
  append(name: string, bytes: Uint8Array | string): void;
  /** Names of the public keys that its ledger is signed with. */
  keys(): Promise<readonly string[]>;
  /** Absolute path of an artifact, for programs that read or write files. */
  pathOf(name: string): string;
  /** Removes what writers that were killed left half written beside artifacts. */
  tidy(): Promise<void>;
}

export type LeaseTurn =
  | { readonly kind: 'yours'; readonly tookOverFrom: string | null }
  /** `ahead`: the holder and everybody before, in order. */
  | { readonly kind: 'wait'; readonly ahead: readonly string[] };

export interface Workspace {
  readonly id: string;
  /** Of its store. */
  readonly gitDir: string;
  readonly trees: TreeStore;
  /** Stands in line, once. */
  enqueue(orderId: string): Promise<void>;
  /** The lease, if it is this order's turn. `isGone` is asked about everybody ahead. */
  takeTurn(orderId: string, isGone: (orderId: string) => Promise<boolean>): Promise<LeaseTurn>;
  /** Gives the lease or the place in line back; no act of another's. */
  release(orderId: string): Promise<void>;
  holder(): Promise<string | null>;
  /** A commit of a tree; the same request gives the same id. Its parent need not have a history here. */
  commitTree(request: {
    readonly tree: string;
    readonly parent: string | null;
    readonly message: string;
    readonly dateSeconds: number;
  }): Promise<string>;
  readCommit(commit: string): Promise<{ readonly tree: string; readonly parents: readonly string[] }>;
  /** A pack with its index: all objects of a commit without parents, and of a tree. */
  packOf(commit: string, tree: string): Promise<{ readonly pack: Uint8Array; readonly index: Uint8Array }>;
  /** Bytes of each file and link of a tree, by path. */
  sizesOf(tree: string): Promise<ReadonlyMap<string, number>>;
  /** Writes a bundle of refs below `refs/a7/`, named by the given branches, that plain git clones. */
  bundle(path: string, branches: Readonly<Record<string, string>>): Promise<void>;
}

export interface OrderStore {
  create(order: WorkOrder): Promise<OrderFolder>;
  open(orderId: string): Promise<OrderFolder | null>;
  /** Oldest first. */
  list(): Promise<readonly string[]>;
  workspace(id: string): Promise<Workspace>;
  close(): Promise<void>;
}

/** A base as it is now: the branch's tip, or the commit that was named. */
export interface ResolvedSource {
  readonly commit: string;
  readonly tree: string;
  readonly notes: readonly string[];
}

/** Repositories that orders come from. Read only; nothing of their settings, hooks or filters runs. */
export interface OrderSources {
  /** Brings the base's objects into the workspace's store. @throws an error with a message for people. */
  resolve(source: OrderSource, workspace: Workspace): Promise<ResolvedSource>;
}
