/**
 * Who may write a path (gate.md part 1).
 *
 * O1. A node owns what its `files` match; its suite is what its `tests` match; no path belongs to two.
 * O2. Nobody owns the scaffold: it is written at seed and changed by a person only.
 * O3. A `conftest.py` is allowed in a node's own tests and nowhere else.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { foldPath, matchesAnyGlob } from '../globs.ts';

type Owned = Pick<ResolvedContract, 'files' | 'tests'>;

export interface Owner {
  readonly nodeId: string;
  readonly part: 'files' | 'tests';
}

/** Files that every project has only at its root. */
const ROOT_SCAFFOLD = new Set(
  [
    'conftest.py',
    'pytest.ini',
    'tox.ini',
    'setup.cfg',
    'setup.py',
    'pyproject.toml',
    'poetry.lock',
    'uv.lock',
    'package.json',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'tsconfig.json',
    'jsconfig.json',
    'go.mod',
    'go.sum',
    'go.work',
    'cargo.toml',
    'cargo.lock',
    'build.rs',
    'verify.yaml',
  ].map(foldPath),
);
/** Files and folders that steer a runner or git from wherever they lie. */
const ANYWHERE = new Set(
  [
    'sitecustomize.py',
    'usercustomize.py',
    'node_modules',
    '.a7',
    '.npmrc',
    '.env',
    'package.json',
    'pytest.ini',
    '.pytest.ini',
  ].map(foldPath),
);

/** True for paths that no node may own, whatever its globs say (O2). */
export function isScaffold(path: string): boolean {
  const folded = foldPath(path);
  const parts = folded.split('/');
  if (ROOT_SCAFFOLD.has(folded) || parts.some((part) => ANYWHERE.has(part))) return true;
  if (parts.some((part) => part.startsWith('.GIT'))) return true;
  const name = parts.at(-1) ?? '';
  return name.endsWith('.PTH') || (parts.length === 1 && /^REQUIREMENTS.*\.TXT$/.test(name));
}

/** True if the path is one of the node's product files. */
export function matchesOwn(contract: Owned, path: string): boolean {
  if (isScaffold(path) || isConftest(path)) return false;
  return matchesAnyGlob(contract.files, path) && !matchesAnyGlob(testsOf(contract), path);
}

/** True if the path belongs to the node's suite, helpers included. */
export function matchesTests(contract: Owned, path: string): boolean {
  return !isScaffold(path) && matchesAnyGlob(testsOf(contract), path);
}

/** Globs of the node's suite; empty for `tests: none`. */
export function testsOf(contract: Owned): readonly string[] {
  return contract.tests === 'none' ? [] : contract.tests;
}

/** The node that owns a path and in which part, or null for scaffold and for paths of nobody. */
export function ownerOf(contracts: readonly ResolvedContract[], path: string): Owner | null {
  for (const contract of contracts) {
    if (matchesOwn(contract, path)) return { nodeId: contract.id, part: 'files' };
    if (matchesTests(contract, path)) return { nodeId: contract.id, part: 'tests' };
  }
  return null;
}

/** True for a file that a runner takes tests from; other files of a suite are helpers (gate.md part 2). */
export function isTestFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^test_.*\.py$|_test\.py$|\.(test|spec)\.[cm]?[jt]sx?$|_test\.go$/.test(name);
}

function isConftest(path: string): boolean {
  return foldPath(path.slice(path.lastIndexOf('/') + 1)) === foldPath('conftest.py');
}
