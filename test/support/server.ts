/** A Temporal server of one test file's own: an empty home, so that no other test and no user's server is touched. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, ensureServer, stopServer } from '../../adapters/temporal/server.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { SEARCH_ATTRIBUTE_NAMES } from '../../workers/search-attributes.ts';

export interface TestServer {
  /** `A7_HOME` for processes that shall use it. */
  readonly home: string;
  readonly address: string;
  readonly namespace: string;
  stop(): Promise<void>;
}

/** Starts it. Call `stop` in `afterAll`. @throws when set-up did not provide the program. */
export async function startTestServer(): Promise<TestServer> {
  const home = await tempHome();
  return {
    home,
    address: await startServerIn(home),
    namespace: 'default',
    stop: () => removeHome(home),
  };
}

/** Starts the server of a home, as the product does, and gives its address. */
export async function startServerIn(home: string): Promise<string> {
  const { temporal } = await readToolchain();
  const record = await ensureServer({
    home,
    program: temporal.path,
    programVersion: temporal.version,
    searchAttributes: SEARCH_ATTRIBUTE_NAMES,
  });
  return address(record);
}

/** An empty home folder. */
export async function tempHome(): Promise<string> {
  return mkdtemp(join(await realpath(tmpdir()), 'a7-home-'));
}

/** Stops the server of a home, if it has one, and removes the folder. */
export async function removeHome(home: string): Promise<void> {
  await stopServer(home);
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}
