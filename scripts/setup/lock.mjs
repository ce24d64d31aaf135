// One set-up at a time for a cache folder. On Linux the lock is an abstract Unix socket: the kernel frees it with its
// owner, however that ends. Elsewhere it is a file that names its owner.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AGAIN } from './again.mjs';
import { SetupError } from './setup-error.mjs';

const POLL_MS = 250;
const WAIT_MAX_MS = 15 * 60_000;

/** Runs `work` alone; `onWait` is called once if another set-up holds the lock. */
export async function withSetupLock(cache, work, { onWait = () => {}, waitMaxMs = WAIT_MAX_MS } = {}) {
  mkdirSync(cache, { recursive: true });
  const take = process.platform === 'linux' ? takeSocket : takeFile;
  const deadlineMs = Date.now() + waitMaxMs;
  let release = await take(cache);
  if (!release) onWait();
  while (!release) {
    if (Date.now() > deadlineMs) {
      throw new SetupError(
        `another set-up has been using ${cache} for ${Math.round(waitMaxMs / 60_000)} minutes`,
        `end it, then run "${AGAIN}" again`,
      );
    }
    await delay(POLL_MS);
    release = await take(cache);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

function takeSocket(cache) {
  const id = createHash('sha256').update(resolve(cache)).digest('hex').slice(0, 24);
  return new Promise((done, fail) => {
    const server = net.createServer((connection) => connection.destroy());
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? done(null) : fail(error)));
    server.listen(`\0a7-rt-setup-${id}`, () => done(() => new Promise((closed) => server.close(closed))));
  });
}

function takeFile(cache) {
  const path = join(cache, 'setup.lock');
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return () => rmSync(path, { force: true });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isAlive(Number(readFileSync(path, 'utf8')))) rmSync(path, { force: true });
  return null;
}

/** A file without a number is between creation and its first byte: its owner lives. */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
