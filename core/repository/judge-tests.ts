/** L1: what a test command proved (G3). An exit code alone proves nothing: a test must be seen to have run. */
import { readExecution } from '../gate/execution.ts';
import type { ReportReading, RunnerRun } from '../gate/runner-reading.ts';
import { idText } from '../gate/test-id.ts';
import type { SandboxResult } from '../ports/sandbox.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { countTests, type Counted, ranNames } from './count-tests.ts';
import { failureLines } from './failure-lines.ts';
import { fromFinding, repositoryFinding } from './finding.ts';
import { foreignFindings, type JudgedTree, unjudgedFindings } from './judge-provenance.ts';
import { missingProgram, NOT_FOUND } from './missing-program.ts';
import { diskFinding, endFindings, exitText, lastLines } from './judge-end.ts';

type TestStep = RepositoryStepOf<'test_command'>;

export interface JudgedTests {
  readonly findings: readonly RepositoryFinding[];
  /** Null where none are counted. */
  readonly tests: Counted | null;
  /** Names of the tests that ran and were not skipped; null where the output has none. */
  readonly ran?: readonly string[] | null;
  /** Those of them that did not pass. */
  readonly red?: readonly string[];
}

/** Tests named one by one; more are counted. */
const TESTS_NAMED_MAX = 20;

/** Findings of a plan's test command that need no run. */
export function unprovable(step: TestStep): RepositoryFinding | null {
  if (step.count.by !== 'nothing_said') return null;
  const text = `Nothing shows that a test ran: command "${step.name}" (${step.source.detail}) would be judged by its exit code`;
  return repositoryFinding('proof_missing', 'L1', text, {
    step: step.name,
    nextStep:
      'Use "runner: pytest" or "runner: node_test", say "proof:", or mark it "kind: check" if it is none',
  });
}

/** A command whose output is read. @param step its count is not a reporter's. */
export function judgeCommand(
  step: TestStep,
  result: SandboxResult,
  { loaded, tree }: { readonly loaded: RunnerRun['loaded'] | undefined; readonly tree: JudgedTree },
): JudgedTests {
  const ended = endFindings(result, step.limits, 'L1', step.name);
  if (ended.length > 0) return { findings: ended, tests: null };
  const { count } = step;
  const tests =
    count.by === 'format' || count.by === 'line'
      ? countTests(count, result.stdout.text, result.stderr.text)
      : null;
  const code = result.outcome.kind === 'exited' ? result.outcome.exitCode : null;
  const failures = count.by === 'format' ? failureLines(count.format, result.stdout.text) : null;
  const details = { step: step.name, excerpt: failures ?? lastLines(result) };
  const named = count.by === 'format' ? ranNames(count.format, result.stdout.text) : null;
  const seen = { tests, ...(named === null ? {} : named) };
  if (code !== step.exitCode || (tests !== null && tests.failed > 0)) {
    const full = diskFinding(result, step.limits, 'L1', step.name);
    if (full !== null) return { findings: [full], ...seen };
    const failed = tests === null || tests.failed === 0 ? '' : `, ${String(tests.failed)} tests failed`;
    const text = `Command "${step.name}" ${exitText(result)}${failed}`;
    const lacking = code === 127 ? missingProgram(step, result.stderr.text) : null;
    if (lacking !== null) return { findings: [lacking], tests };
    const expected = `exit code ${String(step.exitCode)}`;
    const found = repositoryFinding('command_failed', 'L1', text, {
      ...details,
      expected,
      actual: exitText(result),
      nextStep: code === 127 ? NOT_FOUND : null,
    });
    return { findings: [found], ...seen };
  }
  const counted = tests === null ? [] : countFindings(step, tests);
  return { findings: counted.length > 0 ? counted : unjudgedFindings(step.name, loaded, tree), ...seen };
}

/** A run that our own reporter wrote down. */
export function judgeReported(
  step: TestStep,
  result: SandboxResult,
  reading: ReportReading,
  tree: JudgedTree,
): JudgedTests {
  const execution = readExecution(result, reading, step.limits, null);
  if (execution.kind === 'unusable') {
    const found = conftestFinding(execution.finding.code, result, step.name) ?? {
      ...fromFinding(execution.finding, 'L1', step.name),
      excerpt: lastLines(result),
    };
    return { findings: [found], tests: null };
  }
  const { run } = execution;
  const tests = countsOf(run);
  // A file that cannot be loaded says why nothing ran.
  const counted = run.collectErrors.length > 0 && tests.passed + tests.failed === 0;
  const foreign = foreignFindings(step.name, run.loaded, tree);
  if (foreign.length > 0) return { findings: foreign, tests };
  const said = run.tests.filter(isRed).map(({ failure }) => failure?.message ?? '');
  const full = diskFinding(result, step.limits, 'L1', step.name, said);
  const findings = [
    ...(full === null ? [] : [full]),
    ...runFindings(run, step),
    ...(counted ? [] : countFindings(step, tests)),
  ];
  const ran = run.tests
    .filter(({ outcome }) => !['skipped', 'todo'].includes(outcome))
    .map(({ id }) => idText(id));
  const red = run.tests
    .filter(({ outcome }) => !['passed', 'skipped', 'todo'].includes(outcome))
    .map(({ id }) => idText(id));
  return {
    findings: findings.length > 0 ? findings : unjudgedFindings(step.name, run.loaded, tree),
    tests,
    ran,
    red,
  };
}

/** How pytest says that it could not begin. */
const CONFTEST = /^ImportError while loading conftest '(?:\/work\/)?([^'\n]+)'\.$/mu;
const REASON = /^E {3}(.+)$/gmu;

