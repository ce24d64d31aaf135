/**
 * Whether the tests judged the tree, by what was loaded while they ran (gate.md part 12: what ran decides).
 *  V1. A module of the tree that was loaded from somewhere else, and is not a copy that set-up made of it, was not judged.
 *  V2. Where packages are laid in, something of the tree beyond its tests was loaded: else only a package can have been judged.
 * Example: `src/shop/__init__.py` is judged, the tests load `/usr/local/lib/…/shop/__init__.py`: INVALID, however green.
 */
import type { LoadedFile } from '../../schemas/runner-report.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { repositoryFinding } from './finding.ts';
import type { TreeModules } from './tree-modules.ts';

/** The tree, as far as its modules are looked up. */
export interface JudgedTree {
  readonly modules: TreeModules;
  readonly paths: ReadonlySet<string>;
  /** `sha256:` of a file's bytes; null where the tree has no such file. */
  readonly hashOf: (path: string) => string | null;
  /** Whether the plan lays packages into the room: only then there can be a copy. */
  readonly hasPackages: boolean;
}

/** What a run loaded, and whether it started programs of its own, whose modules nobody saw. */
interface LoadedRun {
  readonly files: readonly LoadedFile[];
  readonly children: boolean;
}

const NAMED_MAX = 5;
/** Only there can set-up put anything; whatever else is loaded is of the image or of its layer. */
const WRITABLE = /^\/(?:tmp|work)\//u;
const TEST_FILE =
  /(?:^|\/)(?:conftest\.py|test_[^/]*|[^/]*_test\.\w+|[^/]*[.-](?:test|spec)\.\w+|tests?\.\w+)$|(?:^|\/)(?:tests?|testing|__tests__|spec)\//iu;

/** V1. @param loaded undefined where the runner does not record it */
export function foreignFindings(
  step: string,
  loaded: LoadedRun | undefined,
  tree: JudgedTree,
): RepositoryFinding[] {
  const foreign = loaded?.files.filter((file) => isForeign(file, tree)) ?? [];
  return foreign.length === 0 ? [] : [foreignFinding(step, foreign)];
}

/** V2, of a run without any other finding. */
export function unjudgedFindings(
  step: string,
  loaded: LoadedRun | undefined,
  tree: JudgedTree,
): RepositoryFinding[] {
  if (loaded === undefined || loaded.files.length === 0 || !tree.hasPackages || loaded.children) return [];
  const own = loaded.files.some(({ path }) => isOfTree(path) && !TEST_FILE.test(path));
  return own ? [] : [unjudgedFinding(step)];
}

function isForeign({ name, path, hash }: LoadedFile, tree: JudgedTree): boolean {
  if (tree.paths.has(path) || name === '') return false;
  const own = tree.modules.fileOf(name);
  const isOutside = !isOfTree(path);
  if (own !== null) {
    const isCopy = hash !== null && `sha256:${hash}` === tree.hashOf(own);
    return !(isCopy && (!isOutside || WRITABLE.test(path)));
  }
  return isOutside && !WRITABLE.test(path) && tree.modules.hasPackageOf(name);
}

function isOfTree(path: string): boolean {
  return !path.startsWith('/');
}

function foreignFinding(step: string, foreign: readonly LoadedFile[]): RepositoryFinding {
  const [first] = foreign;
  const names = foreign.map(({ name }) => name);
  const more = names.length - NAMED_MAX;
  const shown = `${names.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  const text = `The tests of "${step}" judged a copy, not this tree: ${shown} came from "${first?.path ?? ''}"`;
  return repositoryFinding('foreign_module', 'L1', text, {
    step,
    nextStep:
      'Take that package out of environment.dependencies, and name the folder of the tree that holds the module under environment.python_path',
  });
}

function unjudgedFinding(step: string): RepositoryFinding {
  const text = `The tests of "${step}" loaded nothing of this tree but themselves: what they judged is in the packages of the plan`;
  return repositoryFinding('tree_not_judged', 'L1', text, {
    step,
    nextStep:
      'Have the tests load the code of this tree (environment.python_path says from where), and take its own package out of environment.dependencies',
  });
}
