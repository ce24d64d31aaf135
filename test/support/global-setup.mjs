// Runs once before all tests: a home of their own and a clean environment (design part 11), so that neither the
// user's servers nor the user's git configuration reach a test. What only some tests need is started by them.
import { mkdtemp, readFile, realpath, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variables of the user that would change what the product does. */
const FOREIGN = /^(TEMPORAL_|A7_|GIT_|OPENAI_|OPENROUTER_)/;
/** Certificates that each start of Node reads, 40 ms of a processor. Only tests that ask a registry need them. */
const CERTIFICATES = 'NODE_EXTRA_CA_CERTS';
const ASKS_REGISTRY = ['A7_TEST_AGENTS', 'A7_TEST_RUNNERS', 'A7_TEST_TOPOLOGY'];
/** Kept: they say where programs and downloads of set-up lie, and what a test may use. */
const KEPT = /^A7_(TEMPORAL|CACHE|BASE_IMAGE|TEST_\w+)$/;

export default async function globalSetup() {
  for (const name of Object.keys(process.env)) {
    if (FOREIGN.test(name) && !KEPT.test(name)) delete process.env[name];
  }
  if (!ASKS_REGISTRY.some((name) => name in process.env)) delete process.env[CERTIFICATES];
  const memory = await memoryFolder();
  if (memory !== null) process.env.TMPDIR ??= memory;
  // The check of each node's suite takes seconds; those tests that are about it ask for it.
  process.env.A7_MUTATION_SECONDS = '0';
  process.env.A7_HOME = await mkdtemp(join(await realpath(tmpdir()), 'a7-test-home-'));
}

const SHARED_MEMORY = '/dev/shm';
const FREE_MIN_BYTES = 8 * 1024 ** 3;

/**
 * Where temporary files cost no disk: sessions and repositories are made and removed by the thousand, and a tenth of the
 * processor's time went to finding places for them on it. Null where there is no such folder with enough room; global-teardown
 * removes it.
 */
async function memoryFolder() {
  try {
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
    const options = mounts
      .find(([, path, kind]) => path === SHARED_MEMORY && kind === 'tmpfs')?.[3]
      ?.split(',');
    const { bavail, bsize } = await statfs(SHARED_MEMORY);
    const isRoomy = Math.min(bavail * bsize, freemem()) >= FREE_MIN_BYTES;
    if (options === undefined || options.includes('noexec') || !isRoomy) return null;
    return await mkdtemp(join(SHARED_MEMORY, 'a7-'));
  } catch {
    return null;
  }
}
