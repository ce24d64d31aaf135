/**
 * A Python suite judged in one room: scan, stubs and all runs, by a program of ours that starts two interpreters where seven
 * rooms start seven (decision 0014). What does not come to a plain end there is done again in rooms of their own.
 */
import { conditionsOf, differenceOf } from '../../core/gate/code/two-runs.ts';
import { hasWall, tierFor } from '../../core/gate/code/wall.ts';
import type { GateStubBuild, StubProgramRun } from '../../core/ports/gate.ts';
import type { SandboxFile, SandboxOutput, SandboxResult } from '../../core/ports/sandbox.ts';
import { runnerCommand } from '../../core/stubs/runner-command.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import { SuiteStepEnds, type SuiteStepEnd } from '../../schemas/suite-room.ts';
import { textOf } from './judged.ts';
import { buildStubs } from './make-stubs.ts';
import { conditionsEnv, OUT_DIR, REPORT_NAME } from './programs.ts';
import { readReported, reportedInput, roomEnd, runProgram } from './room.ts';
import type { ReportedEnd, RoomContext, RoomEnd } from './room.ts';
import { pythonChoice, pythonScanInput, SCAN_NAME, type SuiteScan } from './scan-suite.ts';
import { stubInput, stubRuns, type StubEnds, type StubRun, type SuiteRun } from './suite-run.ts';
import { pythonWallArgv } from './wall-room.ts';

/** `apart`: nothing was proven; the ends tell what was tried. */
export type SuiteRoom =
  | {
      readonly kind: 'together';
      readonly build: GateStubBuild;
      readonly stubsEnd: RoomEnd;
      /** Null where the declarations were refused. */
      readonly ends: StubEnds | null;
      readonly scan: SuiteScan;
    }
  | { readonly kind: 'apart'; readonly ends: readonly RoomEnd[] };

const TREE_DIR = '/tree';
const RESULT_NAME = 'suite.json';
const ROOM_NAME = 'suite-room';

/** A run of the suite with the word that its report must carry. */
type NoncedRun = StubRun & { readonly nonce: string };

/** @param files the projection's files. */
export async function judgeInOneRoom(
  run: SuiteRun,
  plan: GatePlan,
  files: readonly SandboxFile[],
): Promise<SuiteRoom> {
  const { context } = run;
  const { contract } = context.request;
  const runs = stubRuns(plan).map((each) => ({ ...each, nonce: context.parts.nonce() }));
  const tried: RoomEnd[] = [];
  let steps: ReadonlyMap<string, SuiteStepEnd> = new Map();
  const stubsName = `stubs-${contract.id}-1`;
  try {
    const build = await buildStubs(context, contract, async (program) => {
      if (tried.length > 0) throw new NotTogether();
      const end = await runRoom(run, plan, runs, files, { name: stubsName, program });
      tried.push(end);
      steps = readSteps(end);
      const made = steps.get(stubsName);
      if (made?.exitCode !== 0) throw new NotTogether();
      return textOf({ path: '', bytes: Buffer.from(made.stdout, 'base64') });
    });
    return together(run, build, stubsName, steps, runs) ?? { kind: 'apart', ends: tried };
  } catch (error) {
    if (error instanceof NotTogether) return { kind: 'apart', ends: tried };
    throw error;
  }
}

class NotTogether extends Error {
  override readonly name = 'NotTogether';
}

function runRoom(
  run: SuiteRun,
  plan: GatePlan,
  runs: readonly NoncedRun[],
  files: readonly SandboxFile[],
  stubs: { readonly name: string; readonly program: StubProgramRun },
): Promise<RoomEnd> {
  const { context, step, around, suiteFiles } = run;
  const { contract } = context.request;
  const first = conditionsOf(plan.environment);
  const [early, late] = [
    runs.filter(({ conditions }) => sameEnv(plan, conditions, first)),
    runs.filter(({ conditions }) => !sameEnv(plan, conditions, first)),
  ];
  const env = conditionsEnv(context.environment, first);
  const scan = { name: SCAN_NAME, kind: 'scan', stdin: pythonScanInput(context, files), env };
  const make = {
    name: stubs.name,
    kind: 'stubs',
    stdin: stubs.program.stdin,
    env: stubs.program.command.env,
  };
  const before = hasWall(contract) ? [scan, make] : [make];
  const stepOfRun = (each: NoncedRun): object => ({
    name: each.name,
    kind: 'run',
    stub: each.stub,
    config: reportedInput(stubInput(run, each.stub, each.conditions, each.variant), step.limits, each.nonce),
  });
  const other = late[0] === undefined ? env : conditionsEnv(context.environment, late[0].conditions);
  const phases = [
    { env, steps: [...before, ...early.map(stepOfRun)] },
    ...(late.length === 0 ? [] : [{ env: other, steps: late.map(stepOfRun) }]),
  ];
  const { wallMs, outputBytes, reportBytes, diskBytes, filesMax } = step.limits;
  return runProgram(context, {
    name: ROOM_NAME,
    argv: runnerCommand('py_suite_room').argv,
    files: [],
    aside: [{ path: TREE_DIR, files: around, writable: false }],
    stdin: JSON.stringify({
      phases,
      tree: TREE_DIR,
      contentFile: contract.contentFile,
      sourceRoot: contract.sourceRoot ?? '',
      suiteFiles,
      ...{ wallMs, outputBytes, reportBytes },
    }),
    // The tree is copied by the room itself; a step that runs longer than its own limit ends the room.
    limits: {
      ...step.limits,
      wallMs: wallMs * (before.length + runs.length),
      diskBytes: diskBytes + around.reduce((sum, file) => sum + file.bytes.byteLength, 0),
      filesMax: filesMax + around.length,
    },
    env,
  });
}

