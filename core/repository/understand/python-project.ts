/**
 * What a Python project says of its own tests: which packages they need, and from which folders it is imported. Only plain
 * declarations are read; whatever computes (a `setup.py` with code, a session with branches) is said, not guessed.
 * Example: `[project.optional-dependencies] test = ["hypothesis>=6"]` gives `hypothesis>=6`.
 */
import { iniLines, readIni } from './ini.ts';
import { type Fields, fieldsOf, listOf, textOf } from './plain.ts';
import { readPyproject } from './pyproject.ts';
import { normalName, readRequirement, type Requirement } from './requirement.ts';
import { pluginsOf } from './pytest-settings.ts';
import { Groups } from './requirement-groups.ts';
import type { ProjectTexts } from './project-texts.ts';
import { versionFileStep } from './version-file.ts';

export interface PythonProject {
  /** Its own name, in normal spelling; null where nothing says it. */
  readonly name: string | null;
  /** What the tests are said to need. */
  readonly wanted: readonly Requirement[];
  /** Declared for anything else (documents, linters): used where a test turns out to import one. */
  readonly others: readonly Requirement[];
  /** Folders to import from; null: by convention. */
  readonly pythonPath: readonly string[] | null;
  readonly notes: readonly string[];
  /** What has to be made before its tests can load it. */
  readonly setup: readonly { readonly name: string; readonly run: string }[];
  /** What building its parts in C needs; null where it has none, or is not built by setuptools. */
  readonly build: readonly string[] | null;
}

const REQUIREMENT_FILE =
  /^(?:(?:.*[-_./])?requirements(?:[-_./].*)?\.(?:txt|in)|requirements\/[^/]+\.(?:txt|in))$/u;

/** The clean room is the environment. */
const MAKES_ENVIRONMENTS = new Set(['tox', 'nox', 'virtualenv', 'hatch', 'poetry', 'pdm', 'uv']);

/** Plugins whose mere presence adds items to each run that build the package with a network, and test nothing of it. */
const ASKS_NETWORK = new Set(['pytest-checkdocs', 'pytest-check-links']);

/** What the project says. */
export function pythonProject(files: ProjectTexts): PythonProject {
  const pyproject = files.toml('pyproject.toml') ?? {};
  const config = readIni(files.text('setup.cfg') ?? '');
  const tox = readIni(files.text('tox.ini') ?? '');
  const setup = files.text('setup.py') ?? '';
  const groups = new Groups();
  readPyproject(pyproject, groups);
  readConfig(config, groups);
  readSetup(setup, groups);
  for (const [section, values] of tox)
    if (/^testenv(?::(?:py|test|unit).*)?$/u.test(section)) readToxEnvironment(values, groups);
  readNox(files.text('noxfile.py') ?? '', groups);
  readRequirementFiles(files, groups);
  const name = nameOf(pyproject, config.get('metadata')?.get('name'), setup, files.text('PKG-INFO'));
  const isOwn = ({ name: each }: Requirement): boolean => name !== null && each === name;
  for (const plugin of pluginsOf(pyproject, files)) groups.add('run', [plugin]);
  const chosen = groups.chosen().filter((each) => !isOwn(each) && !MAKES_ENVIRONMENTS.has(each.name));
  const tests = chosen.filter((each) => !ASKS_NETWORK.has(each.name));
  const known = new Set(tests.map((each) => each.name));
  return {
    name,
    wanted: unique(tests),
    others: unique(
      groups.all().filter(({ name: each }) => each !== name && !known.has(each) && !ASKS_NETWORK.has(each)),
    ),
    pythonPath: pythonPathOf(pyproject, config.get('options'), setup),
    notes: [
      ...notesOf(files, pyproject, setup),
      ...chosen
        .filter((each) => ASKS_NETWORK.has(each.name))
        .map(({ name: plugin }) => `${plugin} adds checks to pytest that ask a network: it is left out`),
    ],
    setup: [versionFileStep(pyproject, setup, files) ?? []].flat(),
    build: buildOf(pyproject, setup),
  };
}

function readConfig(config: ReturnType<typeof readIni>, groups: Groups): void {
  const options = config.get('options');
  groups.add('run', iniLines(options?.get('install_requires')));
  groups.add('test', iniLines(options?.get('tests_require')));
  for (const [name, value] of config.get('options.extras_require') ?? [])
    groups.add(normalName(name), iniLines(value));
}

