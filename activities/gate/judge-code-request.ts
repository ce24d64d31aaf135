/** Runs code against its locked suite and the contract's examples and has it judged (gate.md part 5). */
import { defaultExportName } from '../../core/contract/declaration.ts';
import { checkExports, type ExportCheck } from '../../core/gate/exports/export-check.ts';
import { finding } from '../../core/gate/finding.ts';
import { entryFileOf, isNodeFile, isSource, isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import { judgeCode } from '../../core/gate/code/judge-code.ts';
import { stepOf } from '../../core/gate/plan.ts';
import { hiddenIds } from '../../core/gate/report/hidden-tests.ts';
import { surroundingsFindings } from '../../core/gate/code/surroundings.ts';
import { projectFindings } from '../../core/gate/code/project-rules.ts';
import { conditionsOf } from '../../core/gate/code/two-runs.ts';
import type { VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Frame } from '../../schemas/runner-report.ts';
import type { SuiteWords } from '../../core/gate/suite/contradiction.ts';
import type { GateLimits, SuiteRunner } from '../../schemas/gate-plan.ts';
import type { FindingCode, GateTier, LockedSuite } from '../../schemas/report.ts';
import { lineCounts, textOf, type Judged, type JudgeInput } from './judged.ts';
import { conditionsEnv, conditionsInput, programArgv, programEnv } from './programs.ts';
import { addFixtures } from './run-fixtures.ts';
import { runReported, type ReportedEnd, type ReportedSpec } from './room.ts';
import { runJudges, type TwoJudges } from './two-judges.ts';
import { runWithTwin } from './run-apart.ts';
import { runTwice, type ConditionedRun, type TwoRuns } from './two-runs.ts';
import { offered, oracleArgv, wallArgv, wallInput, wallSides, type WallProgram } from './wall-room.ts';

type CodeRequest = VerifyRequest & { readonly kind: 'code' | 'examples' };

/** Findings after which a run could tell nothing more. */
const HOPELESS: ReadonlySet<FindingCode> = new Set<FindingCode>(['suite_changed', 'entry_missing']);

/** L0, suite and examples; then the contract's fixtures, for code that is to be grounded. */
export async function judgeCodeRequest(input: JudgeInput, request: CodeRequest): Promise<Judged> {
  const judged = await judgeBySuite(input, request);
  return request.kind === 'code' ? addFixtures(input, judged) : judged;
}

async function judgeBySuite(input: JudgeInput, request: CodeRequest): Promise<Judged> {
  const { contract } = request;
  const locked = request.kind === 'code' ? request.locked : null;
  const ownFiles = input.files.filter((file) => isNodeFile(file.path, contract));
  const exports = readExports(input.context.parts.symbols, contract, ownFiles);
  const isChanged = locked !== null && locked.suiteHash !== input.suiteHash;
  const lock = isChanged
    ? [finding('suite_changed', 'L0', 'The suite in the tree is not the locked one')]
    : [];
  const { documents } = input.context.parts;
  const rules = projectFindings(input.plan, contract, ownFiles, documents);
  const contractFindings = [...lock, ...rules, ...exports.findings];
  const sources = ownFiles.filter((file) => isSource(file.path, contract.language));
  const asked = surroundingsFindings(
    contract,
    sources.map((file) => ({ path: file.path, text: textOf(file) })),
  );
  const isHopeless = contractFindings.some((found) => HOPELESS.has(found.code));
  const [suite, examples] = await Promise.all([
    isHopeless || locked === null ? NO_RUNS : runSuite(input, contract, locked),
    isHopeless ? [] : runExamples(input, contract),
  ]);
  const judgement = judgeCode({
    contract,
    contractFindings,
    warnings: [...exports.warnings, ...asked],
    locked,
    tier: input.tier,
    testTimeoutMs: stepOf(input.plan, 'suite')?.limits.testTimeoutMs,
    runs: suite.ends.slice(0, suite.plain === null ? 2 : 1).map((end) => end.execution),
    flakiness: suite.flakiness,
    plain: suite.plain && { ...suite.plain, isSecond: input.isDoubted },
    examples: examples[0]?.execution ?? null,
    suiteWords: suiteWordsOf(input, contract),
    ownFiles: lineCounts(ownFiles),
  });
  const ends = [...suite.ends, ...examples];
  return {
    judgement,
    wall: locked?.wall,
    commands: ends.map((end) => end.record),
    artifacts: ends.flatMap((end) => end.artifacts),
  };
}

type SuiteRuns = TwoRuns & { readonly plain: TwoJudges['plain'] | null };

const NO_RUNS: SuiteRuns = { ends: [], flakiness: null, plain: null };

const RUNNER_NAMES: Readonly<Record<SuiteRunner, string>> = { pytest: 'pytest', node_test: 'node --test' };

/** One run, or two that must agree where the plan compares them: behind the wall, the second one is the plain judge. */
async function runSuite(
  input: JudgeInput,
  contract: ResolvedContract,
  locked: LockedSuite,
): Promise<SuiteRuns> {
  const step = stepOf(input.plan, 'suite');
  if (step === null) return NO_RUNS;
  const suiteFiles = input.files.map((file) => file.path).filter((path) => isSuiteFile(path, contract));
  const testFiles = suiteFiles.filter((path) => isTestFile(path, contract.language));
  const { environment } = input.plan;
  const program = { argv: programArgv(step.runner, 'suite'), walled: 'suite' } as const;
  const runIn =
    (tier: GateTier): ConditionedRun =>
    (name, conditions) => {
      const last = conditions.isReversed ? [] : hiddenIds(locked);
      const told = {
        ...{ mode: 'run', testFiles, suiteFiles, stub: null, last },
        ...conditionsInput(conditions),
      };
      const spec = {
        name,
        limits: step.limits,
        env: conditionsEnv(environment, conditions),
        ...sideOf({ ...input, tier }, step.limits, program, input.files, told),
      };
      return tier === 'in_process'
        ? runReported(input.context, spec, null)
        : runWithTwin(input.context, spec);
    };
  const run = runIn(input.tier);
  if (step.repeats === 1)
    return { ends: [await run('suite-1', conditionsOf(environment))], flakiness: null, plain: null };
  if (input.tier === 'in_process') return { ...(await runTwice(environment, 'suite', run)), plain: null };
  const runner = RUNNER_NAMES[step.runner];
  return runJudges(environment, locked, { runner, wall: run, plain: runIn('in_process') });
}

/** Reads the suite's sources at the lines of failed assertions. */
function suiteWordsOf(input: JudgeInput, contract: ResolvedContract): (frame: Frame) => SuiteWords | null {
  const { symbols } = input.context.parts;
  return (frame) => {
    const file = input.files.find(({ path }) => path === frame.file && isSuiteFile(path, contract));
    return file === undefined ? null : symbols.statementAt(contract.language, textOf(file), frame.line);
  };
}

/** Examples run without the suite's files beside them: they judge code that could not have read it. */
async function runExamples(input: JudgeInput, contract: ResolvedContract): Promise<ReportedEnd[]> {
  const step = stepOf(input.plan, 'examples');
  if (step === null) return [];
  const end = await runReported(
    input.context,
    {
      name: 'examples',
      limits: step.limits,
      ...sideOf(
        input,
        step.limits,
        { argv: programArgv(step.runner, 'examples'), walled: 'examples' },
        input.files.filter((file) => !isSuiteFile(file.path, contract)),
        {
          contentFile: contract.contentFile,
          names: [...offered(contract)],
          defaultName: defaultExportName(contract.language, contract.interface.exports),
          imports: contract.interface.imports,
          examples: contract.examples,
        },
      ),
      env: programEnv(input.plan.environment, input.plan.environment.hashSeeds[0]),
    },
    null,
  );
  return [end];
}

/** In one process, or on both sides of the wall: which program runs where, and who sees which files. */
function sideOf(
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

function readExports(
  symbols: SymbolsPort,
  contract: ResolvedContract,
  ownFiles: readonly SandboxFile[],
): ExportCheck {
  if (!symbols.languages.includes(contract.language)) {
    const text = `The exports of ${contract.language} cannot be read from the sources`;
    return { findings: [], warnings: [finding('export_unchecked', 'L0', text)] };
  }
  const sources = ownFiles.filter((file) => isSource(file.path, contract.language));
  return checkExports({
    contract,
    declared: contract.interface.exports.flatMap(
      (text) => symbols.declaration(contract.language, text) ?? [],
    ),
    modules: sources.map((file) => symbols.module(contract.language, file.path, textOf(file))),
    entryFile: entryFileOf(
      contract,
      ownFiles.map((file) => file.path),
    ),
  });
}
