/** A home of its own, seeded sessions in it, and the commands that run them as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { type ModelServer, startModelServer } from '../../../adapters/model-server/server.ts';
import { adoptSession, workflowNameOf } from '../../../adapters/store/session.ts';
import type { LedgerLine } from '../../../schemas/ledger.ts';
import type { HistoryBounds } from '../../../schemas/stage-io.ts';
import { stageWorkflowId } from '../../../workers/queues.ts';
import { bundledProgram } from '../bundled-program.ts';
import type { ProgramOptions } from './run-program.ts';
import type { Strike, StrikePoint } from './strike-points.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLI = join(ROOT, 'bin', 'a7-rt.mjs');
const PROGRAM = 'test/support/crash/run-program.ts';
const PROJECT = join(ROOT, 'test', 'support', 'crash', 'project');
const POLL_MS = 20;
/** Longest wait for anything: the machine may be busy. */
const WAIT_MAX_MS = 480_000;

export type Backend = 'docker' | 'bubblewrap';

/** A started process and how it ended. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Everything it printed so far. */
  readonly output: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export interface TestSession {
  readonly home: string;
  readonly dir: string;
  readonly model: ModelServer;
  readonly backend: Backend;
  /** `a7-rt run`, the product's own program; of one stage, or of all. */
  run(stageId?: string): Running;
  /** The same run on a host that has not got the folder `missing`. */
  runWithout(missing: string): Running;
  /** The same run with strikes or small histories. */
  program(options: { strike?: Strike; historyBounds?: HistoryBounds }): Running;
  /** Any command. */
  command(args: readonly string[]): Running;
  marker(point: StrikePoint, nth?: number, signal?: Strike['signal']): Strike;
  /** Processes that were started for this session, dead ones too. */
  readonly pids: ReadonlySet<number>;
  readonly lines: () => readonly LedgerLine[];
}

export interface SessionOptions {
  /** Default bubblewrap. */
  readonly backend?: Backend;
  readonly env?: Record<string, string>;
  /** The folder that it is a copy of. Default: the yard's template. */
  readonly copyOf?: string;
}

export interface Yard {
  readonly home: string;
  /** The seeded session of which all others are copies. */
  readonly template: string;
  session(name: string, options?: SessionOptions): Promise<TestSession>;
  command(args: readonly string[], env?: Record<string, string>): Running;
  close(): Promise<void>;
}

