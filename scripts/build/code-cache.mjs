// Leaves V8's code cache beside each bundled program: loads it, has it do what every start does, and keeps what was compiled.
// Run as a process of its own: node scripts/build/code-cache.mjs
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import load from '../../bin/load-program.cjs';
import { BUNDLES } from './program.mjs';

const NOWHERE = join(tmpdir(), 'a7-rt-no-session');
const program = (name) => join(BUNDLES, `${name}.cjs`);

if (isMainThread) {
  await keep('cli', async ({ main }) => {
    const write = process.stdout.write;
    process.stdout.write = () => true;
    await main(['--help'], {
      loadServices: () => Promise.reject(new Error('not asked for')),
      setUp: () => Promise.reject(new Error('not asked for')),
      version: '0.0.0',
    });
    process.stdout.write = write;
  });
  await keep('services', exerciseServices);
  await new Promise((resolve, reject) => {
    new Worker(fileURLToPath(import.meta.url)).on('message', resolve).on('error', reject);
  });
  process.exit(0);
} else {
  await keep('workflow-thread', () => undefined);
  const { parentPort } = await import('node:worker_threads');
  parentPort.postMessage('kept');
}

async function keep(name, exercise) {
  const path = program(name);
  // A cache of other bytes of the same length would be taken, and written anew.
  rmSync(load.cachePathOf(path), { force: true });
  const { script, exports } = load.loadScript(path);
  await exercise(exports);
  const cache = load.cachePathOf(path);
  writeFileSync(`${cache}.new`, script.createCachedData());
  renameSync(`${cache}.new`, cache);
}

/** Each is told of a session that is not there: its modules are loaded, and it answers before it does anything. */
async function exerciseServices({ createServices }) {
  const services = createServices({ env: {} });
  const none = new AbortController().signal;
  const flags = { adopt: false, nodes: [] };
  await Promise.allSettled([
    services.seed(NOWHERE, false),
    services.run(NOWHERE, flags, () => undefined, none),
    services.status(NOWHERE),
    services.why(NOWHERE, 'none'),
    services.narrative(NOWHERE, null),
    services.input(NOWHERE, { kind: 'note' }, null),
    services.verify(NOWHERE, 'HEAD'),
    services.ledgerVerify(NOWHERE),
    services.worker(NOWHERE, () => undefined, none),
  ]);
}