/** Runs whose processes start alike share an interpreter; order, folder and date are told to each run. */
function sameEnv(plan: GatePlan, one: StubRun['conditions'], other: StubRun['conditions']): boolean {
  const text = (conditions: StubRun['conditions']): string =>
    JSON.stringify(conditionsEnv(plan.environment, conditions));
  return text(one) === text(other);
}

/** The steps of a room that came to its plain end; none where anything is unusual. */
function readSteps({ result }: RoomEnd): ReadonlyMap<string, SuiteStepEnd> {
  const out = result.files[OUT_DIR] ?? [];
  const [file] = out;
  const isPlain =
    result.outcome.kind === 'exited' && result.outcome.exitCode === 0 && result.limitsHit.length === 0;
  if (!isPlain || result.refused.length > 0 || out.length !== 1 || file?.path !== RESULT_NAME)
    return new Map();
  try {
    const steps = SuiteStepEnds.parse(JSON.parse(textOf(file)));
    return new Map(steps.map((step) => [step.name, step]));
  } catch {
    return new Map();
  }
}

function together(
  run: SuiteRun,
  build: GateStubBuild,
  stubsName: string,
  steps: ReadonlyMap<string, SuiteStepEnd>,
  runs: readonly NoncedRun[],
): SuiteRoom | null {
  const { context } = run;
  const made = steps.get(stubsName);
  const scan = scanOf(context, steps.get(SCAN_NAME));
  if (made === undefined || scan === null) return null;
  const stubsEnd = roomEnd(stubsName, runnerCommand('py_stubs').argv, resultOf(made));
  if (!build.ok) return { kind: 'together', build, stubsEnd, ends: null, scan };
  const ends = runs.map((each) => endOf(run, each, steps.get(each.name))).filter((end) => end !== null);
  if (ends.length < runs.length) return null;
  const named = Object.fromEntries(ends) as StubEnds;
  const differ =
    differenceOf(named.raise.execution, named.raiseAgain.execution) ??
    differenceOf(named.none.execution, named.noneAgain.execution);
  return differ === null ? { kind: 'together', build, stubsEnd, ends: named, scan } : null;
}

function scanOf(context: RoomContext, step: SuiteStepEnd | undefined): SuiteScan | null {
  const { contract, dependencies = [] } = context.request;
  if (!hasWall(contract)) return { choice: tierFor(contract, null, dependencies), ends: [] };
  if (step === undefined) return null;
  return pythonChoice(context, roomEnd(SCAN_NAME, pythonWallArgv('scan'), resultOf(step)));
}

/** A run whose report is whole; null for every other end. */
function endOf(
  { step: { limits, runner } }: SuiteRun,
  { at, name, stub, nonce }: NoncedRun,
  step: SuiteStepEnd | undefined,
): readonly [string, ReportedEnd] | null {
  if (step === undefined) return null;
  const result = resultOf(step);
  const execution = readReported(result, limits, nonce, stub);
  if (execution.kind !== 'complete') return null;
  const program = runner === 'pytest' ? runnerCommand('pytest') : runnerCommand('node');
  return [at, { ...roomEnd(name, program.argv, result), execution }];
}

/** A step as the result of a room of its own. */
function resultOf(step: SuiteStepEnd): SandboxResult {
  const report = Buffer.from(step.report, 'base64');
  return {
    outcome: { kind: 'exited', exitCode: step.exitCode },
    stdout: outputOf(step.stdout),
    stderr: outputOf(step.stderr),
    files: { [OUT_DIR]: report.length === 0 ? [] : [{ path: REPORT_NAME, bytes: report }] },
    refused: [],
    durationMs: step.ms,
    cpuMs: step.cpuMs,
    limitsHit: [],
  };
}

function outputOf(base64: string): SandboxOutput {
  const bytes = Buffer.from(base64, 'base64');
  return { text: bytes.toString('utf8'), bytes: bytes.length, truncated: false };
}
