/** Runs the mutation check of code that passed: many small changes in one room of the clean room's kind (gate.md part 11). */
import { isNodeFile, isSource, isSuiteFile, isTestFile } from '../../core/gate/gate-files.ts';
import {
  MUTANTS_MAX,
  MUTATION_LANES,
  UNASKED_MAX,
  isNoticeable,
  mutationCheck,
  readMutationReport,
  selectMutants,
  unmadeCheck,
  unmadeReason,
  type MutationOutcomes,
} from '../../core/gate/code/mutation.ts';
import {
  givesAnswer,
  hardCodable,
  inTurn,
  oneSidedFindings,
  unmadeFinding,
  unnoticedFindings,
} from '../../core/gate/code/suite-evidence.ts';
import { unmissedFindings } from '../../core/gate/code/uncalled.ts';
import { stepOf } from '../../core/gate/plan.ts';
import { conditionsOf } from '../../core/gate/code/two-runs.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { HardCoded } from '../../core/ports/mutants.ts';
import type { MutantOutcome } from '../../schemas/mutation.ts';
import type { CommandRecord, Finding, MutationCheck } from '../../schemas/report.ts';
import { textOf, type JudgeInput } from './judged.ts';
import { conditionsEnv, OUT_DIR, programArgv, REPORT_NAME } from './programs.ts';
import { runProgram } from './room.ts';

/** Start-up and copies, on top of the budget. */
const ROOM_MS = 20_000;

/** A suite that waits, or a busy machine, has this many times the budget as wall time. */
const WALL_SHARE = 3;

export interface MutationRun {
  readonly check: MutationCheck;
  /** False when the unchanged code is not green in one process, or the room was lost: nothing is kept. */
  readonly isMade: boolean;
  readonly isLost: boolean;
  readonly commands: readonly CommandRecord[];
  readonly artifacts: readonly GateArtifact[];
}

/**
 * @param input of code that passed its locked suite.
 * @param names exports that the suite must have a test of.
 * @param uncalled those of them that no test calls: they may be of use to others.
 */
export async function checkMutants(
  input: JudgeInput,
  budgetMs: number,
  names: readonly string[],
  uncalled: readonly string[] = [],
): Promise<MutationRun> {
  const { contract } = input.context.request;
  const step = stepOf(input.plan, 'suite');
  const { made, fixed, watched } = changesOf(input, names, uncalled);
  if (step === null || made.length + fixed.length === 0) {
    const check = mutationCheck(contract, made.length, [], new Map());
    return { check, isMade: true, isLost: false, commands: [], artifacts: [] };
  }
  const tried = selectMutants(made, contract.min_mutation_score === undefined ? UNASKED_MAX : MUTANTS_MAX);
  const suiteFiles = input.files.map((file) => file.path).filter((path) => isSuiteFile(path, contract));
  const nonce = input.context.parts.nonce();
  const end = await runProgram(input.context, {
    name: 'mutants',
    argv: programArgv(step.runner, 'mutants'),
    files: input.files,
    env: conditionsEnv(input.plan.environment, conditionsOf(input.plan.environment)),
    limits: { ...step.limits, wallMs: budgetMs * WALL_SHARE + ROOM_MS, cpus: MUTATION_LANES },
    stdin: JSON.stringify({
      nonce,
      reportPath: `${OUT_DIR}/${REPORT_NAME}`,
      testFiles: suiteFiles.filter((path) => isTestFile(path, contract.language)),
      suiteFiles,
      testTimeoutMs: step.limits.testTimeoutMs,
      mutants: [
        ...fixed.map(({ file, text, exportName }) => ({ file, text, of: exportName })),
        ...tried.map(({ file, text }) => ({ file, text, of: null })),
      ],
      watched,
      cpuMs: budgetMs * MUTATION_LANES,
      wallMs: budgetMs * WALL_SHARE,
      lanes: MUTATION_LANES,
    }),
  });
  const report = (end.result.files[OUT_DIR] ?? []).find((file) => file.path === REPORT_NAME);
  const read =
    report === undefined || report.bytes.length > step.limits.reportBytes
      ? null
      : readMutationReport(textOf(report), nonce);
  const outcomes = read?.changes ?? null;
  const isLost = end.result.outcome.kind === 'lost';
  const unmade = isLost ? 'the sandbox was lost' : unmadeReason(outcomes);
  const isRed = ['killed', 'raised'].includes(outcomes?.get(0) ?? '');
  const answers = read?.answers ?? [];
  const faults = isRed ? [] : faultsOf(input, uncalled, fixed, { changes: outcomes ?? new Map(), answers });
  const check =
    unmade === null && outcomes !== null
      ? mutationCheck(contract, made.length, tried, later(outcomes, fixed.length))
      : {
          ...unmadeCheck(made.length, unmade ?? 'its report is not whole'),
          survivors: isRed ? [unmadeFinding()] : [],
        };
  return {
    check: faults.length === 0 ? check : { ...check, faults },
    isMade: unmade === null || isRed,
    isLost,
    commands: [end.record],
    artifacts: end.artifacts,
  };
}

/** What the suite has to be written anew for. An export has one finding. */
function faultsOf(
  input: JudgeInput,
  uncalled: readonly string[],
  fixed: readonly HardCoded[],
  { changes, answers }: MutationOutcomes,
): Finding[] {
  const { contract } = input.context.request;
  const unmissed = unmissedFindings(uncalled, textsAbout(input), fixed, changes);
  const isTold = ({ exportName }: Finding): boolean =>
    unmissed.some((each) => each.exportName === exportName);
  const unseen = [
    ...unmissed,
    ...unnoticedFindings(contract, fixed, changes).filter((each) => !isTold(each)),
  ];
  return [...unseen, ...oneSidedFindings(contract, answers, unseen, suiteTexts(input))];
}

/** Declarations and suite: what may derive classes from those of the contract. */
function textsAbout(input: JudgeInput): readonly string[] {
  return [...input.context.request.contract.interface.exports, ...suiteTexts(input)];
}

function suiteTexts({ context, files }: JudgeInput): readonly string[] {
  return files.filter(({ path }) => isSuiteFile(path, context.request.contract)).map(textOf);
}

/** Small changes of the node's files, and its exports hard-coded. */
function changesOf({ context, files }: JudgeInput, names: readonly string[], uncalled: readonly string[]) {
  const { contract } = context.request;
  const { symbols } = context.parts;
  const { language } = contract;
  const own = files.filter((file) => isNodeFile(file.path, contract) && isSource(file.path, language));
  const declared = hardCodable(contract, names, (text) => symbols.declaration(language, text), uncalled);
  return {
    watched: own.flatMap((file) => {
      const text = symbols.watched(language, file.path, textOf(file), declared.filter(givesAnswer));
      return text === null ? [] : [{ file: file.path, text }];
    }),
    made: own
      .flatMap((file) => symbols.mutants(language, file.path, textOf(file)))
      .filter((mutant) => isNoticeable(mutant, contract)),
    fixed: inTurn(own.flatMap((file) => symbols.hardCoded(language, file.path, textOf(file), declared))),
  };
}

/** Outcomes of what was tried after the first `count`. */
function later(outcomes: ReadonlyMap<number, MutantOutcome>, count: number): Map<number, MutantOutcome> {
  return new Map([...outcomes].map(([index, outcome]) => [index - count, outcome]));
}
