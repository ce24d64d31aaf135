/** Runs code against its locked suite and the contract's examples and has it judged (gate.md part 5). */
import { defaultExportName } from '../../core/contract/declaration.ts';
import { checkExports } from '../../core/gate/exports/export-check.ts';
import type { ExportCheck } from '../../core/gate/exports/types.ts';
import { finding } from '../../core/gate/finding.ts';
import { entryFileOf, isNodeFile, isSource, isSuiteFile } from '../../core/gate/gate-files.ts';
import { pythonModule } from '../../core/gate/code/wall.ts';
import { judgeCode } from '../../core/gate/code/judge-code.ts';
import { stepOf } from '../../core/gate/plan.ts';
import { impureSources } from '../../core/gate/code/purity.ts';
import { surroundingsFindings } from '../../core/gate/code/surroundings.ts';
import { projectFindings } from '../../core/gate/code/project-rules.ts';
import type { VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Frame } from '../../schemas/runner-report.ts';
import type { SuiteWords } from '../../core/gate/suite/contradiction.ts';
import type { Finding, FindingCode } from '../../schemas/report.ts';
import { lineCounts, textOf, type Judged, type JudgeInput } from './judged.ts';
import { programArgv, programEnv } from './programs.ts';
import { addFixtures } from './run-fixtures.ts';
import { runReported, type ReportedEnd } from './room.ts';
import { NO_RUNS, runSuite, sideOf } from './run-suite.ts';
import { offered } from './wall-room.ts';

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
  const sources = ownFiles.filter((file) => isSource(file.path, contract.language));
  const impure = stepOf(input.plan, 'pure') === null ? [] : readPurity(input, contract, sources);
  const contractFindings = [...lock, ...rules, ...exports.findings, ...impure];
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
    counterProof: suite.counter,
    examples: examples[0]?.execution ?? null,
    suiteWords: suiteWordsOf(input, contract),
    ownFiles: lineCounts(ownFiles),
  });
  const ends = [...suite.ends, ...suite.counter.ends, ...examples];
  return {
    judgement,
    wall: locked?.wall,
    commands: ends.map((end) => end.record),
    artifacts: ends.flatMap((end) => end.artifacts),
  };
}

function readPurity(
  input: JudgeInput,
  { language }: ResolvedContract,
  sources: readonly SandboxFile[],
): Finding[] {
  const { symbols } = input.context.parts;
  const read = sources.map((file) => ({
    path: file.path,
    calls: symbols.calls(language, file.path, textOf(file)),
  }));
  return impureSources(language, read);
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
          module: pythonModule(contract.contentFile, contract.sourceRoot),
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
