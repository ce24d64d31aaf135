/**
 * The embedded Temporal server: one a home, detached, guarded by a lock that its own death frees (temporal.md 7.1).
 *
 * The lock is a listening socket that the server process inherits and never touches: as long as the server lives, the
 * kernel keeps the address taken, so that two servers can never serve one database.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, rm, stat } from 'node:fs/promises';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServerRecord, databasePath, isRunning, readRecord, recordPath, serverLogPath } from './home.ts';
import { writeDurably } from '../system/files.ts';
import { startTimeOf } from '../system/processes.ts';
import { isServing, keepHistory } from './health.ts';
import { findStray } from './stray.ts';

export interface ServerOptions {
  readonly home: string;
  /** Path of the `temporal` program. */
  readonly program: string;
  readonly programVersion: string;
  /** Keyword search attributes that must exist. */
  readonly searchAttributes: readonly string[];
}

/** Longest wait for a server to answer, cold or started by somebody else. */
const START_TIMEOUT_MS = 30_000;
/** A server that ends at once is started this often in all. */
const STARTS_MAX = 5;
const POLL_MS = 50;
/** Who starts a server writes its record at once: one that has none for this long lost it. */
const STRAY_MS = 3_000;
const STRAY_LOOK_MS = 1_000;
/** Grace of `down` before the process is killed; SQLite in WAL mode loses nothing by it. */
const STOP_GRACE_MS = 5_000;

/** The server could not be had; the message says why and what to do. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
}

/** The serving server of a home: found, waited for, or started. @throws {ServerUnavailable} */
export async function ensureServer(options: ServerOptions): Promise<ServerRecord> {
  await mkdir(options.home, { recursive: true });
  const deadline = performance.now() + START_TIMEOUT_MS;
  const settle = strayKeeper(options);
  while (performance.now() < deadline) {
    const record = await readRecord(options.home);
    const isThere = record !== null && (await isRunning(record));
    if (isThere && (await isServing(address(record)))) return record;
    const lock = await takeLock(options.home);
    if (lock !== null) return startServer(options, lock);
    if (!isThere) await settle();
    await delay(POLL_MS);
  }
  throw new ServerUnavailable(
    `Cannot reach the Temporal server of ${options.home}: see ${serverLogPath(options.home)}`,
  );
}

/** Stops the server of a home; false when none was running. */
export async function stopServer(home: string): Promise<boolean> {
  const told = await readRecord(home);
  const isTold = told !== null && (await isRunning(told));
  const record = isTold ? told : ((await findStray(home))?.record ?? null);
  if (record === null) return false;
  process.kill(record.pid, 'SIGTERM');
  const deadline = performance.now() + STOP_GRACE_MS;
  while (await isRunning(record)) {
    if (performance.now() > deadline) process.kill(record.pid, 'SIGKILL');
    await delay(POLL_MS);
  }
  await rm(recordPath(home), { force: true });
  return true;
}

/** Looks for a server that holds the lock and has no record: it is told of again where its database is there, and ended where that is gone. */
function strayKeeper(options: ServerOptions): () => Promise<void> {
  let first: { readonly pid: number; readonly at: number } | null = null;
  let lookedAt = -Infinity;
  return async () => {
    const now = performance.now();
    if (now - lookedAt < STRAY_LOOK_MS) return;
    lookedAt = now;
    const stray = await findStray(options.home, options);
    if (stray === null || stray.record.pid !== first?.pid) {
      first = stray === null ? null : { pid: stray.record.pid, at: now };
      return;
    }
    if (now - first.at < STRAY_MS) return;
    if (stray.hasDatabase) await writeRecord(options.home, stray.record);
    else await stopServer(options.home);
  };
}

async function writeRecord(home: string, record: ServerRecord): Promise<void> {
  await writeDurably(recordPath(home), `${JSON.stringify(record, null, 2)}\n`);
}

/** `127.0.0.1:port` of a record. */
export function address(record: ServerRecord): string {
  return `127.0.0.1:${String(record.port)}`;
}

