/** Has a suite run on three stubs, on two of them twice under other conditions, and judges it (gate.md parts 3 and 4). */
import { clausesOf } from '../../core/gate/suite/clauses.ts';
import { exportFacts } from '../../core/gate/exports/export-facts.ts';
import { finding } from '../../core/gate/finding.ts';
import { isNodeFile, isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { doubtsOfSuite, judgeSuite } from '../../core/gate/suite/judge-suite.ts';
import { withoutTearDown } from '../../core/gate/code/two-runs.ts';
import { stepOf } from '../../core/gate/plan.ts';
import { tierByCalls } from '../../core/gate/suite/suite-calls.ts';
import { isImportedHelper } from '../../core/gate/suite/suite-helpers.ts';
import type { DoubtRuns, SuiteFacts } from '../../core/gate/suite/suite-facts.ts';
import { projectFindings } from '../../core/gate/code/project-rules.ts';
import type { GateStubBuild, StubExport, VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { Finding, StubKind } from '../../schemas/report.ts';
import { decided, lineCounts, type Judged, type JudgeInput } from './judged.ts';
import { makeStubs } from './make-stubs.ts';
import { programArgv, programEnv } from './programs.ts';
import { scanSuite, type SuiteScan } from './scan-suite.ts';
import { runReported, type ReportedEnd, type RoomContext, type RoomEnd } from './room.ts';
import { judgeInOneRoom } from './suite-room.ts';
import { runOn, runOnDoubts, runOnStubs, type StubEnds, type StubFiles, type SuiteRun } from './suite-run.ts';
import { findCause } from './two-runs.ts';

type SuiteRequest = VerifyRequest & { readonly kind: 'suite' };

export async function judgeSuiteRequest(input: JudgeInput, request: SuiteRequest): Promise<Judged> {
  const { context, plan, files } = input;
  const { contract } = request;
  const step = stepOf(plan, 'suite');
  if (step === null)
    throw new RangeError(`Cannot judge the suite of "${contract.id}": the plan has no suite step`);
  const suiteFiles = files.filter((file) => isSuiteFile(file.path, contract));
  const testFiles = suiteFiles.map((file) => file.path).filter((path) => isTestFile(path, contract.language));
  const rules = projectFindings(plan, { files: [] }, suiteFiles, context.parts.documents);
  if (rules.length > 0) return decided('suite', rules);
  if (testFiles.length === 0)
    return decided('suite', [finding('suite_empty', 'L1', 'The suite has no test file')]);
  const targets = targetsOf(request);
  const around = files.filter((file) => !targets.some((target) => isNodeFile(file.path, target)));
  const run: SuiteRun = { context, step, around, suiteFiles: suiteFiles.map((file) => file.path), testFiles };
  const { stubs, ran, tried } = await runSuite(run, plan, files, targets);
  if (stubs.status !== 'made' || ran === null) {
    const lost = finding('platform_lost', 'L1', 'The stubs could not be made: the sandbox was lost');
    const problems = stubs.status === 'refused' ? stubs.problems : [lost];
    return decided('suite', problems, [...tried, ...stubs.ends]);
  }
  const { ends, scan } = ran;
  const real = contract.type === 'test' ? [await runOnRealCode(run, plan, files)] : [];
  const causes = await causesOf(run, plan, ends, stubs.files);
  const facts: SuiteFacts = {
    contract,
    clauses: clausesOf(contract.interface),
    exports: exportFacts(stubs.exports),
    covers: request.covers,
    testFiles: testFiles.filter((path) => !isHelper(path, suiteFiles)),
    collections: [
      { stub: 'raise', execution: ends.raiseAgain.execution },
      { stub: 'none', execution: ends.noneAgain.execution },
    ],
    flaky: causes.flaky,
    stubRuns: { raise: ends.raise.execution, none: ends.none.execution, wrong: ends.wrong.execution },
    through: ends.through.execution,
    onRealCode: real[0]?.execution ?? null,
    ownFiles: lineCounts(suiteFiles),
  };
  const further = await runOnDoubts(run, plan, doubtsOfSuite(facts), stubs.files.wrong);
  const all = [
    ...[...tried, ...stubs.ends, ...Object.values(ends), ...causes.ends],
    ...[...Object.values(further), ...real, ...scan.ends],
  ];
  const judgement = judgeSuite({ ...facts, doubtRuns: executionsOf(further) });
  return {
    judgement,
    wall: judgement.calls === undefined ? scan.choice : tierByCalls(contract, scan.choice, judgement.calls),
    commands: all.map((end) => end.record),
    artifacts: all.flatMap((end) => end.artifacts),
  };
}

/** True for a file that is named like a test, declares none and is imported by another file of the suite. */
function isHelper(path: string, suiteFiles: readonly SandboxFile[]): boolean {
  const text = (file: SandboxFile): string => new TextDecoder().decode(file.bytes);
  const own = suiteFiles.find((file) => file.path === path);
  const others = suiteFiles.filter((file) => file.path !== path && file.path.endsWith('.py')).map(text);
  return own !== undefined && path.endsWith('.py') && isImportedHelper(path, text(own), others);
}

function executionsOf(ends: Awaited<ReturnType<typeof runOnDoubts>>): DoubtRuns {
  return Object.fromEntries(Object.entries(ends).map(([about, end]) => [about, end.execution]));
}

/** Whose stubs the suite runs on: a node of type `test` tests its dependencies, all others test themselves. */
function targetsOf({ contract, dependencies = [] }: SuiteRequest): readonly ResolvedContract[] {
  if (contract.type !== 'test' || dependencies.length === 0) return [contract];
  return contract.interface.exports.length > 0 ? [...dependencies, contract] : dependencies;
}

type Stubs =
  | {
      readonly status: 'made';
      readonly files: Readonly<Record<StubKind, readonly SandboxFile[]>>;
      /** Of the judged node itself: what others export is tested by their own suites. */
      readonly exports: readonly StubExport[];
      readonly ends: readonly RoomEnd[];
    }
  | { readonly status: 'lost'; readonly ends: readonly RoomEnd[] }
  | { readonly status: 'refused'; readonly problems: readonly Finding[]; readonly ends: readonly RoomEnd[] };

interface SuiteRuns {
  readonly stubs: Stubs;
  /** Null without stubs. */
  readonly ran: { readonly ends: StubEnds; readonly scan: SuiteScan } | null;
  /** A room that proved nothing. */
  readonly tried: readonly RoomEnd[];
}

/** In one room where that can be, else in a room for each run. */
async function runSuite(
  run: SuiteRun,
  plan: GatePlan,
  files: readonly SandboxFile[],
  targets: readonly ResolvedContract[],
): Promise<SuiteRuns> {
  const { context, step } = run;
  const isOwn = targets.every((target) => target.id === context.request.contract.id);
  const room = step.runner === 'pytest' && isOwn ? await judgeInOneRoom(run, plan, files) : null;
  if (room?.kind === 'together') {
    const { build, stubsEnd, ends, scan } = room;
    if (!build.ok) {
      const problems = unusable(context.request.contract, build);
      return { stubs: { status: 'refused', problems, ends: [stubsEnd] }, ran: null, tried: [] };
    }
    const stubs = { status: 'made', files: build.stubs, exports: build.exports, ends: [stubsEnd] } as const;
    return { stubs, ran: ends && { ends, scan }, tried: [] };
  }
  const tried = room?.ends ?? [];
  const stubs = await stubsOf(context, files, targets);
  if (stubs.status !== 'made') return { stubs, ran: null, tried };
  const [ends, scan] = await Promise.all([runOnStubs(run, plan, stubs.files), scanSuite(context, files)]);
  return { stubs, ran: { ends, scan }, tried };
}

/** Stubs of all targets, one after the other; the first that cannot be made ends it. */
async function stubsOf(
  context: RoomContext,
  files: readonly SandboxFile[],
  targets: readonly ResolvedContract[],
): Promise<Stubs> {
  const node = context.request.contract;
  const made: (GateStubBuild & { readonly ok: true })[] = [];
  const ends: RoomEnd[] = [];
  let exports: readonly StubExport[] = [];
  for (const target of targets) {
    const visible = files.filter((file) => !isNodeFile(file.path, target) && !isSuiteFile(file.path, node));
    const set = await makeStubs(context, target, visible);
    ends.push(...set.ends);
    if (set.status === 'lost') return { status: 'lost', ends };
    if (set.status === 'refused') return { status: 'refused', problems: unusable(target, set.build), ends };
    made.push(set.build);
    if (target.id === node.id) exports = set.build.exports;
  }
  const of = (stub: StubKind): readonly SandboxFile[] => made.flatMap((build) => build.stubs[stub]);
  return {
    status: 'made',
    files: { raise: of('raise'), none: of('none'), wrong: of('wrong') },
    exports,
    ends,
  };
}

function unusable(target: ResolvedContract, build: GateStubBuild & { readonly ok: false }): Finding[] {
  return build.problems.map(({ reason, suggestion }) => {
    const text = `Declarations of "${target.id}" do not work: ${reason}. ${suggestion}`;
    return finding('contract_unusable', 'L0', text);
  });
}

function runOnRealCode(run: SuiteRun, plan: GatePlan, files: readonly SandboxFile[]): Promise<ReportedEnd> {
  const { context, step, suiteFiles, testFiles } = run;
  const spec = {
    name: 'real-code',
    argv: programArgv(step.runner, 'suite'),
    files,
    input: { mode: 'run', testFiles, suiteFiles, stub: null },
    limits: step.limits,
    env: programEnv(context.environment, plan.environment.hashSeeds[0]),
  };
  return runReported(context, spec, null);
}

/** Why a suite that differs on one stub does so: the first stub on which it does tells. */
async function causesOf(
  run: SuiteRun,
  plan: GatePlan,
  ends: StubEnds,
  stubs: StubFiles,
): Promise<{ readonly flaky: SuiteFacts['flaky']; readonly ends: readonly ReportedEnd[] }> {
  const pairs = [
    ['raise', ends.raise, ends.raiseAgain],
    ['none', ends.none, ends.noneAgain],
  ] as const;
  for (const [stub, first, again] of pairs) {
    const found = await findCause(
      plan.environment,
      `cause-${stub}`,
      withoutTearDown(first.execution),
      withoutTearDown(again.execution),
      async (name, conditions) => {
        const end = await runOn(run, { name, stub, conditions }, stubs[stub]);
        return { ...end, execution: withoutTearDown(end.execution) };
      },
    );
    if (found.flakiness !== null) return { flaky: { stub, ...found.flakiness }, ends: found.ends };
  }
  return { flaky: null, ends: [] };
}
