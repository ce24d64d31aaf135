/** What a repository's own settings came to, for the plan that `gate init` writes. */
import type { TestRunner } from '../../../schemas/verify-profile.ts';
import type { ProjectTexts } from './python-project.ts';
import { pythonProject } from './python-project.ts';
import { type Manifest, nodeProject } from './node-project.ts';

export type UnderstoodLanguage = 'python' | 'node' | 'go' | 'rust';

export interface PlannedTest {
  readonly language: UnderstoodLanguage;
  readonly name: string;
  readonly runner: TestRunner;
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
  /** What was not understood, each with the next step. */
  readonly notes: readonly string[];
}

/** The packages that tests are said to need, in ranges, and those that are declared for anything else. */
export interface UnderstoodProject extends Understood {
  readonly wanted: { readonly python: readonly string[]; readonly node: Readonly<Record<string, string>> };
  /** Python requirements by the name of the package. */
  readonly others: ReadonlyMap<string, string>;
  /** Names that no plan may lay in: the repository's own. */
  readonly ownNames: { readonly python: string | null; readonly node: string | null };
}

/** What the files of these languages say. */
export function understandProject(
  languages: readonly UnderstoodLanguage[],
  files: ProjectTexts,
  manifest: (Manifest & { readonly name: string | null }) | null,
): UnderstoodProject {
  const python = languages.includes('python') ? pythonProject(files) : null;
  const node = languages.includes('node') && manifest !== null ? nodeProject(manifest, files.paths) : null;
  return {
    tests: [
      ...(python === null ? [] : [pythonTests(files.paths)]),
      ...(node?.tests ?? []).map((test) => planned('node', test.runner, test.paths, test.args)),
    ],
    pythonPath: python?.pythonPath ?? null,
    debian: [],
    memoryMb: null,
    setup: [],
    notes: [...(python?.notes ?? []), ...(node?.notes ?? [])],
    wanted: { python: python?.wanted.map((each) => each.text) ?? [], node: node?.wanted ?? {} },
    others: new Map(python?.others.map((each) => [each.name, each.text])),
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
  return { language, name, runner, paths, args, minTests: null, maxSkipped: 0, timeoutSeconds: null };
}
