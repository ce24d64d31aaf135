/** A suite on three stubs, and on two of them once more under other conditions, each run in a room of its own. */
import { THROUGH, type Doubt } from '../../core/gate/suite/doubts.ts';
import { TESTS_MAX } from '../../core/gate/suite/suite-validity.ts';
import { conditionsOf, type RunConditions } from '../../core/gate/code/two-runs.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { GatePlan, PlanStep } from '../../schemas/gate-plan.ts';
import type { StubKind } from '../../schemas/report.ts';
import type { StubVariant } from '../../schemas/runner-report.ts';
import { conditionsEnv, conditionsInput, programArgv } from './programs.ts';
import { textOf } from './judged.ts';
import { runReported, type ReportedEnd, type ReportedSpec, type RoomContext } from './room.ts';
import { varied } from './two-runs.ts';

/** What all runs of a suite on stubs share. */
export interface SuiteRun {
  readonly context: RoomContext;
  readonly step: Extract<PlanStep, { kind: 'suite' }>;
  /** Scaffold, dependencies and suite: all but the node's own files. */
  readonly around: readonly SandboxFile[];
  readonly suiteFiles: readonly string[];
  readonly testFiles: readonly string[];
}

export type StubFiles = Readonly<Record<StubKind, readonly SandboxFile[]>>;
export type StubEnds = Readonly<Record<StubEndName, ReportedEnd>>;
export type StubEndName = 'raise' | 'none' | 'wrong' | 'raiseAgain' | 'noneAgain' | 'through';

/** One run on a stub: its name in the verification and its conditions. */
export interface StubRun {
  readonly at: StubEndName;
  readonly name: string;
  readonly stub: StubKind;
  readonly conditions: RunConditions;
  readonly variant?: StubVariant;
}

/** Three runs, those on `raise` and `none` once more under other conditions, and one that plays every test to its end. */
export function stubRuns({ environment }: GatePlan): readonly StubRun[] {
  const first = conditionsOf(environment);
  const other = conditionsOf(environment, varied(environment));
  return [
    { at: 'raise', name: 'stub-raise', stub: 'raise', conditions: first },
    { at: 'none', name: 'stub-none', stub: 'none', conditions: first },
    { at: 'wrong', name: 'stub-wrong', stub: 'wrong', conditions: first },
    { at: 'raiseAgain', name: 'again-raise', stub: 'raise', conditions: other },
    { at: 'noneAgain', name: 'again-none', stub: 'none', conditions: other },
    { at: 'through', name: 'stub-through', stub: 'wrong', conditions: first, variant: THROUGH },
  ];
}

/** All runs at once. */
export async function runOnStubs(run: SuiteRun, plan: GatePlan, stubs: StubFiles): Promise<StubEnds> {
  const ends = await Promise.all(
    stubRuns(plan).map(async (each) => [each.at, await runOn(run, each, stubs[each.stub])] as const),
  );
  return Object.fromEntries(ends) as StubEnds;
}

/** The further runs that settle what the stubs leave in doubt (core/gate/suite/doubts.ts). */
export async function runOnDoubts(
  run: SuiteRun,
  { environment }: GatePlan,
  doubts: readonly Doubt[],
  wrong: readonly SandboxFile[],
): Promise<Readonly<Partial<Record<Doubt['about'], ReportedEnd>>>> {
  const conditions = conditionsOf(environment);
  const ends = await Promise.all(
    doubts.map(async ({ about, variant }) => {
      const each = { name: `doubt-${about}`, stub: 'wrong', conditions, variant } as const;
      return [about, await runOn(run, each, wrong)] as const;
    }),
  );
  return Object.fromEntries(ends);
}

/** One run in a room of its own. */
export function runOn(
  run: SuiteRun,
  { name, stub, conditions, variant }: Omit<StubRun, 'at'>,
  stubFiles: readonly SandboxFile[],
): Promise<ReportedEnd> {
  const { context, step } = run;
  const around = variant?.through === true ? playedThrough(run) : run.around;
  const spec = {
    name,
    argv: programArgv(step.runner, 'stubs'),
    files: [...around.filter((file) => !stubFiles.some((own) => own.path === file.path)), ...stubFiles],
    input: stubInput(run, stub, conditions, variant),
    limits: step.limits,
    env: conditionsEnv(context.environment, conditions),
  };
  return runReported(context, spec, stub);
}

/** The suite's files with tests that no error ends. */
function playedThrough({ context, around, suiteFiles }: SuiteRun): readonly SandboxFile[] {
  const { parts, request } = context;
  return around.map((file) => {
    if (!suiteFiles.includes(file.path)) return file;
    const text = parts.symbols.playedThrough(request.contract.language, file.path, textOf(file));
    return { ...file, bytes: new TextEncoder().encode(text) };
  });
}

/** What the runner is told of a run on a stub. */
export function stubInput(
  { suiteFiles, testFiles }: SuiteRun,
  stub: StubKind,
  conditions: RunConditions,
  variant?: StubVariant,
): ReportedSpec['input'] {
  const varied = variant === undefined ? {} : { variant };
  const told = { mode: 'run', testFiles, suiteFiles, stub, testsMax: TESTS_MAX };
  return { ...told, ...conditionsInput(conditions), ...varied };
}
