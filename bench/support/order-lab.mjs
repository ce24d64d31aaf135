// Work orders of the product in this process: repositories of a size, one worker, and the times that ledgers tell.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openData } from '../../dist/workers/services/orders/data.js';
import { hostOrders } from '../../dist/workers/services/orders/host.js';

const WAIT_MS = 600_000;
const POLL_MS = 10;
const FILES_A_FOLDER = 200;
const OWN = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

/** A plan of one check that costs next to nothing: what is measured is what is around it. */
const GATE = {
  from: 'file',
  file: 'plan.yaml',
  text: 'version: 1\ncontract: { required_files: [README.md] }\nfixtures: [{ name: ok, command: ["true"], expect: { exit_code: 0 } }]\n',
};

export function git(dir, ...args) {
  return execFileSync('git', ['-c', 'gc.auto=0', '-c', 'user.name=b', '-c', 'user.email=b@b', ...args], {
    cwd: dir,
    env: { ...process.env, ...OWN },
    maxBuffer: 256 * 1024 * 1024,
  });
}

/** A repository of one commit. `bytes` of it cannot be packed smaller. */
export function repositoryOf(lab, name, { files, bytes = files * 100 }) {
  const dir = join(lab.dir, name);
  const each = Math.max(20, Math.floor(bytes / files));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'README.md'), 'bench\n');
  for (let at = 1; at < files; at += 1) {
    const path = join(dir, `d${Math.floor(at / FILES_A_FOLDER)}`, `f${at}.txt`);
    if (at % FILES_A_FOLDER === 0 || at === 1) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, randomBytes(Math.ceil(each / 2)).toString('hex'));
  }
  git(dir, 'init', '--quiet', '--initial-branch=main');
  git(dir, 'add', '-A');
  git(dir, 'commit', '--quiet', '-m', 'base');
  git(dir, 'gc', '--quiet');
  return dir;
}

/** A worker for all orders of the lab's home. */
export async function serveOrders(lab) {
  const data = await openData(lab.around);
  const machine = await lab.machine();
  const hosting = await hostOrders({
    around: lab.around,
    data,
    machine,
    place: lab.place,
    say: () => undefined,
  });
  return {
    /** @returns the order's id */
    async submit(repo, command = 'echo edited >> README.md') {
      const sent = await lab.services.orders.submit(
        { ...ASKED, repo, command },
        () => undefined,
        new AbortController().signal,
      );
      if (!sent.ok) throw new Error(sent.problems[0].message);
      return sent.value.id;
    },
    /** Lines of its ledger, when it has ended. */
    async ended(id) {
      const path = join(lab.home, 'orders', id, 'events.jsonl');
      for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(POLL_MS)) {
        const lines = readFileSync(path, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
        const end = lines.find(({ type }) => type === 'order_ended');
        if (end === undefined) continue;
        if (end.data.end.status !== 'SUCCEEDED') throw new Error(`An order ended: ${end.data.end.message}`);
        return lines;
      }
      throw new Error(`Order ${id} has not ended within ${WAIT_MS / 1000} s`);
    },
    async close() {
      await hosting.close();
      await data.store.close();
    },
  };
}

const ASKED = {
  base: null,
  withChanges: false,
  task: 'bench',
  agent: 'command',
  model: null,
  baseUrl: null,
  files: null,
  gate: GATE,
  limits: { iterationsMax: 1 },
  policy: { paths: [], forbid: [], gateEdits: [], networkHosts: [] },
  backend: null,
  watch: false,
  retryOf: null,
};

/** Milliseconds between two events of a ledger. */
export function between(lines, from, to) {
  const at = (type) => Date.parse(lines.find((line) => line.type === type).at);
  return at(to) - at(from);
}
