/** The files that the harness itself writes at seed: what makes the nodes' modules importable, and nothing else. */
import type { Project, ResolvedContract } from '../../schemas/contract.ts';
import { matchesAnyGlob } from '../globs.ts';
import { ROOT_CONFTEST } from './scaffold-conftest.ts';

export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

const PYTHON_IGNORES = '__pycache__/\n*.pyc\n.pytest_cache/\n';
const NODE_IGNORES = 'node_modules/\n';
/** For people who run the suites by hand, as `conftest.py`; the gate brings its own settings. */
function pytestIni({ source_root: root }: Project): string {
  const places = root === undefined ? '.' : `${root} .`;
  return `[pytest]\npythonpath = ${places}\ntestpaths = tests\naddopts = --import-mode=importlib\n`;
}

/**
 * Scaffold of a project, sorted by path. The same contracts give the same bytes. A project that began as a repository has
 * settings of its own: it is given no more than the packages that its new nodes lie in.
 */
export function scaffoldFiles(project: Project, contracts: readonly ResolvedContract[]): ScaffoldFile[] {
  const files = languageFiles(project, contracts);
  const isGiven = ({ path }: ScaffoldFile): boolean =>
    project.scaffold === undefined || path.endsWith('/__init__.py');
  return files.filter(isGiven).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function languageFiles(project: Project, contracts: readonly ResolvedContract[]): ScaffoldFile[] {
  const pins = allRequires(project, contracts);
  switch (project.language) {
    case 'python':
      return [
        { path: '.gitignore', text: PYTHON_IGNORES },
        { path: 'conftest.py', text: ROOT_CONFTEST },
        { path: 'pytest.ini', text: pytestIni(project) },
        ...(pins.length > 0 ? [{ path: 'requirements.txt', text: `${pins.join('\n')}\n` }] : []),
        ...packageFolders(contracts).map((folder) => ({ path: `${folder}/__init__.py`, text: '' })),
      ];
    case 'javascript':
    case 'typescript':
      return [
        { path: '.gitignore', text: NODE_IGNORES },
        { path: 'package.json', text: packageJson(project, pins) },
      ];
    case 'go':
      return [{ path: 'go.mod', text: 'module project\n\ngo 1.22\n' }];
    case 'rust':
      return [
        { path: 'Cargo.toml', text: '[package]\nname = "project"\nversion = "0.1.0"\nedition = "2021"\n' },
      ];
  }
}

/** Exact pins of the project and of all nodes, once each, sorted. */
export function allRequires(project: Project, contracts: readonly ResolvedContract[]): string[] {
  const pins = [...project.requires, ...contracts.flatMap((contract) => contract.requires)];
  return [...new Set(pins)].sort();
}

/** Folders above the modules that no node owns the `__init__.py` of: those are shared, so they stay empty. */
function packageFolders(contracts: readonly ResolvedContract[]): string[] {
  const folders = new Set(contracts.flatMap((contract) => ancestors(contract.contentFile)));
  const [first] = contracts;
  return [...folders].filter((folder) => {
    // A package of that name would have its modules imported as `src.shop`.
    if (folder === first?.sourceRoot) return false;
    const path = `${folder}/__init__.py`;
    return !contracts.some((contract) => matchesAnyGlob(contract.files, path));
  });
}

/** `a`, `a/b` of `a/b/c.py`. */
function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function packageJson(project: Project, pins: readonly string[]): string {
  const dependencies = Object.fromEntries(
    pins.map((pin) => [pin.slice(0, pin.lastIndexOf('@')), pin.slice(pin.lastIndexOf('@') + 1)]),
  );
  const content = {
    name: packageName(project.name),
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { test: 'node --test' },
    ...(pins.length > 0 ? { dependencies } : {}),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function packageName(name: string): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '');
  return word === '' ? 'project' : word;
}
