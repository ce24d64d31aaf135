// Runs once after all tests: stops the server of the home that global-setup made, if a test left it running, and removes the home.
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What global-setup makes for temporary files. */
const MEMORY_FOLDER = /^\/dev\/shm\/a7-\w{6}$/;

export default async function globalTeardown() {
  const home = process.env.A7_HOME;
  if (home === undefined || !basename(home).startsWith('a7-test-home-')) return;
  await stopServer(home);
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
  const { TMPDIR } = process.env;
  if (TMPDIR === dirname(home) && MEMORY_FOLDER.test(TMPDIR))
    await rm(TMPDIR, { recursive: true, force: true });
}

async function stopServer(home) {
  try {
    const { pid } = JSON.parse(await readFile(join(home, 'server.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  } catch {
    // No server, one that has ended, or one that was about to start: nothing to stop.
  }
}
