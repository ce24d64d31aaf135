/** A home of its own, the toy repository, and orders by the product's own services in this process. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { SubmitAsked, SubmitReport } from '../../core/ports/order-services.ts';
import type { Result } from '../../core/ports/services.ts';
import type { OrderServices } from '../../core/ports/order-services.ts';
import { foldOrder } from '../../core/order/fold.ts';
import type { OrderState } from '../../core/order/types.ts';
import { OrderEvent } from '../../schemas/order-ledger.ts';
import type { Surroundings } from '../../workers/services/common.ts';
import { orderWorkflowId } from '../../workers/queues.ts';
import { withClient } from '../../workers/services/orders/data.ts';
import { findServer } from '../../workers/services/server.ts';
import { createOrderServices } from '../../workers/services/orders/index.ts';
import { plainGit } from './git-repo.ts';
import { removeHome, tempHome } from './server.ts';
import { workflowBundle } from './worker-bundle.ts';

const TOY = join(import.meta.dirname, '../../examples/toy-order');

export interface OrderYard {
  readonly home: string;
  readonly services: OrderServices;
  /** A fresh toy repository with one commit. */
  repository(name: string): string;
  /** Submits and waits for the end. */
  run(repo: string, change: Partial<SubmitAsked>): Promise<SubmitReport>;
  submit(repo: string, change: Partial<SubmitAsked>): Promise<Result<SubmitReport>>;
  /** Works with the order's workflow as Temporal's pages and programs do. */
  onPage<T>(id: string, work: (page: WorkflowHandle) => Promise<T>): Promise<T>;
  /** What the order's ledger tells now. The services ask the server besides, which is dear to ask again and again. */
  state(id: string): OrderState;
  /** Waits until the order's ledger tells this. @throws after four minutes */
  until(id: string, holds: (state: OrderState) => boolean): Promise<OrderState>;
  /** The state at the end, when the last artifact is there. */
  ended(id: string): Promise<OrderState>;
  /** Text of an artifact. */
  read(id: string, name: string): string;
  close(): Promise<void>;
}

export const ASKED: Omit<SubmitAsked, 'repo'> = {
  base: null,
  withChanges: false,
  task: 'Add a discount to the invoice',
  agent: 'command',
  model: null,
  baseUrl: null,
  command: 'true',
  files: join(TOY, 'agents'),
  gate: { from: 'auto', text: null, file: null },
  limits: { iterationsMax: 2 },
  policy: { paths: [], forbid: [], gateEdits: [], networkHosts: [] },
  backend: 'bubblewrap',
  watch: true,
  retryOf: null,
};

/** @param serves whether a worker runs in this process from the start. */
export async function orderYard(
  env: Record<string, string> = {},
  around: Omit<Surroundings, 'env'> = {},
  serves = true,
): Promise<OrderYard> {
  const home = await tempHome();
  const services = createOrderServices({
    env: { PATH: process.env['PATH'], A7_HOME: home, ...env },
    workflowBundle: await workflowBundle(),
    ...around,
  });
  const stop = new AbortController();
  // One worker for all orders of a file, as a daemon would be; null: the test starts its own.
  const serving = serves ? services.serve('bubblewrap', () => undefined, stop.signal) : Promise.resolve(null);
  const submit = (repo: string, change: Partial<SubmitAsked>): Promise<Result<SubmitReport>> =>
    services.submit({ ...ASKED, ...change, repo }, () => undefined, new AbortController().signal);
  const at = (id: string, name: string): string => join(home, 'orders', id, name);
  const ledger = ledgerReader((id) => at(id, 'events.jsonl'));
  const until: OrderYard['until'] = async (id, holds) => {
    const deadline = performance.now() + WAIT_MAX_MS;
    for (;;) {
      const state = ledger(id);
      if (holds(state)) return state;
      if (performance.now() > deadline) throw new Error(`Waited too long for order ${id}: ${state.status}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const ended: OrderYard['ended'] = (id) =>
    until(id, ({ end }) => end !== null && existsSync(at(id, 'summary.md')));
  return {
    home,
    services,
    state: ledger,
    until,
    ended,
    repository(name): string {
      const dir = join(home, 'repos', name);
      mkdirSync(join(home, 'repos'), { recursive: true });
      rmSync(dir, { recursive: true, force: true });
      cpSync(join(TOY, 'repo'), dir, { recursive: true });
      plainGit(['init', '--quiet', '--initial-branch=main'], { cwd: dir });
      plainGit(['add', '-A'], { cwd: dir });
      plainGit(['commit', '--quiet', '-m', 'base'], { cwd: dir });
      return dir;
    },
    async run(repo, change): Promise<SubmitReport> {
      const sent = await submit(repo, { ...change, watch: false });
      if (!sent.ok) throw new Error(JSON.stringify(sent));
      return { ...sent.value, state: await ended(sent.value.id) };
    },
    submit: (repo, change) => submit(repo, { watch: false, ...change }),
    async onPage(id, work) {
      const place = await findServer({ env: { A7_HOME: home, ...env } });
      if (place === null) throw new Error('No Temporal server');
      return withClient(place, (client) => work(client.workflow.getHandle(orderWorkflowId(id))));
    },
    read: (id, name) => readFileSync(at(id, name), 'utf8'),
    async close(): Promise<void> {
      stop.abort();
      await serving;
      await removeHome(home);
    },
  };
}

const POLL_MS = 25;
const WAIT_MAX_MS = 240_000;

/** Reads the ledgers of orders; one that has not grown is not read again. */
function ledgerReader(pathOf: (id: string) => string): (id: string) => OrderState {
  const known = new Map<string, { readonly bytes: number; readonly state: OrderState }>();
  return (id) => {
    const path = pathOf(id);
    const bytes = statSync(path).size;
    const before = known.get(id);
    if (before?.bytes === bytes) return before.state;
    // A last line without its end is still being written.
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const state = foldOrder(lines.map(eventOf));
    known.set(id, { bytes, state });
    return state;
  };
}

function eventOf(line: string): OrderEvent {
  const { type, data } = JSON.parse(line) as { type: unknown; data: unknown };
  return OrderEvent.parse({ type, data });
}
