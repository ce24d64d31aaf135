/** One room of the clean-room port, for every judge: how it is run, and the log that it leaves. */
import type {
  SandboxCompanionResult,
  SandboxPort,
  SandboxRequest,
  SandboxResult,
} from '../../core/ports/sandbox.ts';

/** Runs a request. An adapter that throws counts as a lost sandbox: nobody is charged. @throws only what `signal` says. */
export async function runRoom(
  sandbox: SandboxPort,
  request: SandboxRequest,
  signal: AbortSignal | undefined,
): Promise<SandboxResult> {
  const result = await sandbox
    .run(request, signal === undefined ? {} : { signal })
    .catch((error: unknown) => lostResult(error instanceof Error ? error.message : String(error)));
  signal?.throwIfAborted();
  return result;
}

/** What a person reads of a room: the command, how it ended, and all that it printed. */
export function roomLog(command: string, result: SandboxResult): Uint8Array {
  const { outcome, stdout, stderr, durationMs, cpuMs, refused, companions = [] } = result;
  const cpu = cpuMs === null ? 'unknown' : `${String(Math.round(cpuMs))} ms`;
  const lines = [
    `command: ${command}`,
    `outcome: ${JSON.stringify(outcome)}`,
    `time: ${String(Math.round(durationMs))} ms, processor ${cpu}`,
    `refused: ${JSON.stringify(refused)}`,
    `--- standard output (${String(stdout.bytes)} bytes${stdout.truncated ? ', cut' : ''})`,
    stdout.text,
    `--- standard error (${String(stderr.bytes)} bytes${stderr.truncated ? ', cut' : ''})`,
    stderr.text,
    ...companions.flatMap(companionLines),
    '',
  ];
  return new TextEncoder().encode(lines.join('\n'));
}

/** What the builder's side printed past the wall, and how it ended. */
function companionLines(companion: SandboxCompanionResult): string[] {
  return [
    `--- builder's side: ${companion.end === null ? 'lived to the end' : JSON.stringify(companion.end)}`,
    companion.stdout.text,
    companion.stderr.text,
  ];
}

function lostResult(reason: string): SandboxResult {
  const none = { text: '', bytes: 0, truncated: false };
  return {
    outcome: { kind: 'lost', reason },
    stdout: none,
    stderr: none,
    files: {},
    refused: [],
    durationMs: 0,
    cpuMs: null,
    limitsHit: [],
  };
}
