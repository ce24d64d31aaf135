/** A home of its own, the toy repository, and orders by the product's own services in this process. */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { SubmitAsked, SubmitReport } from '../../core/ports/order-services.ts';
import type { Result } from '../../core/ports/services.ts';
import type { OrderServices } from '../../core/ports/order-services.ts';
import type { Surroundings } from '../../workers/services/common.ts';
import { orderWorkflowId } from '../../workers/queues.ts';
import { withClient } from '../../workers/services/orders/data.ts';
import { findServer } from '../../workers/services/server.ts';
import { createOrderServices } from '../../workers/services/orders/index.ts';
import { plainGit } from './git-repo.ts';
import { removeHome, tempHome } from './server.ts';

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
    ...around,
  });
  const stop = new AbortController();
  // One worker for all orders of a file, as a daemon would be; null: the test starts its own.
  const serving = serves ? services.serve('bubblewrap', () => undefined, stop.signal) : Promise.resolve(null);
  const submit = (repo: string, change: Partial<SubmitAsked>): Promise<Result<SubmitReport>> =>
    services.submit({ ...ASKED, ...change, repo }, () => undefined, new AbortController().signal);
  return {
    home,
    services,
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
      return untilEnded(services, sent.value);
    },
    submit: (repo, change) => submit(repo, { watch: false, ...change }),
    async onPage(id, work) {
      const place = await findServer({ env: { A7_HOME: home, ...env } });
      if (place === null) throw new Error('No Temporal server');
      return withClient(place, (client) => work(client.workflow.getHandle(orderWorkflowId(id))));
    },
    read: (id, name) => readFileSync(join(home, 'orders', id, name), 'utf8'),
    async close(): Promise<void> {
      stop.abort();
      await serving;
      await removeHome(home);
    },
  };
}

const POLL_MS = 50;

/** The report with the state at its end, when its last artifact is there. */
async function untilEnded(services: OrderServices, report: SubmitReport): Promise<SubmitReport> {
  for (;;) {
    const shown = await services.show(report.id);
    if (!shown.ok) throw new Error(JSON.stringify(shown));
    const { state, artifacts } = shown.value;
    if (state.end !== null && artifacts.includes('summary.md')) return { ...report, state };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
