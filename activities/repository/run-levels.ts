/** L1: test commands. L2 and L3: commands on given inputs. Each in a room of its own, one after the other. */
import { judgeBlackBox, type BlackBoxStep } from '../../core/repository/judge-black-box.ts';
import { judgeCommand, judgeReported, type JudgedTests } from '../../core/repository/judge-tests.ts';
import { readLoaded } from '../../core/repository/read-loaded.ts';
import type { JudgedTree } from '../../core/repository/judge-provenance.ts';
import { withMissingPackages } from '../../core/repository/missing-package.ts';
import { readRunnerReport } from '../../core/gate/runner-reading.ts';
import type { RanTests } from '../../core/ports/repository-gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { SuiteRunner } from '../../schemas/gate-plan.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { OUT_DIR, programArgv, REPORT_NAME } from '../gate/programs.ts';
import type { LevelRun } from './level-run.ts';
import { type RepositoryRooms, type RoomEnd, runOrder } from './room.ts';
import { asked, takenFindings } from './taken-from.ts';

type TestStep = RepositoryStepOf<'test_command'>;

/** What a person reads for our programs. */
const SHOWN: Readonly<Record<SuiteRunner, string>> = { pytest: 'pytest', node_test: 'node --test' };

/** All test commands of the plan, also when one of them has failed: a person wants to hear of all. */
export async function runTests(rooms: RepositoryRooms): Promise<LevelRun> {
  const runs: LevelRun[] = [];
  for (const step of rooms.request.plan.steps) {
    if (step.kind === 'test_command') runs.push(await runTest(rooms, step));
  }
  return joined(runs);
}

async function runTest(rooms: RepositoryRooms, step: TestStep): Promise<LevelRun> {
  const { count } = step;
  const nonce = rooms.parts.nonce();
  const runner = count.by === 'reporter' ? count.runner : null;
  const told = {
    nonce,
    reportPath: `${OUT_DIR}/${REPORT_NAME}`,
    testTimeoutMs: step.limits.testTimeoutMs,
    paths: count.by === 'reporter' ? count.paths : [],
    args: count.by === 'reporter' ? (count.args ?? []) : [],
    // Without packages there is no copy that could be judged instead.
    watch: rooms.hasPackages,
  };
  const end = await runOrder(rooms, {
    level: 'L1',
    name: step.name,
    argv: runner === null ? step.argv : programArgv(runner, 'repository'),
    ...(runner === null ? {} : { shown: [SHOWN[runner], ...told.args, ...told.paths].join(' ') }),
    stdin: runner === null ? '' : JSON.stringify(told),
    inputs: [],
    limits: step.limits,
    variables: step.variables,
    before: [...(step.before ?? []), ...asked(rooms, step)],
    collectWork: false,
  });
  const judged =
    end.setup === null ? judgeEnd(rooms, step, end, nonce) : { findings: [end.setup], tests: null };
  const ran = judged.tests === null ? [] : [ranOf(step.name, judged)];
  return {
    findings: withMissingPackages(judged.findings, rooms.own),
    commands: [{ ...end.command, tests: judged.tests }],
    artifacts: [end.artifact],
    ran,
  };
}

function ranOf(step: string, { tests, ran, red = [] }: JudgedTests): RanTests {
  const count = (tests?.passed ?? 0) + (tests?.failed ?? 0);
  return {
    step,
    names: ran ?? null,
    count,
    passed: tests?.passed ?? 0,
    ...(red.length === 0 ? {} : { red }),
  };
}

function judgeEnd(rooms: RepositoryRooms, step: TestStep, end: RoomEnd, nonce: string): JudgedTests {
  if (step.count.by !== 'reporter') {
    const loaded = rooms.hasPackages ? readLoaded(end.out, step.limits.reportBytes) : undefined;
    const judged = judgeCommand(step, end.result, { loaded, tree: judgedTree(rooms) });
    return judged.findings.length > 0 ? judged : { ...judged, findings: takenFindings(rooms, step, end) };
  }
  const reading = readRunnerReport({
    files: end.out,
    refusedPaths: end.result.refused
      .map((entry) => entry.path)
      .filter((path) => path.startsWith(`${OUT_DIR}/`))
      .map((path) => path.slice(OUT_DIR.length + 1)),
    reportName: REPORT_NAME,
    nonce,
    maxBytes: step.limits.reportBytes,
  });
  return judgeReported(step, end.result, reading, judgedTree(rooms));
}

function judgedTree({ files, own, hasPackages, parts }: RepositoryRooms): JudgedTree {
  const byPath = new Map(files.map((file) => [file.path, file.bytes]));
  return {
    modules: own.modules,
    paths: new Set(byPath.keys()),
    hashOf: (path) => {
      const bytes = byPath.get(path);
      return bytes === undefined ? null : parts.hash(bytes);
    },
    hasPackages,
  };
}

/** Every fixture, or every execution check. */
export async function runBlackBoxes(
  rooms: RepositoryRooms,
  level: 'L1' | 'L2' | 'L3' | 'L0',
): Promise<LevelRun> {
  const runs: LevelRun[] = [];
  for (const step of rooms.request.plan.steps) {
    if ((step.kind === 'fixture' || step.kind === 'execution') && step.level === level)
      runs.push(await runBlackBox(rooms, step));
  }
  return joined(runs);
}

async function runBlackBox(rooms: RepositoryRooms, step: BlackBoxStep): Promise<LevelRun> {
  const { expect } = step;
  const end = await runOrder(rooms, {
    level: step.level,
    name: step.name,
    argv: step.argv,
    stdin: step.stdin,
    inputs: Object.entries(step.files).map(([path, text]) => fileOf(path, text)),
    limits: step.limits,
    collectWork: Object.keys(expect.files).length + expect.filesAbsent.length > 0,
  });
  const findings = end.setup === null ? judgeBlackBox(step, end.result, end.work) : [end.setup];
  return {
    findings: withMissingPackages(findings, rooms.own),
    commands: [end.command],
    artifacts: [end.artifact],
  };
}

function fileOf(path: string, text: string): SandboxFile {
  return { path, bytes: new TextEncoder().encode(text) };
}

function joined(runs: readonly LevelRun[]): LevelRun {
  return {
    findings: runs.flatMap((run) => run.findings),
    commands: runs.flatMap((run) => run.commands),
    artifacts: runs.flatMap((run) => run.artifacts),
    ran: runs.flatMap((run) => run.ran ?? []),
  };
}
