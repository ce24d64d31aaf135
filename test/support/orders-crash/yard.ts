/** A home whose orders are served by processes of their own, so that these can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitAsked } from '../../../core/ports/order-services.ts';
import type { OrderState } from '../../../core/order/types.ts';
import { roomFindings } from '../crash/facts.ts';
import { bundledProgram } from '../bundled-program.ts';
import { type OrderYard, orderYard } from '../orders.ts';

const PROGRAM = 'test/support/orders-crash/run-program.ts';
const WAIT_MAX_MS = 240_000;
const POLL_MS = 25;

export interface OrderStrikes {
  readonly act: 'kill' | 'hold' | 'full';
  /** `appended:<event>`, `stored:<artifact>` or `logged:<artifact>`, each of them once. */
  readonly points: readonly string[];
  readonly marker: string;
}

export interface ServedYard {
  readonly yard: OrderYard;
  /** Starts a worker; the last one is replaced. */
  serve(act?: OrderStrikes['act'], points?: readonly string[]): Promise<ChildProcess>;
  /** Kills the worker with everything it has in hand. */
  kill(): Promise<void>;
  /** Waits until a strike has killed its worker. */
  struck(): Promise<void>;
  /** Waits until a step is held, and gives its point; `go` lets it go on. */
  held(): Promise<string>;
  go(): void;
  submit(repo: string, change: Partial<SubmitAsked>): Promise<string>;
  until(id: string, look: (state: OrderState) => boolean): Promise<OrderState>;
  /** State at the end, with the last artifact there. */
  ended(id: string): Promise<OrderState>;
  /** Everything that a killed order left behind, and should not have. */
  left(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What an order came to; all of it is equal for equal orders, whatever was killed. */
export function outcome(state: OrderState): unknown {
  const { status, end, iterations } = state;
  const told = iterations.map(({ iteration, tree, changed, verdict, headline, violations }) => {
    return { iteration, tree, changed, verdict, headline, violations };
  });
  return { status, code: end?.code, iterations: told };
}

/** @param env of the worker and of whoever submits, beside the home. */
export async function servedYard(
  env: Readonly<Record<string, string>> = {},
  backend: 'docker' | 'bubblewrap' = 'bubblewrap',
): Promise<ServedYard> {
  const yard = await orderYard({ ...env }, {}, false);
  const program = await bundledProgram(PROGRAM);
  const pids = new Set<number>();
  let worker: ChildProcess | null = null;
  let output = '';
  const marker = join(yard.home, 'marker');
  const deadOf = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
  const dead = async (): Promise<void> => {
    while (worker !== null && !deadOf(worker)) await delay(POLL_MS);
  };
  const served: ServedYard = {
    yard,
    async serve(act, points = []): Promise<ChildProcess> {
      rmSync(marker, { force: true });
      const strikes: OrderStrikes | null = act === undefined ? null : { act, points, marker };
      const child = spawn(process.execPath, [program, backend, JSON.stringify(strikes)], {
        env: { ...process.env, ...env, A7_HOME: yard.home },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      output = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      pids.add(child.pid ?? 0);
      worker = child;
      await waitFor(
        `the worker: ${output}`,
        () => output.includes('Serving orders') || existsSync(marker) || deadOf(child),
      );
      return child;
    },
    async kill(): Promise<void> {
      worker?.kill('SIGKILL');
      await dead();
    },
    async struck(): Promise<void> {
      await waitFor(`a strike: ${output}`, () => worker !== null && deadOf(worker));
      if (!existsSync(marker)) throw new Error(`The worker ended before its strike: ${output}`);
    },
    async held(): Promise<string> {
      let point = '';
      await waitFor(`a step to be held: ${output}`, () => {
        if (worker === null || deadOf(worker)) throw new Error(`The worker ended: ${output}`);
        // Its name is there a moment after the file.
        point = existsSync(marker) ? readFileSync(marker, 'utf8') : '';
        return point !== '';
      });
      return point;
    },
    go: () => rmSync(marker),
    async submit(repo, change): Promise<string> {
      const sent = await yard.submit(repo, change);
      if (!sent.ok) throw new Error(JSON.stringify(sent));
      return sent.value.id;
    },
    until: (id, look) => yard.until(id, look),
    ended: (id) => yard.ended(id),
    left: () => leftIn(yard.home, pids),
    async close(): Promise<void> {
      worker?.kill('SIGTERM');
      await dead();
      await yard.close();
    },
  };
  return served;
}

async function waitFor(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`);
    await delay(POLL_MS);
  }
}

const ARTIFACTS = ['order.json', 'task.md', 'events.jsonl', 'state.json', 'change.patch', 'summary.md'];
const OF_ITERATION = ['agent.log', 'build-notes.md', 'report.json', 'report.txt'];

/** Artifacts that are missing; leases, sockets, temporary files, rooms and processes that are left. */
async function leftIn(home: string, pids: ReadonlySet<number>): Promise<readonly string[]> {
  const found: string[] = [];
  const orders = readdirSync(join(home, 'orders')).filter((name) => name !== 'data.json');
  for (const id of orders) {
    const dir = join(home, 'orders', id);
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const iterations = names.filter((name) => /^iteration-\d+$/.test(name));
    const wanted = [...ARTIFACTS, ...iterations.flatMap((at) => OF_ITERATION.map((name) => `${at}/${name}`))];
    found.push(...wanted.filter((name) => !names.includes(name)).map((name) => `${id}: no ${name}`));
    found.push(...names.filter((name) => name.endsWith('.tmp')).map((name) => `${id}: ${name} left`));
  }
  for (const name of readdirSync(join(home, 'workspaces'))) {
    const { holder, queue } = JSON.parse(
      readFileSync(join(home, 'workspaces', name, 'lease.json'), 'utf8'),
    ) as {
      holder: string | null;
      queue: string[];
    };
    if (holder !== null || queue.length > 0)
      found.push(`${name}: held by ${holder ?? 'none'}, ${String(queue.length)} wait`);
  }
  const sockets = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isSocket(),
  );
  found.push(...sockets.map((entry) => `socket ${join(entry.parentPath, entry.name)}`));
  return [...found, ...(await roomFindings(home, pids))];
}

/** An agent of two turns, wrong first; each turn waits for the test's word when `holds`. */
export function agentOf(
  yard: OrderYard,
  name: string,
  holds: boolean,
): {
  /** In its command line, for whoever kills it. */
  readonly tag: string;
  readonly change: Partial<SubmitAsked>;
  go(): void;
} {
  const files = join(yard.home, `agent-${name}`);
  mkdirSync(files, { recursive: true });
  const wait = holds ? 'while [ ! -e /opt/agent/go ]; do sleep 0.05; done; ' : '';
  const tag = `${basename(yard.home)}-${name}`;
  const command = `: ${tag}; echo begin; ${wait}echo "$A7_ITERATION" >> README.md; if [ "$A7_ITERATION" = 1 ]; then mv manifest.json m.json; else mv m.json manifest.json; fi; echo note > "$A7_NOTES"`;
  return { tag, change: { files, command }, go: () => writeFileSync(join(files, 'go'), '') };
}
