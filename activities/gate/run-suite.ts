/** Runs a locked suite as a verdict needs it: behind the wall and in plain, twice, and with other expectations (gate.md parts 5 and 12). */
import { isGreen, isPlatform } from '../../core/gate/code/two-judges.ts';
import { isNodeFile, isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { stepOf } from '../../core/gate/plan.ts';
import { hiddenIds } from '../../core/gate/report/hidden-tests.ts';
import { conditionsOf } from '../../core/gate/code/two-runs.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateLimits, PlanStep, SuiteRunner } from '../../schemas/gate-plan.ts';
import type { GateTier, LockedSuite } from '../../schemas/report.ts';
import { countOf } from '../../core/gate/code/changed-suite.ts';
import type { TestId } from '../../schemas/runner-report.ts';
import { counterProof, type CounterProof, type RunWith } from './changed-suite.ts';
import { partsProof } from './parts.ts';
import type { JudgeInput } from './judged.ts';
import { conditionsEnv, conditionsInput, programArgv } from './programs.ts';
import { runReported, type ReportedEnd, type ReportedSpec } from './room.ts';
import { runWithTwin } from './run-apart.ts';
import { runJudges, type TwoJudges } from './two-judges.ts';
import { runAgain, varied, type ConditionedRun, type TwoRuns } from './two-runs.ts';
import { oracleArgv, wallArgv, wallInput, wallSides, type WallProgram } from './wall-room.ts';

export interface SuiteRuns extends TwoRuns {
  readonly plain: TwoJudges['plain'] | null;
  readonly counter: CounterProof;
}

const NO_PROOF: CounterProof = { ends: [], finding: null, count: null };
export const NO_RUNS: SuiteRuns = { ends: [], flakiness: null, plain: null, counter: NO_PROOF };

const RUNNER_NAMES: Readonly<Record<SuiteRunner, string>> = { pytest: 'pytest', node_test: 'node --test' };

/**
 * One run, or more that must agree where the plan compares them: behind the wall, the second one is the plain judge, and what both call
 * green is judged once more by a suite that expects something else.
 */
export async function runSuite(
  input: JudgeInput,
  contract: ResolvedContract,
  locked: LockedSuite,
): Promise<SuiteRuns> {
  const step = stepOf(input.plan, 'suite');
  if (step === null) return NO_RUNS;
  const { environment } = input.plan;
  const run = suiteRun(input, contract, locked, step, input.tier);
  if (step.repeats === 1) return { ...NO_RUNS, ends: [await run('suite-1', conditionsOf(environment))] };
  /** The suite with these files instead of the tree's, as quickly as what has passed. */
  const changedRun =
    (ends: readonly ReportedEnd[]): RunWith =>
    (name, files, each) =>
      suiteRun(
        { ...input, files },
        contract,
        locked,
        each === undefined ? quickStep(step, ends) : step,
        input.tier,
        each === undefined ? CHANGED : { ...CHANGED, each },
      )(name, conditionsOf(environment, varied(environment)));
  if (input.tier === 'in_process') return runInside(input, locked, run, changedRun);
  const plain = suiteRun(input, contract, locked, step, 'in_process');
  const runs = await runJudges(environment, locked, { runner: RUNNER_NAMES[step.runner], wall: run, plain });
  const isAllGreen = runs.ends.slice(0, 2).every(({ execution }) => isGreen(execution, locked));
  const counter = isAllGreen ? await counterProof(input, locked, changedRun(runs.ends)) : NO_PROOF;
  return { ...runs, counter };
}

/**
 * In one process: the locked suite once, and where it is green one for each of its parts with that part changed, under other conditions (core/gate/code/parts.ts),
 * which together ask each test once more as it is. What was not green, there or here, is run a second time as a whole.
 */
async function runInside(
  input: JudgeInput,
  locked: LockedSuite,
  run: ConditionedRun,
  changedRun: (ends: readonly ReportedEnd[]) => RunWith,
): Promise<SuiteRuns> {
  const { environment } = input.plan;
  const first = await run('suite-1', conditionsOf(environment));
  if (isPlatform(first.execution)) return { ...NO_RUNS, ends: [first] };
  const isFirstGreen = isGreen(first.execution, locked);
  const proof = isFirstGreen ? await partsProof(input, locked, changedRun([first])) : null;
  const counter = proof?.counter ?? { ...NO_PROOF, count: isFirstGreen ? countOf([], locked) : null };
  if (proof !== null && proof.askEach === null) return { ...NO_RUNS, ends: [first], counter };
  const twice = await runAgain(environment, 'suite', first, run);
  const isStill = twice.ends.length === 2 && twice.ends.every(({ execution }) => isGreen(execution, locked));
  return { ...twice, plain: null, counter: isStill && proof?.askEach ? await proof.askEach() : counter };
}

/** A failed test may leave something that never ends: then the run has proven nothing, and nobody waits for it long. */
const CHANGED_SLOWER = 3;
const CHANGED_MS = 10_000;

function quickStep(step: SuiteStep, ends: readonly ReportedEnd[]): SuiteStep {
  const took = Math.max(...ends.map(({ record }) => record.durationMs));
  const wallMs = Math.min(step.limits.wallMs, Math.round(CHANGED_MS + CHANGED_SLOWER * took));
  return { ...step, limits: { ...step.limits, wallMs } };
}

type SuiteStep = Extract<PlanStep, { kind: 'suite' }>;

/** Of what fails there nobody is told what the code answered: no test is run once more for it. */
const CHANGED = { alone: false } as const;

/** How the suite is run on a tier. */
function suiteRun(
  input: JudgeInput,
  contract: ResolvedContract,
  locked: LockedSuite,
  step: SuiteStep,
  tier: GateTier,
  more: { readonly alone?: false; readonly each?: readonly TestId[] } = {},
): ConditionedRun {
  const suiteFiles = input.files.map((file) => file.path).filter((path) => isSuiteFile(path, contract));
  const testFiles = suiteFiles
    .filter((path) => isTestFile(path, contract.language))
    .filter((path) => more.each?.some(({ file }) => file === path) ?? true);
  const program = { argv: programArgv(step.runner, 'suite'), walled: 'suite' } as const;
  // Of the two judges, the one in which the code is called as its users call it.
  const watchesPurity = tier === 'in_process' && stepOf(input.plan, 'pure') !== null && more.alone !== false;
  return (name, conditions) => {
    const last = conditions.isReversed ? [] : hiddenIds(locked);
    const told = {
      ...{ mode: 'run', testFiles, suiteFiles, stub: null, last, ...more },
      ...(watchesPurity ? { pure: ownSources(input, contract) } : {}),
      ...conditionsInput(conditions),
    };
    const spec = {
      name,
      limits: step.limits,
      env: conditionsEnv(input.plan.environment, conditions),
      ...sideOf({ ...input, tier }, step.limits, program, input.files, told),
    };
    return tier === 'in_process' ? runReported(input.context, spec, null) : runWithTwin(input.context, spec);
  };
}

function ownSources({ files }: JudgeInput, contract: ResolvedContract): string[] {
  return files.map((file) => file.path).filter((path) => isNodeFile(path, contract));
}

/** In one process, or on both sides of the wall: which program runs where, and who sees which files. */
export function sideOf(
  input: JudgeInput,
  limits: GateLimits,
  program: { readonly argv: readonly string[]; readonly walled: WallProgram },
  files: readonly SandboxFile[],
  told: Readonly<Record<string, unknown>>,
): Pick<ReportedSpec, 'argv' | 'files' | 'input' | 'guest'> {
  if (input.tier === 'in_process') return { argv: program.argv, files, input: told };
  const { contract, dependencies = [] } = input.context.request;
  const sides = wallSides(files, contract, dependencies);
  return {
    argv: wallArgv(contract.language, program.walled, limits),
    files: sides.trusted,
    input: { ...told, wall: wallInput(contract, dependencies, limits) },
    guest: {
      files: sides.guest,
      argv: wallArgv(contract.language, 'builder', limits),
      oracle: oracleArgv(contract, dependencies),
    },
  };
}