/** Lists of plain texts in a call of `setup()`. */
function readSetup(text: string, groups: Groups): void {
  const lists: readonly (readonly [string, string])[] = [
    ['install_requires', 'run'],
    ['tests_require', 'test'],
  ];
  for (const [name, group] of lists) {
    const body = new RegExp(`\\b${name}\\s*=\\s*\\[([^\\]]*)\\]`, 'u').exec(text)?.[1];
    if (body !== undefined) groups.add(group, textsIn(body));
  }
  const extras = /\bextras_require\s*=\s*\{([^}]*)\}/u.exec(text)?.[1] ?? '';
  for (const [, name = '', body = ''] of extras.matchAll(/['"]([\w.-]+)['"]\s*:\s*\[([^\]]*)\]/gu))
    groups.add(normalName(name), textsIn(body));
}

function textsIn(body: string): string[] {
  return [...body.matchAll(/(['"])((?:(?!\1).)*)\1/gu)].map(([, , text = '']) => text);
}

function readToxEnvironment(values: ReadonlyMap<string, string>, groups: Groups): void {
  const lines = iniLines(values.get('deps')).map((line) => line.replace(/^[\w{},.!-]+:\s+/u, ''));
  groups.add(
    'test',
    lines.filter((line) => !line.startsWith('-')),
  );
  for (const name of ['extras', 'dependency_groups'])
    for (const extra of iniLines(values.get(name)).flatMap((line) => line.split(',')))
      groups.ask(normalName(extra.trim()));
}

/** `session.install("pytest", "hypothesis")`, in sessions whose name tells of tests. */
function readNox(text: string, groups: Groups): void {
  for (const session of text.split(/^@nox\.session/mu).slice(1)) {
    if (!/def\s+\w*test\w*\s*\(/u.test(session)) continue;
    for (const [, body = ''] of session.matchAll(/session\.install\(([^)]*)\)/gu))
      for (const line of textsIn(body)) {
        const extras = /^\.\[([^\]]+)\]/u.exec(line)?.[1];
        for (const extra of extras?.split(',') ?? []) groups.ask(normalName(extra.trim()));
        groups.add('test', [line]);
      }
  }
}

function readRequirementFiles(files: ProjectTexts, groups: Groups): void {
  for (const path of files.paths.filter(
    (each) => REQUIREMENT_FILE.test(each) && each.split('/').length <= 2,
  )) {
    const bare = path.replace(/\.(?:txt|in)$/u, '');
    // A list that is made of another one pins it: `test.txt` says what the tests were last green with.
    if (path.endsWith('.in') && files.paths.includes(`${bare}.txt`)) continue;
    const words = bare.toLowerCase().split(/[-_./]/u);
    const group = words.some((word) => /^tests?(?:ing)?\d*$/u.test(word))
      ? 'test'
      : words.some((word) => /^dev(?:el|elop|elopment)?$/u.test(word))
        ? 'dev'
        : path === 'requirements.txt'
          ? 'run'
          : 'other';
    groups.add(group, requirementLines(path, files, new Set()));
  }
}

function requirementLines(path: string, files: ProjectTexts, seen: ReadonlySet<string>): string[] {
  if (seen.has(path)) return [];
  const lines = (files.text(path) ?? '').replaceAll(/\\\r?\n/gu, ' ').split('\n');
  return lines.flatMap((line) => {
    const plain = line.replace(/\s--hash=\S+/gu, '').trim();
    const other = /^(?:-r|--requirement)[\s=]+(\S+)/u.exec(plain)?.[1];
    if (other === undefined) return [plain];
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
    return requirementLines(`${folder}${other}`, files, new Set([...seen, path]));
  });
}

function pythonPathOf(
  pyproject: Fields,
  options: ReadonlyMap<string, string> | undefined,
  setup: string,
): string[] | null {
  const tool = fieldsOf(pyproject['tool']);
  const setuptools = fieldsOf(tool['setuptools']);
  const where = listOf(fieldsOf(fieldsOf(setuptools['packages'])['find'])['where']);
  const folders = [
    ...where,
    fieldsOf(setuptools['package-dir'])[''],
    ...listOf(fieldsOf(tool['poetry'])['packages']).map((each) => fieldsOf(each)['from']),
    /^\s*=\s*(\S+)$/mu.exec(options?.get('package_dir') ?? '')?.[1],
    /\bpackage_dir\s*=\s*\{\s*(?:''|"")\s*:\s*['"]([^'"]+)['"]/u.exec(setup)?.[1],
  ].filter((each) => typeof each === 'string');
  const plain = [...new Set(folders)].filter((each) => /^[\w][\w./-]*$/u.test(each) && !each.includes('..'));
  return plain.length === 0 ? null : plain;
}

function nameOf(
  pyproject: Fields,
  config: string | undefined,
  setup: string,
  info: string | null,
): string | null {
  const poetry = fieldsOf(fieldsOf(pyproject['tool'])['poetry']);
  const name =
    textOf(fieldsOf(pyproject['project'])['name']) ??
    textOf(poetry['name']) ??
    config ??
    /^Name:\s*(\S+)/mu.exec(info ?? '')?.[1] ??
    /\bname\s*=\s*['"]([^'"]+)['"]/u.exec(setup)?.[1];
  return name === undefined ? null : normalName(name);
}

/** How the note of it begins. */
export const UNBUILT = 'parts in C, Cython or Rust';
const EXTENSION = /ext_modules|Extension\(|cythonize/u;

function backendOf(pyproject: Fields): string {
  return textOf(fieldsOf(pyproject['build-system'])['build-backend']) ?? '';
}

function buildOf(pyproject: Fields, setup: string): string[] | null {
  if (!EXTENSION.test(setup) || !/^(?:setuptools\..*)?$/u.test(backendOf(pyproject))) return null;
  const listed = listOf(fieldsOf(pyproject['build-system'])['requires']).filter(
    (each) => typeof each === 'string',
  );
  const read = listed.flatMap((line) => readRequirement(line)?.text ?? []);
  return read.some((each) => each.startsWith('setuptools')) ? read : ['setuptools', ...read];
}

function notesOf(files: ProjectTexts, pyproject: Fields, setup: string): string[] {
  const isCompiled = EXTENSION.test(setup) || /maturin|scikit_build|mesonpy/u.test(backendOf(pyproject));
  return [
    ...(isCompiled
      ? [
          `${UNBUILT} are not built: name a compiler under environment.dependencies.debian (gcc, python3-dev) and a step under environment.setup, for example "python3 setup.py build_ext --inplace"`,
        ]
      : []),
    ...(/install_requires\s*=\s*[^[\s]/u.test(setup) && files.text('setup.cfg') === null
      ? [
          'setup.py computes its requirements: they are not read; add them under environment.dependencies.python',
        ]
      : []),
  ];
}

function unique(list: readonly Requirement[]): Requirement[] {
  const seen = new Map<string, Requirement>();
  for (const each of list) {
    const before = seen.get(each.name);
    // The one that says more: a bare name adds nothing.
    if (before === undefined || before.text.length < each.text.length) seen.set(each.name, each);
  }
  return [...seen.values()];
}
