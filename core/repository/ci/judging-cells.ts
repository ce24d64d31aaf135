/**
 * Which cells of a matrix judge. An axis says where a job runs (a system, a version of a runtime) or what it does. Where is chosen;
 * what is judged whole, there: a check that only one cell has is not lost.
 * Example: `{os: [windows, ubuntu], task: [lint, unit]}` is judged twice, as `ubuntu, lint` and `ubuntu, unit`.
 */
import { plainText } from './expressions.ts';
import { type Fields, fieldsOf } from './ingested.ts';
import type { Cell } from './matrix.ts';

/**
 * The cells that judge beside the chosen one: those that do something else in the same place, and those that do it under another
 * version only, which the chosen place takes over.
 */
export function besideCell(
  cells: readonly Cell[],
  chosen: Cell,
  job: Fields,
): {
  readonly beside: readonly Cell[];
  /** Cells of which nothing is left to judge. */
  readonly judged: readonly Cell[];
} {
  const versions = new Set(versionAxes(cells).filter((name) => !NAMES_MACHINE.test(name)));
  const where = new Set([...placeAxes(job), ...versionAxes(cells)]);
  const [isPlace, isUse] = [(name: string) => where.has(name), mentioned(withoutNames(job))];
  const place = (cell: Cell): string => partText(cell, isPlace);
  const machine = (cell: Cell): string => partText(cell, (name) => isPlace(name) && !versions.has(name));
  const use = (cell: Cell): string => partText(cell, (name) => !isPlace(name) && isUse.has(name));
  const seen = new Set([use(chosen)]);
  const unseen = (cell: Cell): boolean => !seen.has(use(cell)) && seen.add(use(cell)).size > 0;
  const here = cells.filter((cell) => place(cell) === place(chosen) && unseen(cell));
  const ofChosen = Object.fromEntries(Object.entries(chosen).filter(([name]) => isPlace(name)));
  const brought = cells.filter(
    (cell) =>
      machine(cell) === machine(chosen) &&
      !Object.values(cell).some((value) => OF_ITS_VERSION.test(plainText(value))) &&
      unseen(cell),
  );
  return {
    beside: [...here, ...brought.map((cell) => ({ ...cell, ...ofChosen }))],
    judged: [chosen, ...here, ...brought],
  };
}

/** What another version, or a release to come, has to do alone. */
const OF_ITS_VERSION =
  /^(?:nightly|beta|canary|master|main|tip)\b|(?:^|[^a-z])(?:py|pypy|cp|go|node|rust|msrv)[-_]?\d|msrv|-dev$/iu;

function partText(cell: Cell, isPart: (name: string) => boolean): string {
  return JSON.stringify(
    Object.entries(cell)
      .filter(([name]) => isPart(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Axes all of whose values are versions, or that are called so; a plain number may be the part of a suite. */
function versionAxes(cells: readonly Cell[]): string[] {
  const names = new Set(cells.flatMap((cell) => Object.keys(cell)));
  return [...names].filter((name) => {
    const values = cells.flatMap((cell) => (cell[name] === undefined ? [] : [plainText(cell[name])]));
    return NAMES_PLACE.test(name) || values.every((value) => VERSION.test(value));
  });
}

const NAMES_MACHINE = /^(?:os|platform|runner|arch|goarch|goos)$/iu;
const NAMES_PLACE =
  /version|^(?:os|platform|runner|arch|goarch|goos|go|node|python|py|rust|toolchain|experimental)$/iu;
const VERSION = /^(?:v?\d+\.[\w.+*-]*|stable|oldstable|nightly|beta|lts.*|latest|current)$/iu;

/** Inputs of actions that name a version or a machine. */
const PLACE_INPUT = /version|toolchain|architecture|^(?:arch|target|channel|os|platform)$/iu;
/** Commands that bring a version of a runtime. */
const BRINGS_RUNTIME = /^.*\b(?:rustup|nvm|pyenv|volta|fnm|n|asdf|mise|corepack|sdk)\b.*$/gmu;

/** Axes that say on what a job runs. */
function placeAxes(job: Fields): ReadonlySet<string> {
  const steps = Array.isArray(job['steps']) ? (job['steps'] as unknown[]).map((step) => fieldsOf(step)) : [];
  return mentioned([
    ...[job['runs-on'], job['container'], job['continue-on-error'], job['timeout-minutes']],
    ...[fieldsOf(job['with'])]
      .concat(steps.map((step) => fieldsOf(step['with'])))
      .flatMap((given) =>
        Object.entries(given).flatMap(([name, value]) => (PLACE_INPUT.test(name) ? [value] : [])),
      ),
    ...steps.flatMap(({ run }) => (typeof run === 'string' ? (run.match(BRINGS_RUNTIME) ?? []) : [])),
    ...steps.map((step) => step['continue-on-error']),
  ]);
}

/** What a job does: names are for people, and files of reports and caches judge nothing. */
function withoutNames(job: Fields): unknown {
  const steps = Array.isArray(job['steps']) ? (job['steps'] as unknown[]).map((step) => fieldsOf(step)) : [];
  const used = steps.map(({ name: _, ...step }) =>
    /^(?:actions\/(?:cache|upload-artifact|download-artifact)|codecov\/)/u.test(plainText(step['uses']))
      ? { if: step['if'] }
      : step,
  );
  return { ...job, name: null, concurrency: null, strategy: null, steps: used };
}

/** Axes that a text of a workflow names. */
function mentioned(part: unknown): ReadonlySet<string> {
  const text = JSON.stringify(part);
  const found = text.matchAll(/\bmatrix(?:\.([\w-]+)|\[\s*'([^']+)'\s*\])/gu);
  return new Set([...found].map(([, plain, quoted]) => plain ?? quoted ?? ''));
}
