/** Runs the user's own registry clients: bounded, without a terminal, with their own configuration (L3). */
import { execa } from 'execa';
import type { LayerEcosystem } from '../../schemas/layer.ts';
import { fail } from './problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ClientRun {
  readonly ok: boolean;
  /** Both streams: read for known failures, never shown. */
  readonly text: string;
  readonly stdout: string;
}

export interface ClientOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
}

const WALL_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Runs a program to its end. A missing one is `null`. @throws when `signal` was aborted */
export async function runClient(
  [program = '', ...args]: readonly string[],
  { cwd, env, signal }: ClientOptions,
): Promise<ClientRun | null> {
  const end = await execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    timeout: WALL_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    forceKillAfterDelay: 2_000,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (end.code === 'ENOENT') return null;
  const timedOut = end.timedOut ? '\ntimed out' : '';
  return { ok: !end.failed, text: `${end.stdout}\n${end.stderr}${timedOut}`, stdout: end.stdout };
}

/** The first of several commands that this machine has, run. @throws {LayerFailure} `no_client` if it has none. */
export async function runFirst(
  commands: readonly (readonly string[])[],
  ecosystem: LayerEcosystem,
  options: ClientOptions,
): Promise<ClientRun> {
  for (const command of commands) {
    const run = await runClient(command, options);
    const isMissing = run === null || (!run.ok && /No module named pip|command not found/.test(run.text));
    if (!isMissing) return run;
  }
  const names = commands.map((command) => `"${command[0] ?? ''}"`).join(', ');
  return fail(
    'no_client',
    { ecosystem, pin: null },
    `this machine must have one of ${names}, and has none`,
    'Install it, or resolve the packages on another machine and copy the cache folder',
  );
}
