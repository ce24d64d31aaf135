/** Wires `buildStubs` to a sandbox. */
import type { SandboxFile, SandboxLimits, SandboxPort } from '../../core/ports/sandbox.ts';
import { RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';
import type { RunInSandbox } from './stub-build.ts';

export interface StubSandbox {
  readonly sandbox: SandboxPort;
  readonly image: string;
  readonly owner: string;
  /** Name of the sandbox for this build. */
  readonly key: string;
  /** The programs for /opt/a7. */
  readonly runnerFiles: readonly SandboxFile[];
}

const MIB = 1024 * 1024;
const LIMITS: SandboxLimits = {
  wallMs: 30_000,
  memoryBytes: 512 * MIB,
  diskBytes: 64 * MIB,
  filesMax: 2_000,
  processesMax: 64,
  outputBytes: 4 * MIB,
  cpus: 1,
};

/** A `RunInSandbox` on the sandbox port. It throws when the program did not end by itself with exit code 0. */
export function stubSandbox(parts: StubSandbox): RunInSandbox {
  return async ({ command, stdin, files }) => {
    const result = await parts.sandbox.run({
      key: parts.key,
      owner: parts.owner,
      image: parts.image,
      mounts: [
        { path: RUNNER_MOUNT, files: parts.runnerFiles, writable: false },
        { path: '/work', files },
      ],
      argv: command.argv,
      env: command.env,
      stdin: new TextEncoder().encode(stdin),
      limits: limitsFor(files),
    });
    const { outcome } = result;
    if (outcome.kind !== 'exited' || outcome.exitCode !== 0 || result.stdout.truncated) {
      const detail =
        outcome.kind === 'exited'
          ? `exit code ${String(outcome.exitCode)}`
          : outcome.kind === 'lost'
            ? `lost, ${outcome.reason}`
            : outcome.kind;
      throw new Error(
        `Cannot build stubs: the program must end with exit code 0, it ended with ${detail}: ${result.stderr.text.slice(-500)}`,
      );
    }
    return result.stdout.text;
  };
}

/** A repository's own files come on top of what a plain build needs. */
function limitsFor(files: readonly SandboxFile[]): SandboxLimits {
  const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  return { ...LIMITS, diskBytes: LIMITS.diskBytes + 2 * bytes, filesMax: LIMITS.filesMax + files.length };
}
