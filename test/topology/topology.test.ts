/**
 * docker-compose.yml as a whole, with images made here (scripts/stand-ins.mjs): PostgreSQL under Temporal, its pages, and the worker
 * of Dockerfile. Takes some 20 minutes the first time; only with A7_TEST_TOPOLOGY=1. What is left afterwards are the images:
 * `node scripts/stand-ins.mjs --remove`.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chmod, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '../support/chromium.ts';
import { plainGit, tempFolder, type TempFolder } from '../support/git-repo.ts';
import { prepareServices, type Services, servicesOf, UI_PORT, until } from './services.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOUR_MS = 3_600_000;
const TASK = 'Add total_with_discount(lines, percent) to invoice/total.py, with a test';
const AGENT = ['--agent', 'command', '--agent-files', '/app/examples/toy-order/agents'];
const REPAIR = ['--agent-command', 'python3 /opt/agent/repair.py'];
/** Long enough to be killed within. */
const SLOW = ['--agent-command', 'sleep 20; python3 /opt/agent/repair.py'];

const CONTRACTS = 'cp /app/examples/water-bill/contracts.yaml bill/';
const IN_PROCESS = "sed -i 's/^  - id: .*/&\\n    wall: in_process/' bill/contracts.yaml";
const SESSION = `a7-rt model-server --script /app/examples/water-bill/script.yaml --port 4999 & model=$!
until python3 -c 'import socket; socket.create_connection(("127.0.0.1", 4999))' 2>/dev/null; do :; done
OPENAI_BASE_URL=http://127.0.0.1:4999/v1 OPENAI_API_KEY=scripted a7-rt run /data/bill --model scripted --manager policy --no-wait
code=$?; kill $model; exit $code`;

let folder: TempFolder;
let services: Services;

interface Order {
  readonly state: {
    readonly status: string;
    readonly iterations: readonly { readonly verdict: string }[];
  };
}

async function json<T>(...argv: string[]): Promise<T> {
  const { code, out, err } = await services.inWorker('a7-rt', ...argv, '--json');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${String(code)}: ${out}${err}`);
  return JSON.parse(out) as T;
}

async function submitted(command: readonly string[]): Promise<string> {
  const repo = ['--repo', '/repositories/invoice'];
  const { id } = await json<{ readonly id: string }>('submit', ...repo, '--task', TASK, ...AGENT, ...command);
  return id;
}

const order = (id: string): Promise<Order> => json('order', 'show', id);
const verdicts = async (id: string): Promise<string[]> =>
  (await order(id)).state.iterations.map(({ verdict }) => verdict);

async function ended(id: string): Promise<void> {
  await until(async () => ['SUCCEEDED', 'FAILED', 'CANCELED'].includes((await order(id)).state.status));
}

async function serves(): Promise<void> {
  await until(async () => (await services.compose('logs', 'worker')).includes('Serving orders'));
}

(process.env['A7_TEST_TOPOLOGY'] === '1' ? describe : describe.skip)('the services together', () => {
  beforeAll(async () => {
    folder = await tempFolder();
    // The worker is another user.
    await chmod(folder.path, 0o755);
    const repo = join(folder.path, 'invoice');
    await cp(join(ROOT, 'examples/toy-order/repo'), repo, { recursive: true });
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      ['commit', '-qm', 'The invoice program'],
    ])
      plainGit(args, { cwd: repo });
    services = await prepareServices(folder.path, folder.path);
    await services.compose('build', 'worker');
    await services.compose('up', '-d');
    await serves();
  }, HOUR_MS);
  afterAll(async () => {
    await services.compose('down', '-v', '--rmi', 'local');
    await folder.remove();
  }, HOUR_MS);

  test('only loopback is published, and the worker has neither rights nor an engine', async () => {
    const { all, once } = servicesOf();
    for (const name of all) {
      const ports = await services.field(name, '{{json .HostConfig.PortBindings}}');
      expect(ports.match(/"HostIp":"(?!127\.0\.0\.1")/u)).toBeNull();
      if (once.includes(name)) expect(await services.field(name, '{{.State.ExitCode}}')).toBe('0');
      else expect(await services.field(name, '{{.State.Running}}')).toBe('true');
    }
    expect((await services.inWorker('id', '-u')).out).toBe('10001');
    expect(await services.field('worker', '{{json .HostConfig.CapDrop}}')).toBe('["ALL"]');
    expect(await services.field('worker', '{{json .Mounts}}')).not.toContain('docker.sock');
  });

  test(
    'an order is refused, repaired and passes, and the pages show it',
    async () => {
      const id = await submitted(REPAIR);
      await ended(id);
      expect(await verdicts(id)).toEqual(['FAIL', 'PASS']);
      const browser = await openBrowser();
      try {
        const page = `http://127.0.0.1:${String(UI_PORT)}/namespaces/a7/workflows/a7-order%2F${id}`;
        expect(await browser.text(page, /Completed/u)).toContain(`a7-order/${id}`);
      } finally {
        await browser.close();
      }
    },
    HOUR_MS,
  );

  test(
    'worker, server and database are killed within an order, which passes all the same',
    async () => {
      for (const victim of ['worker', 'temporal', 'postgresql']) {
        const id = await submitted(SLOW);
        await until(async () => (await order(id)).state.status === 'BUILDING');
        await services.kill(victim);
        await serves();
        await ended(id);
        expect([victim, await verdicts(id)]).toEqual([victim, ['FAIL', 'PASS']]);
      }
    },
    HOUR_MS,
  );

  test(
    'a session behind the wall is refused before anything is paid; in one process it is built, the server killed within',
    async () => {
      const prepare = 'cd /data && a7-rt init bill >&2 && cp /app/examples/water-bill/models.toml bill/.a7/';
      const seeded = await services.inWorker('sh', '-c', `${prepare} && ${CONTRACTS} && a7-rt seed bill`);
      expect([seeded.code, seeded.err]).toEqual([4, expect.stringContaining('judged behind the glass wall')]);
      const opened = await services.inWorker(
        'sh',
        '-c',
        `cd /data && ${CONTRACTS} && ${IN_PROCESS} && a7-rt seed bill`,
      );
      expect(opened.code).toBe(0);
      const run = services.inWorker('sh', '-c', SESSION);
      const committed = ['grep', '-q', '"committed"', '/data/bill/events.jsonl'];
      await until(async () => (await services.inWorker(...committed)).code === 0);
      await services.kill('temporal');
      const { code, out, err } = await run;
      expect([code, out + err]).toEqual([0, expect.stringContaining('10 of 10 nodes grounded')]);
    },
    HOUR_MS,
  );

  test(
    'down and up again: the volumes hold orders and their histories',
    async () => {
      const before = await json<readonly { readonly id: string }[]>('orders');
      await services.compose('down');
      await services.compose('up', '-d');
      await serves();
      expect(await json('orders')).toEqual(before);
      const listed = ['workflow', 'list', '-n', 'a7', '--address', 'temporal:7233', '--output', 'json'];
      const { out } = await services.inWorker('temporal', ...listed);
      for (const { id } of before) expect(out).toContain(`a7-order/${id}`);
      expect((await services.inWorker('a7-rt', 'status', '/data/bill')).out).toContain('sealed');
    },
    HOUR_MS,
  );
});
