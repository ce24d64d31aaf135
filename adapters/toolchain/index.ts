/**
 * Tells what set-up found on this machine: the Temporal program, the sandbox backends and the sandbox image.
 * It looks and never installs; scripts/setup.mjs does that.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DockerAddress, Toolchain } from '../../core/ports/toolchain.ts';
import { dockerCandidates, findDocker, pingDocker, type FoundDocker } from './find-docker.mjs';
import { cacheFolder, ToolsFile, type Environment } from './tools-file.ts';
import { strictJson } from '../../core/text/strict-json.ts';

export { cacheFolder } from './tools-file.ts';

/** Set-up has not run, or what it recorded is gone. The message names the next step. */
export class ToolchainError extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(`Cannot read the toolchain: ${problem}; run "a7-rt setup"`, options);
    this.name = 'ToolchainError';
  }
}

export interface ReadToolchainOptions {
  /** Default `process.env`. */
  readonly env?: Environment;
}

/**
 * What set-up recorded, with the Docker engine as it is now: the recorded one if it answers, else one that does, else
 * null. `DOCKER_HOST` in the environment names the only one. A program that is gone since then is an error, or null where the
 * work can go on without it.
 * @throws {ToolchainError} if tools.json is missing or damaged, or the Temporal program is gone
 */
export async function readToolchain(options: ReadToolchainOptions = {}): Promise<Toolchain> {
  const env = options.env ?? process.env;
  const recorded = withTemporal(await readTools(join(cacheFolder(env), 'tools.json')), env['A7_TEMPORAL']);
  if (!(await isThere(recorded.temporal.path, constants.X_OK))) {
    throw new ToolchainError(
      env['A7_TEMPORAL']
        ? `A7_TEMPORAL names "${recorded.temporal.path}", which is no program`
        : `the Temporal program "${recorded.temporal.path}" is gone`,
    );
  }
  const { rootfs } = recorded.image;
  return {
    ...recorded,
    docker: await liveDocker(recorded.docker, env),
    bubblewrap: recorded.bubblewrap && (await isThere(recorded.bubblewrap.path)) ? recorded.bubblewrap : null,
    image: { ...recorded.image, rootfs: rootfs !== null && (await isThere(rootfs)) ? rootfs : null },
  };
}

/** A program that a person names is the only one that is used. */
function withTemporal(recorded: Toolchain, path: string | undefined): Toolchain {
  if (!path || path === recorded.temporal.path) return recorded;
  return { ...recorded, temporal: { ...recorded.temporal, path, version: 'as A7_TEMPORAL names it' } };
}

async function readTools(path: string): Promise<Toolchain> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new ToolchainError(`there is no "${path}"`, { cause });
  }
  const parsed = ToolsFile.safeParse(strictJson(text));
  if (parsed.success) return parsed.data;
  throw new ToolchainError(`"${path}" is not as set-up writes it (${z.prettifyError(parsed.error)})`);
}

async function liveDocker(recorded: DockerAddress | null, env: Environment): Promise<DockerAddress | null> {
  if (recorded !== null && !env['DOCKER_HOST']) {
    const answer = await pingDocker(recorded);
    if (answer.ok) return { ...recorded, version: answer.engine.version };
  }
  // An engine that a person names is the only one that is asked: backends never change unasked.
  const [named] = env['DOCKER_HOST'] ? dockerCandidates({ env }) : [];
  if (named !== undefined) {
    const answer = await pingDocker(named);
    return answer.ok ? addressOf({ ...named, ...answer.engine }) : null;
  }
  const { found } = await findDocker({ env });
  return found === null ? null : addressOf(found);
}

function addressOf({ socketPath, host, port, version }: FoundDocker): DockerAddress | null {
  if (socketPath !== undefined) return { socketPath, version };
  return host !== undefined && port !== undefined ? { host, port, version } : null;
}

async function isThere(path: string, mode: number = constants.R_OK): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}
