/**
 * Paths that no node may own, whatever its globs say, because they steer a runner, an import, a package manager or git:
 * the harness writes them at seed, and only a person changes them (gate.md part 1). Contracts are refused for naming one,
 * and the gate refuses work that touches one.
 */
import { foldPath } from '../globs.ts';

/** Files that steer only from the root. */
const AT_ROOT = folded(
  ['poetry.lock', 'uv.lock', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'jsconfig.json'],
  ['go.mod', 'go.sum', 'go.work', 'cargo.toml', 'cargo.lock', 'build.rs', 'conftest.py', 'verify.yaml'],
);
/** Files and folders that steer from wherever they lie. */
const ANYWHERE = folded(
  ['sitecustomize.py', 'usercustomize.py', 'setup.py', 'setup.cfg', 'pyproject.toml', 'tox.ini'],
  ['pytest.ini', '.pytest.ini', 'noxfile.py', '.coveragerc'],
  ['package.json', 'package-lock.json', 'tsconfig.json', 'node_modules', '.npmrc', '.env', '.a7'],
);

/** True for a path that no node may own. A `conftest.py` below the root is no such path: see `isConftest`. */
export function isReservedPath(path: string): boolean {
  const whole = foldPath(path);
  const parts = whole.split('/');
  if (AT_ROOT.has(whole) || parts.some((part) => ANYWHERE.has(part) || part.startsWith('.GIT'))) return true;
  const name = parts.at(-1) ?? '';
  return name.endsWith('.PTH') || /^REQUIREMENTS.*\.TXT$/.test(name);
}

/** True for fixtures of pytest: a test author may write them in its own suite, a builder nowhere. */
export function isConftest(path: string): boolean {
  return foldPath(path.slice(path.lastIndexOf('/') + 1)) === foldPath('conftest.py');
}

function folded(...names: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set(names.flat().map(foldPath));
}
