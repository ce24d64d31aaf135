/** One command of a repository's plan in a fresh room: a fresh checkout, the steps of set-up, then the command. */
import type { OwnCode } from '../../core/repository/own-code.ts';
import { commandText } from '../../core/repository/resolve-commands.ts';
import { exitText, SETUP_DONE, setupFinding } from '../../core/repository/judge-end.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { RepositoryParts, RepositoryRequest } from '../../core/ports/repository-gate.ts';
import type { SandboxFile, SandboxResult } from '../../core/ports/sandbox.ts';
import { RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';
import type { GateLimits } from '../../schemas/gate-limits.ts';
import type { RepositoryCommand, RepositoryFinding } from '../../schemas/repository-report.ts';
import { OUT_DIR, programEnv, WORK_DIR } from '../gate/programs.ts';
import { roomLog, runRoom } from '../gate/run-room.ts';
import { quoted } from '../../core/text/typed.ts';

/** What all rooms of one judgement share. */
export interface RepositoryRooms {
  readonly parts: RepositoryParts;
  readonly request: RepositoryRequest;
  /** With the plan's dependencies, where it has any. */
  readonly image: string;
  /** The checkout: the snapshot without the plan's own files. */
  readonly files: readonly SandboxFile[];
  readonly setup: readonly (readonly string[])[];
  /** What of the checkout hands itself out by name. */
  readonly own: OwnCode;
  /** Lines of a shell before set-up: the repository's own packages come before copies of them. */
  readonly links: readonly string[];
  /** Whether there are packages that are not the repository's own. */
  readonly hasPackages: boolean;
  readonly signal: AbortSignal | undefined;
  /** Counts the rooms: names and log files follow it. */
  readonly used: { count: number };
}

export interface RoomOrder {
  readonly level: RepositoryCommand['level'];
  readonly name: string;
  readonly argv: readonly string[];
  /** What a person reads for it; default `argv`. */
  readonly shown?: string;
  readonly stdin: string;
  readonly inputs: readonly SandboxFile[];
  readonly limits: GateLimits;
  /** Beside those of the plan. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Commands after set-up, in the same checkout. */
  readonly before?: readonly (readonly string[])[] | undefined;
  /** Whether the work folder comes back. */
  readonly collectWork: boolean;
  /** Default true. */
  readonly withSetup?: boolean;
}

export interface RoomEnd {
  readonly result: SandboxResult;
  /** What the command left in the out folder, our own marker taken away. */
  readonly out: readonly SandboxFile[];
  readonly work: readonly SandboxFile[];
  /** Set-up failed: nothing else says anything. */
  readonly setup: RepositoryFinding | null;
  readonly command: RepositoryCommand;
  readonly artifact: GateArtifact;
}

/** Runs one order. */
export async function runOrder(rooms: RepositoryRooms, order: RoomOrder): Promise<RoomEnd> {
  const { parts, request } = rooms;
  rooms.used.count += 1;
  const ordinal = String(rooms.used.count).padStart(2, '0');
  const setup = order.withSetup === false ? [] : [...rooms.setup, ...(order.before ?? [])];
  const links = order.withSetup === false ? [] : rooms.links;
  const { wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus } = order.limits;
  const result = await runRoom(
    parts.sandbox,
    {
      key: `a7-repo-${ordinal}-${parts.hash(`${request.stepKey}\n${ordinal}`).slice(7, 31)}`,
      owner: request.owner,
      image: rooms.image,
      mounts: [
        { path: WORK_DIR, files: laidOver(rooms.files, order.inputs) },
        { path: RUNNER_MOUNT, files: parts.runners.all, writable: false },
        { path: OUT_DIR, files: [] },
      ],
      argv:
        setup.length + links.length === 0
          ? order.argv
          : ['sh', '-c', setupScript(links, setup), 'sh', ...order.argv],
      env: {
        ...order.variables,
        ...programEnv(request.plan.environment, request.plan.environment.hashSeeds[0]),
      },
      cwd: WORK_DIR,
      stdin: new TextEncoder().encode(order.stdin),
      limits: { wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus },
      collect: order.collectWork ? [OUT_DIR, WORK_DIR] : [OUT_DIR],
    },
    rooms.signal,
  );
  const out = result.files[OUT_DIR] ?? [];
  const names = out.map((file) => file.path);
  const log = `logs/${ordinal}-${order.name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40)}.log`;
  return {
    result,
    out: out.filter((file) => file.path !== SETUP_DONE),
    work: result.files[WORK_DIR] ?? [],
    setup: setupFinding(result, names, setup.length + links.length > 0, order.level, order.name),
    command: commandOf(order, result, log),
    artifact: { name: log, bytes: roomLog(order.shown ?? commandText(order.argv), result) },
  };
}

/** Each step with its own closed input; the first that fails ends the room with its code. */
function setupScript(links: readonly string[], setup: readonly (readonly string[])[]): string {
  const steps = setup.map((argv) => `${argv.map(quoted).join(' ')} </dev/null`);
  return ['set -e', ...links, ...steps, `: > ${OUT_DIR}/${SETUP_DONE}`, 'exec "$@"'].join('\n');
}

function laidOver(files: readonly SandboxFile[], inputs: readonly SandboxFile[]): readonly SandboxFile[] {
  if (inputs.length === 0) return files;
  const paths = new Set(inputs.map((file) => file.path));
  return [...files.filter((file) => !paths.has(file.path)), ...inputs];
}

function commandOf(order: RoomOrder, result: SandboxResult, log: string): RepositoryCommand {
  return {
    level: order.level,
    name: order.name,
    command: order.shown ?? commandText(order.argv),
    outcome: exitText(result),
    tests: null,
    durationMs: result.durationMs,
    cpuMs: result.cpuMs,
    log,
  };
}
