/** Runs one of our programs in a fresh clean room and reads what it left. */
import type { GateArtifact, GateParts, VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile, SandboxMount, SandboxRequest, SandboxResult } from '../../core/ports/sandbox.ts';
import { readExecution, type Execution } from '../../core/gate/execution.ts';
import { readRunnerReport } from '../../core/gate/runner-reading.ts';
import { RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';
import type { GateLimits, PlanEnvironment } from '../../schemas/gate-plan.ts';
import type { CommandRecord, StubKind } from '../../schemas/report.ts';
import { roomLog, runRoom } from './run-room.ts';
import { CODE_DIR, OUT_DIR, REPORT_NAME, WORK_DIR } from './programs.ts';

/** What all rooms of one verification share. */
export interface RoomContext {
  readonly parts: GateParts;
  readonly request: VerifyRequest;
  readonly environment: PlanEnvironment;
  readonly signal: AbortSignal | undefined;
}

export interface RoomSpec {
  /** Unique in the verification, for example `stub-raise`; part of the room's name and of artifacts. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly files: readonly SandboxFile[];
  readonly stdin: string;
  readonly limits: GateLimits;
  readonly env: Readonly<Record<string, string>>;
  /** More folders, beside the work folder. */
  readonly aside?: readonly SandboxMount[];
  /** Default false. True: the work folder comes back too. */
  readonly collectWork?: boolean;
  /**
   * Behind the glass wall: the program runs as the trusted user and alone sees `files` and the report; these files and
   * `argv` are the builder's side, joined with it by two pipes (gate.md part 10).
   */
  readonly guest?: {
    readonly files: readonly SandboxFile[];
    readonly argv: readonly string[];
    /** A second process of the builder's code, which shares nothing with the one under test (gate.md part 12). */
    readonly oracle?: readonly string[] | undefined;
  };
}

/** A program that writes a report: `input` goes to it as JSON, with nonce, report path and test limit added. */
export interface ReportedSpec extends Omit<RoomSpec, 'stdin'> {
  readonly input: Readonly<Record<string, unknown>>;
}

export interface RoomEnd {
  readonly result: SandboxResult;
  readonly record: CommandRecord;
  readonly artifacts: readonly GateArtifact[];
}

export interface ReportedEnd extends RoomEnd {
  readonly execution: Execution;
}

/** Runs a program that writes a report. `stub` names what stands in for the code. */
export async function runReported(
  context: RoomContext,
  spec: ReportedSpec,
  stub: StubKind | null,
): Promise<ReportedEnd> {
  const nonce = context.parts.nonce();
  const input = reportedInput(spec.input, spec.limits, nonce);
  const end = await runProgram(context, { ...spec, stdin: JSON.stringify(input) });
  return { ...end, execution: readReported(end.result, spec.limits, nonce, stub) };
}

/** What a program that writes a report is told. */
export function reportedInput(
  input: ReportedSpec['input'],
  limits: GateLimits,
  nonce: string,
): ReportedSpec['input'] {
  const { testTimeoutMs, memoryBytes } = limits;
  return {
    ...input,
    ...{ nonce, reportPath: `${OUT_DIR}/${REPORT_NAME}`, testTimeoutMs, memoryBytes },
  };
}

/** What a run proved, by how it ended and by the report that it left. */
export function readReported(
  result: SandboxResult,
  limits: GateLimits,
  nonce: string,
  stub: StubKind | null,
): Execution {
  const reading = readRunnerReport({
    files: result.files[OUT_DIR] ?? [],
    refusedPaths: result.refused.map((entry) => belowOut(entry.path)),
    reportName: REPORT_NAME,
    nonce,
    maxBytes: limits.reportBytes,
  });
  return readExecution(result, reading, limits, stub);
}

/** Runs a program in a room of its own. */
export async function runProgram(context: RoomContext, spec: RoomSpec): Promise<RoomEnd> {
  const request = roomRequest(context, spec);
  const result = await runRoom(context.parts.sandbox, request, context.signal);
  return roomEnd(spec.name, spec.argv, result);
}

/** How a command ended, with its record and its log. */
export function roomEnd(name: string, argv: readonly string[], result: SandboxResult): RoomEnd {
  const record: CommandRecord = {
    name,
    outcome: outcomeText(result),
    durationMs: result.durationMs,
    cpuMs: result.cpuMs,
    outputBytes: result.stdout.bytes + result.stderr.bytes,
  };
  return { result, record, artifacts: roomArtifacts(name, argv, result) };
}

function roomRequest(context: RoomContext, spec: RoomSpec): SandboxRequest {
  const { parts, request } = context;
  const { wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus } = spec.limits;
  const digest = parts
    .hash(`${request.stepKey}\n${request.projection}\n${spec.name}`)
    .replace('sha256:', '')
    .slice(0, 24);
  return {
    key: `a7-gate-${spec.name.slice(0, 60)}-${digest}`,
    owner: request.owner,
    image: request.image,
    mounts: mountsOf(context, spec),
    ...sidesOf(spec),
    argv: spec.argv,
    env: spec.env,
    cwd: WORK_DIR,
    stdin: new TextEncoder().encode(spec.stdin),
    limits: { wallMs, memoryBytes, diskBytes, filesMax, processesMax, outputBytes, cpus },
    collect: spec.collectWork === true ? [OUT_DIR, WORK_DIR] : [OUT_DIR],
  };
}

function mountsOf({ parts, request }: RoomContext, spec: RoomSpec): SandboxMount[] {
  const programs = parts.runners.files(request.contract.language);
  const runners: SandboxMount = { path: RUNNER_MOUNT, files: programs, writable: false };
  if (spec.guest === undefined)
    return [
      { path: WORK_DIR, files: spec.files },
      ...(spec.aside ?? []),
      runners,
      { path: OUT_DIR, files: [] },
    ];
  return [
    { path: WORK_DIR, files: spec.files, owner: 'trusted', private: true },
    { path: CODE_DIR, files: spec.guest.files },
    runners,
    { path: OUT_DIR, files: [], owner: 'trusted', private: true },
  ];
}

function sidesOf(spec: RoomSpec): Pick<SandboxRequest, 'user' | 'companions'> {
  if (spec.guest === undefined) return {};
  const { argv, oracle } = spec.guest;
  return {
    user: 'trusted',
    companions: [argv, ...(oracle === undefined ? [] : [oracle])].map((each) => ({
      argv: each,
      user: 'guest',
      env: spec.env,
      cwd: CODE_DIR,
      channel: true,
    })),
  };
}

function roomArtifacts(name: string, argv: readonly string[], result: SandboxResult): GateArtifact[] {
  const report = (result.files[OUT_DIR] ?? []).find((file) => file.path === REPORT_NAME);
  const raw = report === undefined ? [] : [{ name: `raw/${name}.jsonl`, bytes: report.bytes }];
  return [{ name: `logs/${name}.log`, bytes: roomLog(argv.join(' '), result) }, ...raw];
}

function outcomeText({ outcome }: SandboxResult): string {
  if (outcome.kind === 'exited') return `exited ${outcome.exitCode}`;
  return outcome.kind === 'lost' ? `lost: ${outcome.reason.slice(0, 500)}` : outcome.kind;
}

function belowOut(path: string): string {
  return path.startsWith(`${OUT_DIR}/`) ? path.slice(OUT_DIR.length + 1) : path;
}
