/** What this machine offers to a worker: the sandbox that was chosen and what it proved (G10, design part 11). */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLayers } from '../adapters/layers/layers.ts';
import { compiledFiles } from '../adapters/runner-files/compiled-files.ts';
import { readRunnerFiles } from '../adapters/runner-files/runner-files.ts';
import { createBubblewrapSandbox } from '../adapters/sandbox/bubblewrap/adapter.ts';
import { createDockerSandbox } from '../adapters/sandbox/docker/adapter.ts';
import { SeccompProfile } from '../adapters/sandbox/shared/seccomp-profile.ts';
import { cacheFolder, readToolchain } from '../adapters/toolchain/index.ts';
import { MODEL_KEY_NAMES } from '../core/config/models.ts';
import type { RunnerFiles } from '../core/ports/gate.ts';
import type { LayersPort } from '../core/ports/layers.ts';
import type { IsolationProof, SandboxPort } from '../core/ports/sandbox.ts';
import type { DockerAddress, Toolchain } from '../core/ports/toolchain.ts';
import type { SandboxChoice } from '../schemas/config.ts';

export interface Machine {
  readonly toolchain: Toolchain;
  readonly sandbox: SandboxPort;
  readonly proof: IsolationProof;
  /** The plain image; what a session needs besides is a layer on it. */
  readonly image: string;
  readonly layers: LayersPort;
  readonly runners: RunnerFiles;
  /** Gates that may run at once. */
  readonly gatesMax: number;
  /** Rooms of agents that may be open at once, beside those of gates. */
  readonly agentsMax: number;
  /** Names the sandbox queue: workers that offer the same share it. */
  readonly capability: string;
}

/** An agent mostly waits for its model, a gate for nobody: each kind has as many as there are processors. */
const PLACES = Math.max(2, availableParallelism());

/** The machine lacks something that was asked for; the message names the next step. */
export class MachineLacks extends Error {
  override readonly name = 'MachineLacks';
}

/** Folder of the package's `sandbox`, beside the sources and beside the build alike. */
export const SANDBOX_FOLDER = fileURLToPath(new URL('../sandbox/', import.meta.url));

/** Opens the backend that was asked for, else Docker, else bubblewrap; probes it before anything runs. @throws {MachineLacks} */
export async function openMachine(home: string, choice: SandboxChoice): Promise<Machine> {
  const toolchain = await readToolchain();
  const seccomp = SeccompProfile.parse(
    JSON.parse(await readFile(join(SANDBOX_FOLDER, 'seccomp.json'), 'utf8')),
  );
  const sandbox = chooseSandbox(toolchain, choice, seccomp, home);
  const image = toolchain.image.tag;
  await sandbox.reap();
  const proof = await sandbox.probe(image);
  const runners = await readRunnerFiles(join(SANDBOX_FOLDER, 'runner'), (sources) =>
    compiledFiles(sources, { sandbox, image, folder: join(cacheFolder(), 'compiled') }),
  );
  return {
    toolchain,
    sandbox,
    proof,
    image,
    layers: layersOf(toolchain, sandbox),
    runners,
    gatesMax: PLACES,
    agentsMax: PLACES,
    capability: `${sandbox.backend}-${toolchain.image.recipeHash}`,
  };
}

/** Layers live in the user's cache, beside the image that they lie on. */
function layersOf({ docker, image }: Toolchain, sandbox: SandboxPort): LayersPort {
  return createLayers({
    folder: layersFolder(),
    base: image,
    sandbox,
    docker: sandbox.backend === 'docker' && docker !== null ? addressOf(docker) : null,
    env: withoutModelKeys(process.env),
  });
}

/** Registry clients are the user's own programs with the user's own settings; a model's key is none of these. */
function withoutModelKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !MODEL_KEY_NAMES.includes(name)));
}

function layersFolder(): string {
  return join(cacheFolder(), 'layers');
}

/** dockerode would take `version` for the engine's API version. */
function addressOf(docker: DockerAddress): { socketPath: string } | { host: string; port: number } {
  return 'socketPath' in docker
    ? { socketPath: docker.socketPath }
    : { host: docker.host, port: docker.port };
}

function chooseSandbox(
  toolchain: Toolchain,
  choice: SandboxChoice,
  seccomp: SeccompProfile,
  home: string,
): SandboxPort {
  const { docker, bubblewrap, image } = toolchain;
  if (choice !== 'bubblewrap' && docker !== null) {
    return createDockerSandbox({ docker: addressOf(docker), seccomp });
  }
  const named = process.env['DOCKER_HOST'];
  if (choice === 'auto' && named !== undefined && named !== '')
    throw new MachineLacks(
      `Cannot use the engine that DOCKER_HOST names: "${named}" does not answer. Start it, unset DOCKER_HOST, or choose --backend bubblewrap`,
    );
  if (choice === 'docker')
    throw new MachineLacks(
      'Cannot use the Docker backend: no engine answers. Start it, or run "a7-rt setup"',
    );
  if (bubblewrap === null || image.rootfs === null) {
    throw new MachineLacks(
      'Cannot open a sandbox: neither a Docker engine nor bubblewrap with its root file system is there. Run "a7-rt setup"',
    );
  }
  const stateFolder = join(home, 'bubblewrap');
  return createBubblewrapSandbox({
    program: bubblewrap.path,
    rootfs: image.rootfs,
    image: image.tag,
    layersFolder: layersFolder(),
    seccomp,
    stateFolder,
  });
}
