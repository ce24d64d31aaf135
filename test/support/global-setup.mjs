// Runs once before all tests: a home of their own and a clean environment (design part 11), so that neither the
// user's servers nor the user's git configuration reach a test. What only some tests need is started by them.
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variables of the user that would change what the product does. */
const FOREIGN = /^(TEMPORAL_|A7_|GIT_|OPENAI_|OPENROUTER_)/;
/** Kept: they say where programs and downloads of set-up lie, and what a test may use. */
const KEPT = /^A7_(TEMPORAL|CACHE|BASE_IMAGE|TEST_\w+)$/;

export default async function globalSetup() {
  for (const name of Object.keys(process.env)) {
    if (FOREIGN.test(name) && !KEPT.test(name)) delete process.env[name];
  }
  // The check of each node's suite takes seconds; those tests that are about it ask for it.
  process.env.A7_MUTATION_SECONDS = '0';
  process.env.A7_HOME = await mkdtemp(join(await realpath(tmpdir()), 'a7-test-home-'));
}
