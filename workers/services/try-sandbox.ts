/** `sandbox`: a command in the gate's clean room, for whoever wants to try to get out. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { DEFAULT_LIMITS } from '../../core/gate/plan.ts';
import type { Result } from '../../core/ports/services.ts';
import type { SandboxLimits, SandboxResult } from '../../core/ports/sandbox.ts';
import type { SandboxAnswer, SandboxAsk } from '../../core/ports/visitors.ts';
import { readFault } from '../../core/text/error-text.ts';
import { type ReadFolder, readFolder } from '../../adapters/system/read-folder.ts';
import type { Machine } from '../machine.ts';
import { type Surroundings, failed } from './common.ts';
import { openHomeMachine } from './home-machine.ts';

/** As `timeout` and `docker run` have them. */
const EXIT_LIMIT = 124;
const EXIT_LOST = 125;
const EXIT_SIGNAL = 128;
const WORK_DIR = '/work';

/** Runs the command with the limits of a gate; `stop` ends it. */
export async function trySandbox(
  around: Surroundings,
  ask: SandboxAsk,
  stop: AbortSignal,
): Promise<Result<SandboxAnswer>> {
  const folder = await readWork(ask.dir).catch((error: unknown) => readFault(error));
  if (typeof folder === 'string') return failed(2, `Cannot read folder "${ask.dir ?? ''}": ${folder}`);
  const machine = await openHomeMachine(around, ask.backend);
  if ('ok' in machine) return machine;
  const limits = limitsOf(ask);
  try {
    const result = await machine.sandbox.run(
      {
        key: `a7-try-${randomUUID()}`,
        owner: `try-${String(process.pid)}`,
        image: machine.image,
        mounts: [{ path: WORK_DIR, files: folder.files }],
        argv: ask.argv,
        cwd: WORK_DIR,
        limits,
      },
      { signal: stop },
    );
    return { ok: true, value: answerOf(result, limits, machine, folder) };
  } finally {
    await machine.sandbox.close();
  }
}

async function readWork(dir: string | null): Promise<ReadFolder> {
  return dir === null ? { files: [], leftOut: [] } : readFolder(dir);
}

function limitsOf(ask: SandboxAsk): SandboxLimits {
  const { wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus } = DEFAULT_LIMITS;
  return { wallMs: ask.wallMs ?? wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus };
}

function answerOf(
  result: SandboxResult,
  limits: SandboxLimits,
  { proof }: Machine,
  { leftOut }: ReadFolder,
): SandboxAnswer {
  return {
    outcome: result.outcome,
    exitCode: exitCodeOf(result),
    stdout: result.stdout.text,
    stderr: result.stderr.text,
    truncated: result.stdout.truncated || result.stderr.truncated,
    durationMs: Math.round(result.durationMs),
    cpuMs: result.cpuMs === null ? null : Math.round(result.cpuMs),
    limits: { ...limits },
    limitsHit: [...endLimit(result), ...result.limitsHit],
    isolation: {
      backend: proof.backend,
      level: proof.level,
      actsTried: proof.acts.length,
      actsNotHeld: proof.acts.filter((act) => !act.held).map((act) => act.act),
    },
    leftOut,
  };
}

function exitCodeOf({ outcome }: SandboxResult): number {
  switch (outcome.kind) {
    case 'exited':
      return outcome.exitCode;
    case 'signaled':
      return EXIT_SIGNAL + signalNumber(outcome.signal);
    case 'timed_out':
    case 'out_of_memory':
    case 'output_limit':
      return EXIT_LIMIT;
    case 'cancelled':
    case 'lost':
      return EXIT_LOST;
  }
}

function signalNumber(name: string): number {
  return Object.entries(constants.signals).find(([each]) => each === name)?.[1] ?? 0;
}

function endLimit({ outcome }: SandboxResult): string[] {
  switch (outcome.kind) {
    case 'timed_out':
      return ['time'];
    case 'out_of_memory':
      return ['memory'];
    case 'output_limit':
      return ['output'];
    default:
      return [];
  }
}