/** Starts it, and anew where it ended at once: between our look and its start another process can take a port. */
async function startServer(options: ServerOptions, lock: Server): Promise<ServerRecord> {
  // However long the lock was waited for: a server that is given up while it starts would answer a moment later.
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    await backUpForeignDatabase(options);
    for (let left = STARTS_MAX; left > 0 && performance.now() < deadline; left -= 1) {
      const record = await startOnce(options, lock, deadline);
      if (record === null) continue;
      await keepHistory(address(record));
      return record;
    }
    throw new ServerUnavailable(
      `Cannot start the Temporal server: it ended or did not answer; see ${serverLogPath(options.home)}`,
    );
  } finally {
    lock.close();
  }
}

/** Null when the program ended or did not answer in time. */
async function startOnce(
  options: ServerOptions,
  lock: Server,
  deadline: number,
): Promise<ServerRecord | null> {
  const former = await readRecord(options.home);
  const [port, uiPort] = await freePorts(former);
  const pid = await launch(options, lock, port, uiPort);
  const record: ServerRecord = {
    version: 1,
    port,
    uiPort,
    pid,
    startTime: (await startTimeOf(pid)) ?? 'gone',
    program: options.program,
    programVersion: options.programVersion,
  };
  await writeRecord(options.home, record);
  while (!(await isServing(address(record)))) {
    if (!(await isRunning(record)) || performance.now() > deadline) return null;
    await delay(POLL_MS);
  }
  return record;
}

async function launch(options: ServerOptions, lock: Server, port: number, uiPort: number): Promise<number> {
  const log = await open(serverLogPath(options.home), 'a');
  try {
    const child = spawn(options.program, serverArguments(options, port, uiPort), {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, fdOf(lock)],
      cwd: options.home,
      env: { PATH: process.env['PATH'] ?? '', HOME: options.home },
    });
    child.unref();
    const { pid } = child;
    if (pid === undefined) throw new ServerUnavailable(`Cannot start "${options.program}": run a7-rt setup`);
    return pid;
  } finally {
    await log.close();
  }
}

function serverArguments(options: ServerOptions, port: number, uiPort: number): string[] {
  return [
    ...[
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--ui-ip',
      '127.0.0.1',
      '--ui-port',
      String(uiPort),
    ],
    ...['--db-filename', databasePath(options.home), '--log-level', 'error'],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'],
    // The default polls a shard 20 times a second, so that each step waits up to 50 ms (temporal.md part 7).
    ...['--dynamic-config-value', 'history.transferProcessorMaxPollRPS=2000'],
    ...options.searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
}

/** A database of another version is copied before this one opens it (temporal.md 7.1, last table). */
async function backUpForeignDatabase(options: ServerOptions): Promise<void> {
  const former = await readRecord(options.home);
  if (former === null || former.programVersion === options.programVersion) return;
  const database = databasePath(options.home);
  if ((await stat(database).catch(() => null)) === null) return;
  await copyFile(database, `${database}.${former.programVersion}.bak`);
}

/** The descriptor of a listening socket; Node has no public name for it, and only passes it on by number. */
function fdOf(server: Server): number {
  const handle: unknown = Reflect.get(server, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
  if (typeof fd !== 'number' || fd < 0)
    throw new ServerUnavailable('Cannot hand the lock to the server: no descriptor');
  return fd;
}

async function takeLock(home: string): Promise<Server | null> {
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 24);
  const path =
    process.platform === 'linux' ? `\0a7-rt-server-${digest}` : join(tmpdir(), `a7-rt-server-${digest}.lock`);
  return listenOn({ path });
}

/** The former ports where they are free, so that workers and clients of a dead server find the new one by themselves. */
async function freePorts(former: ServerRecord | null): Promise<[number, number]> {
  const servers = [await bind(former?.port), await bind(former?.uiPort)] as const;
  const ports = servers.map((server) => {
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [ports[0] ?? 0, ports[1] ?? 0];
}

async function bind(preferred: number | undefined): Promise<Server> {
  const host = '127.0.0.1';
  const wanted = preferred === undefined ? null : await listenOn({ port: preferred, host });
  const server = wanted ?? (await listenOn({ port: 0, host }));
  if (server === null)
    throw new ServerUnavailable('Cannot start the Temporal server: no free port on 127.0.0.1');
  return server;
}

function listenOn(where: { path: string } | { port: number; host: string }): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(where, () => {
      resolve(server);
    });
  });
}
