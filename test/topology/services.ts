/** The services of docker-compose.yml with locally made images: compose, commands in the worker, and deaths without warning. */
import { execa } from 'execa';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../..');
const PROJECT = 'a7-topology';
const LOOK_EVERY_MS = 500;
export const UI_PORT = 18_233;
const SERVER_PORT = 17_233;

export interface Services {
  compose(...args: string[]): Promise<string>;
  /** A command in the worker's container. */
  inWorker(...argv: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** One field of a container, as `docker inspect` knows it. */
  field(service: string, format: string): Promise<string>;
  /** SIGKILL from outside: what the engine starts again by itself, as after a crash. */
  kill(service: string): Promise<void>;
}

/** Makes the stand-in images and the settings of this run. */
export async function prepareServices(folder: string, repositories: string): Promise<Services> {
  const made = await execa('node', [join(ROOT, 'scripts/stand-ins.mjs')], { stderr: 'inherit' });
  const settings = join(folder, 'compose.env');
  await writeFile(settings, ownSettings(await readFile(made.stdout.trim(), 'utf8'), repositories));
  const [program = '', ...words] = await composeProgram();
  const args = [...words, '--project-directory', ROOT, '-f', join(ROOT, 'docker-compose.yml')];
  const env = { DOCKER_BUILDKIT: '0', COMPOSE_DOCKER_CLI_BUILD: '0' };
  const container = (service: string): string => containerName(program, service);
  const field = async (service: string, format: string): Promise<string> =>
    (await execa('docker', ['inspect', '--format', format, container(service)])).stdout;
  return {
    field,
    compose: async (...asked) =>
      (await execa(program, [...args, '--env-file', settings, ...asked], { env, all: true })).all,
    async inWorker(...argv) {
      const end = await execa('docker', ['exec', container('worker'), ...argv], { reject: false });
      return { code: end.exitCode ?? -1, out: end.stdout, err: end.stderr };
    },
    async kill(service) {
      const started = await field(service, '{{.State.StartedAt}}');
      process.kill(Number(await field(service, '{{.State.Pid}}')), 'SIGKILL');
      await until(async () => (await field(service, '{{.State.StartedAt}}')) !== started);
    },
  };
}

function ownSettings(text: string, repositories: string): string {
  const own = {
    COMPOSE_PROJECT_NAME: PROJECT,
    WORKER_IMAGE: 'a7-rt/stand-in/worker:test',
    TEMPORAL_PORT: String(SERVER_PORT),
    TEMPORAL_UI_PORT: String(UI_PORT),
    A7_REPOSITORIES: repositories,
  };
  return Object.entries(own).reduce(
    (all, [name, value]) => all.replace(new RegExp(`^${name}=.*$`, 'mu'), `${name}=${value}`),
    text,
  );
}

/** The plugin of Docker's command line where it is there, else the older program. */
async function composeProgram(): Promise<string[]> {
  const plugin = await execa('docker', ['compose', 'version'], { reject: false });
  return plugin.exitCode === 0 ? ['docker', 'compose'] : ['docker-compose'];
}

function containerName(program: string, service: string): string {
  return [PROJECT, service, '1'].join(program === 'docker' ? '-' : '_');
}

/** Waits for what comes by itself; the test's own limit ends it. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(LOOK_EVERY_MS);
}

/** Services that compose runs once, by the file. */
export function servicesOf(): { readonly all: string[]; readonly once: string[] } {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  const all = [...text.split(/^volumes:/mu, 1)[0]!.matchAll(/^ {2}(\w+):$/gmu)].map(([, name = '']) => name);
  return { all, once: ['schema', 'namespace'] };
}
