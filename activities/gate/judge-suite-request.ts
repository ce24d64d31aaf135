/** Runs a suite on three stubs under two hash seeds and has it judged (gate.md parts 3 and 4). */
import { clausesOf } from '../../core/gate/clauses.ts';
import { exportFacts } from '../../core/gate/export-facts.ts';
import { finding } from '../../core/gate/finding.ts';
import { isNodeFile, isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { judgeSuite } from '../../core/gate/judge-suite.ts';
import { stepOf } from '../../core/gate/plan.ts';
import type { GateStubBuild, StubExport, VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GatePlan, PlanStep } from '../../schemas/gate-plan.ts';
import type { StubKind } from '../../schemas/report.ts';
import { decided, lineCounts, type Judged, type JudgeInput } from './judged.ts';
import { makeStubs } from './make-stubs.ts';
import { programArgv, programEnv } from './programs.ts';
import { scanSuite } from './scan-suite.ts';
import { runReported, type ReportedEnd, type RoomContext, type RoomEnd } from './room.ts';

type SuiteRequest = VerifyRequest & { readonly kind: 'suite' };
type SuiteStep = Extract<PlanStep, { kind: 'suite' }>;

interface SuiteRun {
  readonly context: RoomContext;
  readonly step: SuiteStep;
  /** Scaffold, dependencies and suite: all but the node's own files. */
  readonly around: readonly SandboxFile[];
  readonly suiteFiles: readonly string[];
  readonly testFiles: readonly string[];
}

export async function judgeSuiteRequest(input: JudgeInput, request: SuiteRequest): Promise<Judged> {
  const { context, plan, files } = input;
  const { contract } = request;
  const step = stepOf(plan, 'suite');
  if (step === null)
    throw new RangeError(`Cannot judge the suite of "${contract.id}": the plan has no suite step`);
  const suiteFiles = files.filter((file) => isSuiteFile(file.path, contract));
  const testFiles = suiteFiles.map((file) => file.path).filter((path) => isTestFile(path, contract.language));
  if (testFiles.length === 0)
    return decided('suite', [finding('suite_empty', 'L1', 'The suite has no test file')]);
  const targets = targetsOf(request);
  const stubs = await stubsOf(context, files, targets);
  if (stubs.status !== 'made') {
    const lost = finding('platform_lost', 'L1', 'The stubs could not be made: the sandbox was lost');
    const refused = finding('contract_unusable', 'L0', "The contract's declarations do not work");
    return decided('suite', [stubs.status === 'lost' ? lost : refused], stubs.ends);
  }
  const around = files.filter((file) => !targets.some((target) => isNodeFile(file.path, target)));
  const run: SuiteRun = { context, step, around, suiteFiles: suiteFiles.map((file) => file.path), testFiles };
  const [ends, scan] = await Promise.all([runOnStubs(run, plan, stubs.files), scanSuite(context, files)]);
  const real = contract.type === 'test' ? [await runOnRealCode(run, plan, files)] : [];
  const judgement = judgeSuite({
    contract,
    clauses: clausesOf(contract.interface),
    exports: exportFacts(stubs.exports),
    covers: request.covers,
    testFiles,
    collections: [
      { stub: 'raise', execution: ends.raiseAgain.execution },
      { stub: 'none', execution: ends.noneAgain.execution },
    ],
    stubRuns: { raise: ends.raise.execution, none: ends.none.execution, wrong: ends.wrong.execution },
    onRealCode: real[0]?.execution ?? null,
    ownFiles: lineCounts(suiteFiles),
  });
  const all = [...stubs.ends, ...Object.values(ends), ...real, ...scan.ends];
  return {
    judgement,
    wall: scan.choice,
    commands: all.map((end) => end.record),
    artifacts: all.flatMap((end) => end.artifacts),
  };
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
  | { readonly status: 'refused' | 'lost'; readonly ends: readonly RoomEnd[] };

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
    if (set.status !== 'made') return { status: set.status, ends };
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

/** Three runs and two more collections, all at once; each of `raise` and `none` is collected under both hash seeds. */
async function runOnStubs(
  run: SuiteRun,
  plan: GatePlan,
  stubs: Readonly<Record<StubKind, readonly SandboxFile[]>>,
): Promise<Readonly<Record<'raise' | 'none' | 'wrong' | 'raiseAgain' | 'noneAgain', ReportedEnd>>> {
  const [seed, otherSeed] = plan.environment.hashSeeds;
  const [raise, none, wrong, raiseAgain, noneAgain] = await Promise.all([
    runOn(run, 'raise', stubs.raise, 'run', seed),
    runOn(run, 'none', stubs.none, 'run', otherSeed),
    runOn(run, 'wrong', stubs.wrong, 'run', seed),
    runOn(run, 'raise', stubs.raise, 'collect', otherSeed),
    runOn(run, 'none', stubs.none, 'collect', seed),
  ]);
  return { raise, none, wrong, raiseAgain, noneAgain };
}

function runOn(
  run: SuiteRun,
  stub: StubKind,
  stubFiles: readonly SandboxFile[],
  mode: 'run' | 'collect',
  hashSeed: string,
): Promise<ReportedEnd> {
  const { context, step, around, suiteFiles, testFiles } = run;
  const spec = {
    name: `${mode === 'run' ? 'stub' : 'collect'}-${stub}`,
    argv: programArgv(step.runner, 'suite'),
    files: [...around.filter((file) => !stubFiles.some((own) => own.path === file.path)), ...stubFiles],
    input: { mode, testFiles, suiteFiles, stub },
    limits: step.limits,
    env: programEnv(context.environment, hashSeed),
  };
  return runReported(context, spec, stub);
}
