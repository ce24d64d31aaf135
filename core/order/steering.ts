/** Files by which a tree has a say in how it is tested, or in what a checkout of it holds. */
import { matchesAnyGlob } from '../globs.ts';
import { canonicalJson } from '../text/canonical.ts';

/**
 * Steer runners, interpreters or git from inside the tree: with one of them a test run says what its writer likes, or a checkout
 * of the tree holds other bytes than those that were judged.
 */
const STEERING_FILES = [
  // Python
  ...['conftest.*', '*pytest.ini', '*pytest.toml', 'tox.ini', 'tox.toml', 'setup.cfg', 'noxfile.py'],
  ...['sitecustomize*', 'usercustomize*', '*.pth'],
  // Node
  ...[
    'jest.*',
    'vitest.*',
    'vite.config.*',
    'ava.config.*',
    'karma.conf.*',
    'babel.config.*',
    'node.config.*',
  ],
  ...[
    '.mocharc*',
    '.taprc*',
    '.nycrc*',
    '.c8rc*',
    '.babelrc*',
    '.swcrc*',
    '.npmrc',
    '.yarnrc*',
    '.pnp.*',
    '.env*',
  ],
  // Go, Rust
  ...['go.work', 'go.work.sum', 'nextest.toml'],
  // git
  ...['.gitattributes', '.gitmodules', '.lfsconfig'],
].map((name) => `**/${name}`);
/** The same as folders. */
const STEERING_FOLDERS = ['sitecustomize', 'usercustomize', '*.egg-info', '*.dist-info', '.cargo'].map(
  (name) => `**/${name}/**`,
);
/** Loaded in the place of a source, or beside it: nobody who reads the change sees what they do. */
const COMPILED = ['*.pyc', '*.pyo', '*.so', '*.pyd', '*.node', '*.syso', '*.dll', '*.dylib'].map(
  (name) => `**/${name}`,
);

/** Whether a path is compiled code, by its name. */
export function isCompiled(path: string): boolean {
  return matchesAnyGlob(COMPILED, path);
}

/** Whether a path steers, by its name. */
export function isSteeringFile(path: string): boolean {
  return matchesAnyGlob(STEERING_FILES, path) || matchesAnyGlob(STEERING_FOLDERS, path);
}

/** Python tools that tests are run by, or through. */
const PYTHON_TOOLS = ['pytest', 'coverage', 'tox', 'nox', 'hatch', 'pdm', 'tasks', 'poe', 'taskipy'];
const NODE_FIELDS = [
  'scripts',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'c8',
  'nyc',
  'tap',
  'babel',
  'imports',
  'wireit',
];

/**
 * The part of a project's file that steers a runner, as text; changed words of it are a change of the gate. It is read, not
 * searched: `[ tool."pytest".ini_options ]` is `[tool.pytest.ini_options]`. A file that cannot be read steers as a whole.
 */
export function steeringPart(path: string, text: string, readToml: (text: string) => unknown): string {
  const isPython = path.endsWith('pyproject.toml');
  try {
    const file = tableOf(isPython ? readToml(text) : JSON.parse(text === '' ? '{}' : text));
    if (!isPython) return canonicalJson(picked(file, NODE_FIELDS));
    const [tool, project] = [tableOf(file['tool'] ?? {}), tableOf(file['project'] ?? {})];
    const plugins = [project['entry-points'], tableOf(tool['poetry'] ?? {})['plugins']].map((each) =>
      picked(tableOf(each ?? {}), ['pytest11']),
    );
    return canonicalJson([picked(tool, PYTHON_TOOLS), plugins]);
  } catch {
    return text;
  }
}

function tableOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new RangeError('no table');
  return value as Record<string, unknown>;
}

/** These fields of a table; a field that is none is left out. */
function picked(table: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(table, name) ? [[name, asData(table[name])]] : [])),
  );
}

/** Dates of TOML as text. */
function asData(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}