/** A change that breaks what `conftest.py` imports: no test ran, and pytest's own last words say why, as for any file that cannot be loaded. */
function conftestFinding(code: string, result: SandboxResult, step: string): RepositoryFinding | null {
  const file = CONFTEST.exec(result.stderr.text)?.[1];
  if (code !== 'report_missing' || file === undefined) return null;
  const why = [...result.stderr.text.matchAll(REASON)].at(-1)?.[1] ?? 'an error';
  return repositoryFinding('collection_error', 'L1', `Cannot load ${file}: ${why}`.slice(0, 2000), {
    step,
    place: { file: file.slice(0, 500), line: 0 },
    excerpt: lastLines(result),
  });
}

function countsOf(run: RunnerRun): Counted {
  const of = (...outcomes: readonly string[]): number =>
    run.tests.filter((test) => outcomes.includes(test.outcome)).length;
  return {
    passed: of('passed'),
    failed: of('failed', 'error', 'xpassed'),
    skipped: of('skipped', 'todo', 'xfailed'),
  };
}

/** G3: nothing ran, or something was skipped that the plan does not allow. */
function countFindings(step: TestStep, tests: Counted): RepositoryFinding[] {
  const or = step.source.kind === 'profile' ? `, or change ${step.source.detail}` : '';
  const details = { step: step.name, nextStep: `Write tests${or}` };
  const ran = tests.passed + tests.failed;
  if (ran === 0) {
    const skipped = tests.skipped === 0 ? '' : `: all ${String(tests.skipped)} were skipped`;
    const text = `Nothing shows that a test ran in "${step.name}"${skipped}`;
    return [
      repositoryFinding('nothing_ran', 'L1', text, { step: step.name, nextStep: unseenStep(step, or) }),
    ];
  }
  const findings: RepositoryFinding[] = [];
  if (ran < step.minTests) {
    const text = `Only ${String(ran)} tests ran in "${step.name}", the plan wants at least ${String(step.minTests)}`;
    findings.push(repositoryFinding('too_few_tests', 'L1', text, details));
  }
  if (tests.skipped > step.maxSkipped) {
    const text = `${String(tests.skipped)} tests were skipped in "${step.name}", the plan allows ${String(step.maxSkipped)}`;
    const nextStep = 'Let them run, or raise max_skipped';
    findings.push(repositoryFinding('skipped', 'L1', text, { step: step.name, nextStep }));
  }
  return findings;
}

function unseenStep({ count }: TestStep, or: string): string {
  if (count.by === 'reporter')
    return `No test was found: name the files under "paths", or write tests${or}. An archive of a release often has none: judge the whole repository`;
  if (count.by === 'format' && count.format === 'tap')
    return 'It printed no result of a test, and an exit code proves nothing: have its scripts print TAP (node:test, tape), say under "proof" what their output shows, or judge the work from outside (fixtures)';
  const shown = count.by === 'format' ? `no result in the form "${count.format}"` : 'no such line';
  return `Its output has ${shown}: say under "proof" what shows that tests ran, or "kind: check" where nothing does${or}`;
}

function isRed({ outcome }: RunnerRun['tests'][number]): boolean {
  return ['failed', 'error', 'xpassed'].includes(outcome);
}

function runFindings(run: RunnerRun, step: TestStep): RepositoryFinding[] {
  const red = run.tests.filter(isRed);
  const ran = new Set(run.tests.map((test) => idText(test.id)));
  const vanished = run.collected.map(idText).filter((id) => !ran.has(id));
  const rest = red.length - TESTS_NAMED_MAX;
  return [
    ...run.collectErrors.map(({ file, failure }) =>
      repositoryFinding('collection_error', 'L1', `Cannot load ${file}: ${failure.exceptionType}`, {
        step: step.name,
        place: failure.frames.at(-1) ?? { file, line: 0 },
        excerpt: failure.message,
      }),
    ),
    ...red.slice(0, TESTS_NAMED_MAX).map((test) => {
      const { failure } = test;
      const what = failure === null ? test.outcome : failure.exceptionType;
      return repositoryFinding('test_failed', 'L1', `Test "${idText(test.id)}" failed: ${what}`, {
        step: step.name,
        place: failure?.frames.at(-1) ?? { file: test.id.file, line: 0 },
        excerpt: failure?.message ?? null,
      });
    }),
    ...(rest > 0
      ? [repositoryFinding('test_failed', 'L1', `${String(rest)} more tests failed`, { step: step.name })]
      : []),
    ...(vanished.length === 0 || red.length > 0 || run.collectErrors.length > 0
      ? []
      : [
          repositoryFinding(
            'id_vanished',
            'L1',
            `${String(vanished.length)} tests were collected and did not run, "${vanished[0] ?? ''}" first`,
            { step: step.name },
          ),
        ]),
    ...run.lateErrors.map((error) => lateFinding(error, step.name)),
  ];
}

function lateFinding(error: RunnerRun['lateErrors'][number], step: string): RepositoryFinding {
  const { failure } = error;
  const details = { step, place: failure.frames.at(-1) ?? null, excerpt: failure.message };
  if (failure.exceptionType === 'FileWithoutTests')
    return repositoryFinding('file_without_tests', 'L1', failure.message, { step, place: details.place });
  const text =
    error.reason === 'internal'
      ? 'The runner itself ended early'
      : `An error was raised outside any test: ${failure.exceptionType}`;
  return repositoryFinding(error.reason === 'internal' ? 'early_exit' : 'late_error', 'L1', text, details);
}
