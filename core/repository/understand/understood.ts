/** What a repository's own settings came to, for the plan that `gate init` writes. */
import type { WantedPackages } from '../../ports/pins.ts';
import type { TestRunner } from '../../../schemas/verify-profile.ts';
import type { PlannedCheck } from './ci-checks.ts';
import type { ProjectTexts } from './project-texts.ts';
import { pythonProject } from './python-project.ts';
import { type Manifest, nodeProject } from './node-project.ts';

export type UnderstoodLanguage = 'python' | 'node' | 'go' | 'rust';

/** A runner by its name, or a command with what in its output shows that tests ran. */
export type TestStart =
  | { readonly runner: TestRunner }
  | { readonly run: readonly string[]; readonly proof: 'go_json' | 'libtest' };

export interface PlannedTest {
  readonly language: UnderstoodLanguage;
  readonly name: string;
  readonly start: TestStart;
  readonly paths: readonly string[];
  readonly args: readonly string[];
  /** As seen when the plan was tried; null: never tried. */
  readonly minTests: number | null;
  readonly maxSkipped: number;
  readonly timeoutSeconds: number | null;
}

export interface Understood {
  readonly tests: readonly PlannedTest[];
  readonly pythonPath: readonly string[] | null;
  readonly debian: readonly string[];
  /** Memory of a command; null: what a plan gives that says nothing. */
  readonly memoryMb: number | null;
  readonly setup: readonly { readonly name: string; readonly run: string }[];
  /** What CI runs beside the tests. */
  readonly checks: readonly PlannedCheck[];
  /** What a command may write; null: what a plan gives that says nothing. */
  readonly diskMb: number | null;
  /** What was not understood, each with the next step. */
  readonly notes: readonly string[];
}

/** The packages that tests are said to need, in ranges, and those that are declared for anything else. */
export interface UnderstoodProject extends Understood {
  readonly wanted: WantedPackages;
  /** Python requirements by the name of the package. */
  readonly others: ReadonlyMap<string, string>;
  /** What building the project's parts in C needs; null where there is nothing to build, or nobody knows how. */
  readonly build: readonly string[] | null;
  /** Names that no plan may lay in: the repository's own. */
  readonly ownNames: { readonly python: string | null; readonly node: string | null };
}

/** Files that pin modules and crates, anywhere in the tree, by path. */
export interface LockedTexts {
  locked(isWanted: (path: string) => boolean): ReadonlyMap<string, string>;
}

export const GO_FILE = /(?:^|\/)go\.(?:mod|sum|work)$/u;
/** Sources come without their text: where one lies tells of a crate's parts. */
export const RUST_FILE = /(?:^|\/)Cargo\.(?:toml|lock)$|\.rs$/u;

/** Compilers take long, and their tests are found by themselves. */
const COMPILED_SECONDS = 300;
/** They write what they compile, a program for each package of tests; it lies in memory, and counts there, too. */
const COMPILED_DISK_MB = 2048;
const COMPILED_MEMORY_MB = 4096;
const compiled = { paths: [], args: [], minTests: null, maxSkipped: 0, timeoutSeconds: COMPILED_SECONDS };
const COMPILED: readonly PlannedTest[] = [
  {
    ...{ language: 'go', name: 'go tests', ...compiled },
    start: { run: ['go', 'test', '-json', './...'], proof: 'go_json' },
  },
  {
    ...{ language: 'rust', name: 'rust tests', ...compiled },
    start: { run: ['cargo', 'test', '--offline'], proof: 'libtest' },
  },
];

/** What the files of these languages say. */
export function understandProject(
  languages: readonly UnderstoodLanguage[],
  files: ProjectTexts & LockedTexts,
  manifest: (Manifest & { readonly name: string | null }) | null,
): UnderstoodProject {
  const python = languages.includes('python') ? pythonProject(files) : null;
  const node = languages.includes('node') && manifest !== null ? nodeProject(manifest, files.paths) : null;
  const isCompiled = languages.some((each) => each === 'go' || each === 'rust');
  return {
    tests: [
      ...(python === null ? [] : [pythonTests(files.paths)]),
      ...(node?.tests ?? []).map((test) => planned('node', test.runner, test.paths, test.args)),
      ...COMPILED.filter((each) => languages.includes(each.language)),
    ],
    pythonPath: python?.pythonPath ?? null,
    debian: [],
    memoryMb: isCompiled ? COMPILED_MEMORY_MB : null,
    diskMb: isCompiled ? COMPILED_DISK_MB : null,
    checks: [],
    setup: python?.setup ?? [],
    notes: [...(python?.notes ?? []), ...(node?.notes ?? [])],
    wanted: {
      python: python?.wanted.map((each) => each.text) ?? [],
      node: node?.wanted ?? {},
      go: languages.includes('go') ? files.locked((path) => GO_FILE.test(path)) : new Map(),
      rust: languages.includes('rust') ? files.locked((path) => RUST_FILE.test(path)) : new Map(),
    },
    others: new Map(python?.others.map((each) => [each.name, each.text])),
    build: python?.build ?? null,
    ownNames: { python: python?.name ?? null, node: manifest?.name ?? null },
  };
}

/** Files that pytest would not look into by their names are named one by one, where no other has tests. */
function pythonTests(paths: readonly string[]): PlannedTest {
  const isUsual = paths.some((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/u.test(path));
  const odd = paths.filter((path) => /(?:^|\/)(?:tests?|[^/]*_tests?|tests?_[^/]*)\.py$/u.test(path));
  return planned('python', 'pytest', isUsual ? [] : odd, []);
}

function planned(
  language: UnderstoodLanguage,
  runner: TestRunner,
  paths: readonly string[],
  args: readonly string[],
): PlannedTest {
  const shown = { pytest: 'python', node_test: 'node' }[runner as string] ?? runner;
  const name = `${shown} tests`;
  return {
    language,
    name,
    start: { runner },
    paths,
    args,
    minTests: null,
    maxSkipped: 0,
    timeoutSeconds: null,
  };
}
