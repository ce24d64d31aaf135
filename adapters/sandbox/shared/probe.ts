/** Proves an isolation level by attempting forbidden acts in a room (guarantee G10, design part 11). */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type {
  IsolationProof,
  ProbeResult,
  SandboxPort,
  SandboxRequest,
} from '../../../core/ports/sandbox.ts';
import { PROBE_SCRIPT } from './probe-script.ts';

const ProbeLine = z.strictObject({
  act: z.string().max(200),
  held: z.boolean(),
  detail: z.string().max(300),
});

const LAST_ACT = 'be root';
const MIB = 1024 * 1024;

/** Runs the probe as the guest of a fresh room. `known` are facts of the backend that no act inside can show. */
export async function probeRoom(
  sandbox: SandboxPort,
  image: string,
  known: readonly ProbeResult[],
): Promise<IsolationProof> {
  const host = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => host.listen(0, '0.0.0.0', resolve));
  try {
    const result = await sandbox.run(probeRequest(image, (host.address() as AddressInfo).port));
    const lines = result.stdout.text.split('\n').filter((line) => line !== '');
    const acts = lines.map((line) => ProbeLine.parse(JSON.parse(line)));
    const finished =
      result.outcome.kind === 'exited' && result.outcome.exitCode === 0 && acts.at(-1)?.act === LAST_ACT;
    const end = {
      act: 'finish the probe',
      held: finished,
      detail: `${JSON.stringify(result.outcome)} ${result.stderr.text}`.slice(0, 500),
    };
    const all = [...acts, ...known, end];
    return { backend: sandbox.backend, level: level(all, finished), acts: all };
  } finally {
    await new Promise((resolve) => host.close(resolve));
  }
}

function level(acts: readonly ProbeResult[], finished: boolean): IsolationProof['level'] {
  if (!finished) return 'none';
  return acts.every((act) => act.held) ? 'hardened' : 'partial';
}

function probeRequest(image: string, port: number): SandboxRequest {
  return {
    key: `probe-${randomBytes(6).toString('hex')}`,
    owner: 'probe',
    image,
    mounts: [{ path: '/work', files: [] }],
    argv: ['python3', '-I', '-c', PROBE_SCRIPT, String(port)],
    limits: {
      wallMs: 20_000,
      memoryBytes: 128 * MIB,
      diskBytes: 16 * MIB,
      filesMax: 100,
      processesMax: 32,
      outputBytes: MIB,
      cpus: 1,
    },
  };
}
