// Runs once after all tests: removes the home that global-setup made.
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';

export default async function globalTeardown() {
  const home = process.env.A7_HOME;
  if (home === undefined || !basename(home).startsWith('a7-test-home-')) return;
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}