/** Makes a home; its sessions are copies of `given`, else of one seeded here, each with an identity of its own. */
export async function openYard(given: string | null = null): Promise<Yard> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-crash-'));
  const home = join(root, 'home');
  mkdirSync(home);
  const servers: ModelServer[] = [];
  const running = new Set<ChildProcess>();
  const start = (
    argv: readonly string[],
    env: Record<string, string>,
    missing: string | null = null,
  ): Running => {
    const started = launch(argv, { ...process.env, ...env, A7_HOME: home }, missing);
    running.add(started.child);
    void started.ended.finally(() => running.delete(started.child));
    return started;
  };
  const command: Yard['command'] = (args, env = {}) => start([CLI, ...args], env);
  const program = await bundledProgram(PROGRAM);
  const template = given ?? (await seedTemplate(join(root, 'template'), command));
  return {
    home,
    template,
    command,
    async session(name, { backend = 'bubblewrap', env: extra = {}, copyOf = template } = {}) {
      const dir = join(root, name);
      cpSync(copyOf, dir, { recursive: true });
      await adoptSession(dir);
      const recordDir = join(root, `${name}-record`);
      const model = await startModelServer({ script: { path: join(PROJECT, 'script.yaml') }, recordDir });
      servers.push(model);
      const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted', ...extra };
      const pids = new Set<number>();
      const own = (argv: readonly string[], missing: string | null = null): Running => {
        const started = start(argv, env, missing);
        pids.add(started.pid);
        return started;
      };
      const runOf = (stageId?: string): string[] => [
        ...[CLI, 'run', dir, '--model', 'scripted', '--manager', 'policy', '--backend', backend],
        ...(stageId === undefined ? [] : ['--stage-id', stageId]),
      ];
      return {
        home,
        dir,
        model,
        backend,
        pids,
        command: (args) => own([CLI, ...args]),
        run: (stageId) => own(runOf(stageId)),
        runWithout: (missing) => own(runOf(), missing),
        program({ strike, historyBounds }) {
          const options: ProgramOptions = {
            strike: strike ?? null,
            historyBounds: historyBounds ?? null,
            backend,
          };
          return own([program, dir, JSON.stringify(options)]);
        },
        marker: (point, nth = 1, signal = 'SIGKILL') => ({
          point,
          nth,
          signal,
          marker: join(root, `${name}-marker`),
        }),
        lines: () => readLedger(dir),
      };
    },
    async close() {
      for (const child of running) child.kill('SIGCONT');
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(servers.map((server) => server.close()));
      await command(['down']).ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function seedTemplate(template: string, command: Yard['command']): Promise<string> {
  await succeed(command(['init', template]));
  cpSync(join(PROJECT, 'contracts.yaml'), join(template, 'contracts.yaml'));
  const config = join(template, '.a7', 'config.toml');
  writeFileSync(config, `sandbox = "bubblewrap"\n${readFileSync(config, 'utf8')}`);
  await succeed(command(['seed', template]));
  return template;
}

/** Waits until `look` gives something. @throws after eight minutes, naming `what`. */
export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const deadline = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited too long for: ${what}`);
    await delay(POLL_MS);
  }
}

/** Waits for the end of a process. @throws with its output when it fails or runs too long. */
export async function succeed(running: Running): Promise<void> {
  const late = delay(WAIT_MAX_MS, null, { ref: false });
  const end = await Promise.race([running.ended, late]);
  if (end === null) throw new Error(`The process did not end: ${running.output()}`);
  if (end.code !== 0) throw new Error(`Exit ${String(end.code ?? end.signal)}: ${running.output()}`);
}

/** Waits for the marker and, where the strike kills, for the death that it announces. */
export async function struck(strike: Strike, running: Running): Promise<void> {
  await until(`the strike at ${strike.point}: ${running.output()}`, () => {
    if (existsSync(strike.marker)) return true;
    if (running.child.exitCode === null && running.child.signalCode === null) return false;
    throw new Error(`The process ended before ${strike.point}: ${running.output()}`);
  });
  if (strike.signal === 'SIGKILL') await running.ended;
}

/** Whole lines of a ledger; a torn last one is left out. */
export function readLedger(dir: string): readonly LedgerLine[] {
  const path = join(dir, 'events.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LedgerLine);
}

/** Works on the workflow of a stage at the server of the session's home. */
export async function withStage<T>(
  { home, dir }: TestSession,
  stageId: string,
  work: (handle: WorkflowHandle) => Promise<T>,
): Promise<T> {
  const { port } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { port: number };
  const { id } = JSON.parse(readFileSync(join(dir, '.a7', 'session.json'), 'utf8')) as { id: string };
  const workflowId = stageWorkflowId(await workflowNameOf(dir, id), stageId);
  const connection = await Connection.connect({ address: `127.0.0.1:${String(port)}` });
  try {
    return await work(new Client({ connection }).workflow.getHandle(workflowId));
  } finally {
    await connection.close();
  }
}

/** True when the workflow of a stage has ended. */
export async function isClosed(session: TestSession, stageId: string): Promise<boolean> {
  return withStage(session, stageId, async (handle) => (await handle.describe()).status.name !== 'RUNNING');
}

/** The server process of a home. */
export function serverPid(home: string): number {
  const { pid } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { pid: number };
  return pid;
}

function launch(argv: readonly string[], env: NodeJS.ProcessEnv, missing: string | null): Running {
  const view = missing === null ? [] : ['bwrap', '--dev-bind', '/', '/', '--tmpfs', missing];
  const [file = '', ...args] = [...view, process.execPath, ...argv];
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, pid: child.pid ?? 0, output: () => text, ended };
}
