/** What an attack must not touch: files, a listener, a secret of the environment, and the list of our own rooms. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Host {
  /** A word that lies in files and environment of the host; whoever shows it has read them. */
  readonly canary: string;
  readonly folder: string;
  readonly port: number;
  /** Name of a listening socket without a file. */
  readonly socketName: string;
  /** What has changed since the start, in words; empty when nothing has. */
  changes(): string[];
  close(): Promise<void>;
}

export async function openHost(): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'a7-rt-attacked-host-'));
  const canary = `HOST_CANARY_${randomBytes(8).toString('hex')}`;
  mkdirSync(join(folder, 'files'));
  for (const name of ['secret.txt', 'script.sh']) writeFileSync(join(folder, 'files', name), `${canary}\n`);
  // Of its own name: fields beside each other share this process.
  const secretName = `A7_${canary}`;
  process.env[secretName] = canary;
  let connections = 0;
  const accept = (server: Server): Server => server.on('connection', () => (connections += 1));
  const [network, named] = [accept(createServer()), accept(createServer())];
  const socketName = `a7-attacked-${randomBytes(6).toString('hex')}`;
  await listen(network, { port: 0, host: '0.0.0.0' });
  await listen(named, { path: `\0${socketName}` });
  const address = network.address();
  const before = digestOf(join(folder, 'files'));
  return {
    canary,
    folder,
    socketName,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    changes: () => [
      ...(digestOf(join(folder, 'files')) === before ? [] : ['files of the host changed']),
      ...(readdirSync(folder).length === 1 ? [] : ['a file appeared on the host']),
      ...(connections === 0 ? [] : ['a guest reached a listener of the host']),
      ...(process.env[secretName] === canary ? [] : ['the environment of the host changed']),
    ],
    close: async () => {
      await Promise.all([network, named].map((server) => new Promise((done) => server.close(done))));
      rmSync(folder, { recursive: true, force: true });
      Reflect.deleteProperty(process.env, secretName);
    },
  };
}

async function listen(server: Server, at: { port: number; host: string } | { path: string }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });
}

/** Names, modes and bytes of a folder's files. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    hash.update(`${name}\0${statSync(path).mode}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
