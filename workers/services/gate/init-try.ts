/** A fresh plan tried once in the clean room: what ran and what was skipped become its numbers, what failed is told with the next step. */
import { missingModules } from '../../../core/repository/missing-package.ts';
import { UNBUILT } from '../../../core/repository/understand/python-project.ts';
import { normalName } from '../../../core/repository/understand/requirement.ts';
import { roomier } from '../../../core/repository/understand/roomier.ts';
import type { PlannedTest, UnderstoodProject } from '../../../core/repository/understand/understood.ts';
import type { ExactPins } from '../../../core/repository/exact-pins.ts';
import type { GateTrial } from '../../../core/ports/gate-services.ts';
import type { RepositoryReport } from '../../../schemas/repository-report.ts';
import type { Surroundings } from '../common.ts';
import { choosePins, type ChosenPins } from './init-pins.ts';
import { gateRun } from './run.ts';

/** Nothing was changed yet: either the tree is red by itself, or the clean room lacks something. */
const PLAIN_RUN =
  'Run the tests once without a7-rt: what is red there too is mended or left out first, what is green there lacks something in the clean room';

type Write = (pins: ExactPins, understood: UnderstoodProject) => Promise<void>;

/** Packages that tests turn out to import, and that the project declares for something else, are added so often. */
const TRIES_MAX = 3;
/** Wall time of a suite that needs more than the 120 seconds of a plan that says nothing. */
const SLOW_SECONDS = 600;
const NOTE_CHARS_MAX = 400;

/** Tries the plan that `write` wrote last, and has it written anew with what was seen. */
export async function tried(
  around: Surroundings,
  repo: string,
  project: UnderstoodProject,
  found: ChosenPins,
  write: Write,
): Promise<GateTrial> {
  let [pins, others, understood] = [found.pins, project.others, project];
  /** What was seen before parts in C were built. */
  let unbuilt: { readonly pins: ExactPins; readonly report: RepositoryReport } | null = null;
  const wanted = [...project.wanted.python];
  const pinsWith = async (more: readonly string[]): Promise<ExactPins> => {
    wanted.push(...more);
    const chosen = await choosePins(around, pins, { python: wanted, node: {} }, project);
    return { ...pins, python: chosen.pins.python };
  };
  for (let attempt = 0; ; attempt += 1) {
    const asked = { repo, kind: 'work_tree', revision: null, acceptPlan: true, backend: null } as const;
    const result = await gateRun(around, asked, new AbortController().signal);
    if (!result.ok)
      return { verdict: null, text: result.problems[0]?.message ?? 'the plan could not be tried' };
    let { report } = result.value;
    const more = declaredFor(report, others);
    if (more.length > 0 && attempt < TRIES_MAX) {
      others = new Map([...others].filter(([name]) => !more.some(([each]) => each === name)));
      pins = await pinsWith(more.map(([, text]) => text));
      await write(pins, understood);
      continue;
    }
    const slow = understood.tests.map((test) => withTime(test, report));
    if (attempt < TRIES_MAX && slow.some((test, index) => test !== understood.tests[index])) {
      understood = { ...understood, tests: slow };
      await write(pins, understood);
      continue;
    }
    const room = roomier(understood, new Set(findingsOf(report).map(({ code }) => code)));
    if (room !== null) {
      understood = { ...understood, ...room };
      await write(pins, understood);
      continue;
    }
    if (project.build !== null && unbuilt === null && report.verdict === 'FAIL') {
      unbuilt = { pins, report };
      pins = await pinsWith(project.build);
      understood = withBuild(understood);
      await write(pins, understood);
      continue;
    }
    if (unbuilt !== null && findingsOf(report).some(({ code }) => code === 'setup_failed')) {
      ({ pins, report } = unbuilt);
      understood = withoutBuild(understood, project);
    }
    const tests = understood.tests.map((test) => measured(test, report));
    const kept = keptChecks(understood, report);
    await write(pins, { ...understood, ...kept, tests });
    return trialOf(report, new Set(kept.checks.map(({ name }) => name)), understood);
  }
}

/** Parts in C are built in each checkout, by a compiler of the image's release. */
function withBuild(understood: UnderstoodProject): UnderstoodProject {
  const notes = understood.notes.filter((note) => !note.startsWith(UNBUILT));
  return {
    ...understood,
    notes,
    debian: BUILD_PACKAGES,
    setup: [...understood.setup, { name: 'parts in C', run: BUILD }],
  };
}

