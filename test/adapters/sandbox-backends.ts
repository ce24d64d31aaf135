/** Both sandbox backends on the real tools that set-up provides; a missing one fails with its reason. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapSandbox } from '../../adapters/sandbox/bubblewrap/adapter.ts';
import type { BubblewrapOptions } from '../../adapters/sandbox/bubblewrap/adapter.ts';
import { createDockerSandbox } from '../../adapters/sandbox/docker/adapter.ts';
import { SeccompProfile } from '../../adapters/sandbox/shared/seccomp-profile.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import type { SandboxFile, SandboxLimits, SandboxPort, SandboxRequest } from '../../core/ports/sandbox.ts';

export const MIB = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  wallMs: 15_000,
  memoryBytes: 192 * MIB,
  diskBytes: 32 * MIB,
  filesMax: 2_000,
  processesMax: 64,
  outputBytes: MIB,
  cpus: 1,
};

export interface Backend {
  readonly image: string;
  readonly sandbox: SandboxPort;
  readonly close: () => Promise<void>;
}

export const BACKENDS = ['bubblewrap', 'docker'] as const;

/** The profile that both backends are given in production. */
export function seccompProfile(): SeccompProfile {
  return SeccompProfile.parse(JSON.parse(readFileSync('sandbox/seccomp.json', 'utf8')));
}

export async function openBackend(
  kind: (typeof BACKENDS)[number],
  extra: Partial<BubblewrapOptions> & { poolSize?: number } = {},
): Promise<Backend> {
  const tools = await readToolchain();
  const image = tools.image.tag;
  const seccomp = seccompProfile();
  if (kind === 'docker') {
    if (tools.docker === null)
      throw new Error('Cannot test the docker sandbox: no engine answers; run "npm run setup"');
    // dockerode would take `version` for the engine's API version.
    const { version: _, ...docker } = tools.docker;
    const sandbox = createDockerSandbox({
      docker,
      seccomp,
      poolSize: extra.poolSize ?? 0,
    });
    return { image, sandbox, close: async () => await sandbox.close() };
  }
  if (tools.bubblewrap === null || tools.image.rootfs === null) {
    throw new Error(
      'Cannot test the bubblewrap sandbox: bwrap or its root file system is missing; run "npm run setup"',
    );
  }
  const stateFolder = mkdtempSync(join(tmpdir(), 'a7-rt-test-rooms-'));
  const { path: program } = tools.bubblewrap;
  const sandbox = createBubblewrapSandbox({
    program,
    rootfs: tools.image.rootfs,
    image,
    seccomp,
    stateFolder,
    ...extra,
  });
  const close = async (): Promise<void> => {
    await sandbox.close();
    rmSync(stateFolder, { recursive: true, force: true });
  };
  return { image, sandbox, close };
}

export function file(path: string, text: string, executable = false): SandboxFile {
  return { path, bytes: Buffer.from(text), executable };
}

/** A request with an empty /work, a fresh key and the usual limits. */
export function request(
  image: string,
  part: Partial<SandboxRequest> & Pick<SandboxRequest, 'argv'>,
): SandboxRequest {
  const key = `test-${randomBytes(6).toString('hex')}`;
  return { key, owner: 'test', image, mounts: [{ path: '/work', files: [] }], limits: LIMITS, ...part };
}

export function python(...lines: string[]): string[] {
  return ['python3', '-c', lines.join('\n')];
}

export function shell(script: string): string[] {
  return ['bash', '-c', script];
}