function withoutBuild(understood: UnderstoodProject, { notes, setup }: UnderstoodProject): UnderstoodProject {
  return { ...understood, debian: [], setup, notes: [...notes, `"${BUILD}" was tried, and failed`] };
}

const BUILD_PACKAGES = ['gcc', 'libc6-dev', 'python3-dev'];
const BUILD = 'python3 setup.py build_ext --inplace';

function findingsOf(report: RepositoryReport): RepositoryReport['levels'][number]['findings'] {
  return report.levels.flatMap(({ findings }) => findings);
}

/** Checks of CI that are green on a tree that nobody has changed; of each other one it is said why it is none. */
function keptChecks(
  { checks, notes }: UnderstoodProject,
  report: RepositoryReport,
): Pick<UnderstoodProject, 'checks' | 'notes'> {
  const red = new Map(findingsOf(report).map((found) => [found.step, found]));
  const left = checks.flatMap(({ name, argv, from }) => {
    const found = red.get(name);
    if (found === undefined) return [];
    const next = found.nextStep === null ? '' : `; ${found.nextStep}`;
    return [
      `CI (${from}) checks "${argv.at(-1) ?? ''}", which is red in the clean room: ${found.text}${next}`,
    ];
  });
  const lines = left.map((note) => note.replaceAll(/\s+/gu, ' ').slice(0, NOTE_CHARS_MAX));
  return { checks: checks.filter(({ name }) => !red.has(name)), notes: [...notes, ...lines] };
}

/** Requirements of the project that bring a module which a test missed. */
function declaredFor(
  report: RepositoryReport,
  others: ReadonlyMap<string, string>,
): (readonly [name: string, text: string])[] {
  const texts = report.levels.flatMap(({ findings }) =>
    findings.flatMap(({ text, excerpt }) => [text, excerpt ?? '']),
  );
  const names = new Set(texts.flatMap((text) => missingModules(text)).map(normalName));
  const lacksPlugin = texts.some((text) => /fixture '\w+' not found/u.test(text));
  return [...others].filter(
    ([name]) =>
      names.has(name) ||
      names.has(name.replace(/^(?:python|py)-?/u, '')) ||
      (lacksPlugin && name.startsWith('pytest-')),
  );
}

/** A suite that was ended by its time gets the most that init gives, once. */
function withTime(test: PlannedTest, report: RepositoryReport): PlannedTest {
  const isLate = report.levels.some(({ findings }) =>
    findings.some(
      ({ code, step }) => step === test.name && (code === 'wall_limit' || code === 'platform_wall'),
    ),
  );
  return isLate && test.timeoutSeconds !== SLOW_SECONDS ? { ...test, timeoutSeconds: SLOW_SECONDS } : test;
}

function measured(test: PlannedTest, report: RepositoryReport): PlannedTest {
  const seen = report.commands.find((command) => command.name === test.name)?.tests;
  const own = findingsOf(report).filter(({ step }) => step === null || step === test.name);
  const isGreen = own.every(({ code }) => code === 'skipped');
  if (seen === undefined || seen === null || !isGreen) return test;
  return { ...test, minTests: Math.max(1, seen.passed), maxSkipped: seen.skipped };
}

/** Skipped tests alone are no failure of a plan that was just made: their number stands in it now. */
function trialOf(
  report: RepositoryReport,
  kept: ReadonlySet<string>,
  { checks }: UnderstoodProject,
): GateTrial {
  const left = new Set(checks.map(({ name }) => name).filter((name) => !kept.has(name)));
  const rest = findingsOf(report).filter(({ code, step }) => code !== 'skipped' && !left.has(step ?? ''));
  const counts = report.commands
    .flatMap(({ name, tests }) =>
      tests === null
        ? []
        : [
            `${name}: ${String(tests.passed)} passed, ${String(tests.failed)} failed, ${String(tests.skipped)} skipped`,
          ],
    )
    .join('; ');
  if (rest.length === 0) return { verdict: 'PASS', text: counts };
  const [first] = rest;
  const next = rest.find((found) => found.nextStep !== null)?.nextStep;
  const red = report.verdict === 'FAIL' ? [PLAIN_RUN] : [];
  return {
    verdict: report.verdict,
    text: [counts, first?.text ?? '', ...red, ...(next === undefined ? [] : [`next: ${next ?? ''}`])]
      .filter((part) => part !== '')
      .join('. '),
  };
}
