/** What a repository's own files say of its tests: pure readings, for the plan that `gate init` writes. */
import { describe, expect, test } from '@jest/globals';
import { readToml } from '../../adapters/system/toml.ts';
import { withNextSteps } from '../../core/repository/next-steps.ts';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { defaultFileSteps } from '../../core/repository/resolve-defaults.ts';
import { iniLines, readIni } from '../../core/repository/understand/ini.ts';
import { type Manifest, nodeProject } from '../../core/repository/understand/node-project.ts';
import { pythonProject, type PythonProject } from '../../core/repository/understand/python-project.ts';
import { readRequirement } from '../../core/repository/understand/requirement.ts';
import { roomier } from '../../core/repository/understand/roomier.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { pinnedRunner, scriptTests } from '../../core/repository/understand/script-tests.ts';
import { understandProject } from '../../core/repository/understand/understood.ts';
import { RepositoryFindingCode } from '../../schemas/repository-report.ts';

function python(files: Readonly<Record<string, string>>): PythonProject {
  const text = (path: string): string | null => files[path] ?? null;
  return pythonProject({ text, toml: (path) => readToml(text(path) ?? ''), paths: Object.keys(files) });
}

function wanted(files: Readonly<Record<string, string>>): string[] {
  return python(files).wanted.map((each) => each.text);
}

function manifest(fields: Partial<Manifest>): Manifest {
  const none = { scripts: {}, dependencies: {}, devDependencies: {} };
  return { ...none, optionalDependencies: {}, peerDependencies: {}, ...fields };
}

function runs(test: string, files: readonly string[] = [], scripts: Manifest['scripts'] = {}): unknown[] {
  const { tests } = nodeProject(manifest({ scripts: { test, ...scripts } }), files);
  return tests.map(({ runner, paths, args }) => [runner, ...args, ...paths]);
}

describe('a version file that a build writes', () => {
  const shop = { 'src/shop/__init__.py': 'from ._version import version' };
  const scm = (fields: string): string => `[tool.setuptools_scm]\n${fields}`;
  test.each<[string, Readonly<Record<string, string>>, string | null]>([
    ['setuptools_scm', { 'pyproject.toml': scm('version_file = "src/shop/_version.py"') }, '0.0.0'],
    [
      'hatch-vcs, with the version of an archive',
      {
        'pyproject.toml': '[tool.hatch]\nbuild.hooks.vcs.version-file = "src/shop/_version.py"',
        'PKG-INFO': 'Name: shop\nVersion: 1.2.post3\n',
      },
      "'__version_tuple__ = version_tuple = (1, 2,)'",
    ],
    [
      'with a text of its own',
      { 'pyproject.toml': scm('write_to = "src/shop/_version.py"\nwrite_to_template = "v = {version}"') },
      "'v = 0.0.0'",
    ],
    [
      'setup.py',
      { 'setup.py': "setup(use_scm_version={'write_to': 'src/shop/_version.py'})" },
      'src/shop/_v',
    ],
    [
      'which lies in the tree',
      { 'pyproject.toml': scm('version_file = "src/shop/_version.py"'), 'src/shop/_version.py': '' },
      null,
    ],
    ['out of the tree', { 'pyproject.toml': scm('version_file = "../shop/_version.py"') }, null],
  ])('%s', (_name, files, says) => {
    const { setup } = python({ ...shop, ...files });
    expect(setup).toEqual(
      says === null ? [] : [{ name: 'version file', run: expect.stringContaining(says) }],
    );
  });
});

describe('readIni()', () => {
  test('joins what is indented, and leaves comments alone', () => {
    const text = '[a]\nx = 1\n; no\ny:\n  2\n  3  # three\n# no\n[b c]\nx=4\n[a]\nz = 5\nstray\n';
    const read = readIni(text);
    expect([...(read.get('a') ?? [])]).toEqual([
      ['x', '1'],
      ['y', '\n2\n3  # three'],
      ['z', '5'],
    ]);
    expect(iniLines(read.get('a')?.get('y'))).toEqual(['2', '3']);
    expect(read.get('b c')?.get('x')).toBe('4');
  });
});

describe('readRequirement()', () => {
  test.each([
    ['Foo_Bar[x, y] >= 1.2, <2  # why', 'Foo_Bar[x,y]>=1.2,<2'],
    ['foo (>=1)', 'foo>=1'],
    ['foo; python_version < "3.12"', 'foo'],
    ['foo; python_version < "3.8"', null],
    ['foo; sys_platform == "win32" or python_version >= "3"', 'foo'],
    ['foo; extra == "docs"', null],
    ['foo; implementation_name != "pypy"', 'foo'],
    ['-r other.txt', null],
    ['./local', null],
    ['git+https://example.com/x', null],
    ['foo @ https://example.com/x', null],
    ['', null],
  ])('%j is %j', (line, expected) => {
    expect(readRequirement(line)?.text ?? null).toBe(expected);
  });
});

describe('pythonProject()', () => {
  test('leaves out plugins whose own checks ask a network, and says so', () => {
    const text =
      '[project]\nname = "x"\n[project.optional-dependencies]\ntest = ["pytest-checkdocs", "hypothesis"]\n';
    const { wanted, others, notes } = python({ 'pyproject.toml': text });
    expect([wanted.map((each) => each.name), others]).toEqual([['hypothesis'], []]);
    expect(notes).toEqual([expect.stringContaining('pytest-checkdocs')]);
  });

  test('takes what tests are said to need, and keeps the rest for what turns out to be missing', () => {
    const read = python({
      'pyproject.toml': `
[project]
name = "My.Shop"
dependencies = ["attrs"]
[project.optional-dependencies]
tests = ["hypothesis>=6", "my-shop[extra]"]
extra = ["pyyaml"]
docs = ["sphinx"]
[dependency-groups]
test = [{ include-group = "base" }, "freezegun"]
base = ["pytz"]
[tool.setuptools.package-dir]
"" = "python"
`,
    });
    expect(read.name).toBe('my-shop');
    expect(read.wanted.map((each) => each.name).toSorted()).toEqual(
      ['attrs', 'freezegun', 'hypothesis', 'pytz', 'pyyaml'].toSorted(),
    );
    expect(read.others.map((each) => each.name)).toEqual(['sphinx']);
    expect(read.pythonPath).toEqual(['python']);
  });

  test.each<[string, Readonly<Record<string, string>>, string[]]>([
    [
      'poetry',
      {
        'pyproject.toml':
          '[tool.poetry.dependencies]\npython = "^3.9"\na = "^1.2"\nb = "*"\n[tool.poetry.group.dev.dependencies]\nc = {version = "2.0", extras = ["x"]}\n',
      },
      ['a>=1.2,<2', 'b', 'c[x]==2.0'],
    ],
    [
      'tox and its extras',
      {
        'tox.ini': '[testenv]\ndeps =\n  py311: mock\n  tox\nextras = speed\n',
        'setup.cfg': '[options.extras_require]\nspeed =\n  ujson\n',
      },
      ['mock', 'ujson'],
    ],
    [
      'nox',
      {
        'noxfile.py':
          '@nox.session\ndef tests(session):\n    session.install(".[fast]", "mock")\n\n@nox.session\ndef lint(session):\n    session.install("flake8")\n',
        'pyproject.toml': '[project.optional-dependencies]\nfast = ["orjson"]\n',
      },
      ['orjson', 'mock'],
    ],
    [
      'setup.py',
      {
        'setup.py':
          'setup(name="x", install_requires=["six"], extras_require={"test": ["mock"], "doc": ["sphinx"]})\n',
      },
      ['six', 'mock'],
    ],
    [
      'requirements files',
      {
        'requirements/test.txt': '-r base.txt\nmock==5 --hash=sha256:00\n',
        'requirements/base.txt': 'six\n',
      },
      ['six', 'mock==5'],
    ],
    [
      'settings of pytest alone',
      {
        'pytest.ini':
          '[pytest]\naddopts = -v --cov=shop -n auto\nasyncio_mode = auto\nrequired_plugins = pytest-mock>=3\n',
      },
      ['pytest-cov', 'pytest-xdist', 'pytest-asyncio', 'pytest-mock>=3'],
    ],
  ])('reads %s', (_, files, expected) => {
    expect(wanted(files).toSorted()).toEqual(expected.toSorted());
  });

  test('says what computes', () => {
    const setup = 'setup(ext_modules=[x], install_requires=read("r.txt"))\n';
    const { notes, build } = python({ 'setup.py': setup });
    const table = (backend: string): string =>
      `[build-system]\nrequires = ["cython>=3", "setuptools>=61"]\nbuild-backend = "${backend}"\n`;
    expect([
      build,
      python({ 'setup.py': setup, 'pyproject.toml': table('setuptools.build_meta') }).build,
      python({ 'setup.py': setup, 'pyproject.toml': table('maturin') }).build,
      python({ 'setup.py': 'setup(name="x")\n' }).build,
    ]).toEqual([['setuptools'], ['cython>=3', 'setuptools>=61'], null, null]);
    expect(notes.map((note) => note.slice(0, 22))).toEqual([
      'parts in C, Cython or ',
      'setup.py computes its ',
    ]);
  });
});

describe('nodeProject()', () => {
  test.each<[string, unknown[]]>([
    ['nyc mocha -r esm --reporter dot "test/*.js"', [['mocha', '-r', 'esm', 'test/*.js']]],
    ['npm run lint && npm run unit', [['jest', '--config', 'j.json']]],
    ['c8 --100 node --import tsx --test', [['node_test', '--import', 'tsx']]],
    ['vitest run --coverage', [['vitest']]],
    ['ava', [['ava']]],
    ['cross-env CI=1 tape -r ./setup test/*.js', [['tape', '-r', './setup', 'test/*.js']]],
    ['set -e; for t in test/*.js; do node $t; done', [['tap', 'test/*.js']]],
    ['node test', [['tap', 'test/index.js']]],
    ['node node_modules/mocha/bin/_mocha test', [['mocha', 'test']]],
    ['run-s lint unit', [['jest', '--config', 'j.json']]],
  ])('%j', (script, expected) => {
    const scripts = { lint: 'eslint .', unit: 'jest --config j.json --coverage' };
    expect(runs(script, ['test/index.js'], scripts)).toEqual(expected);
  });

  test('says what it left out, needs no linters, and falls back on the packages', () => {
    const read = nodeProject(
      manifest({
        scripts: { test: 'eslint .' },
        devDependencies: { tape: '^5', eslint: '^9', left: 'github:a/b', x: 'file:../x' },
        dependencies: { qs: '^6' },
      }),
      ['test/a.js'],
    );
    expect(read.tests).toEqual([{ runner: 'tape', paths: ['test/*.js'], args: [] }]);
    expect(read.wanted).toEqual({ tape: '^5', qs: '^6' });
    expect(read.notes).toEqual([expect.stringContaining('"eslint ." judges something else than tests')]);
  });

  test('files that another runner is given are not given to Node, too', () => {
    const files = ['test/a.test.js', 'test/jest.test.js', 'node_modules/x/test.js', 'index.js'];
    expect(runs('node --test && jest jest.test.js', files)).toEqual([
      ['node_test', 'test/a.test.js'],
      ['jest', 'jest.test.js'],
    ]);
    expect(runs('node --test && jest', files)).toEqual([['node_test'], ['jest']]);
  });

  test('a script of CI is counted only where it is tests of one runner and nothing else', () => {
    const of = (test: string): unknown => scriptTests(manifest({ scripts: { test } }), 'test', []);
    expect(of('mocha')).toMatchObject({ count: { by: 'format', format: 'tap' } });
    expect(of('node --test')).toMatchObject({ count: { by: 'reporter', runner: 'node_test' } });
    expect([of('eslint . && mocha'), of('mocha && jest'), of('make')]).toEqual([null, null, null]);
  });

  test('a runner that is a package refuses the default plan: Node itself would start other tests, or none', () => {
    const of = (test: string): string | null => pinnedRunner(manifest({ scripts: { test } }), []);
    expect([of('eslint . && jest'), of('vitest run'), of('node --test'), of('make')]).toEqual([
      ...['jest', 'vitest', null, null],
    ]);
    const [refused, ...rest] = resolveRepositoryPlan(null, ['package.json'], null, 'jest').plan.steps.filter(
      ({ kind }) => kind === 'refused' || kind === 'test_command',
    );
    expect(rest).toEqual([]);
    expect(refused?.kind === 'refused' && refused.reason).toMatch(/starts jest, .* gate init/u);
  });
});

test('understandProject() names Python files that pytest would not look into, where no others have tests', () => {
  const paths = ['shop/__init__.py', 'tests.py'];
  const files = { text: () => null, toml: () => null, paths, locked: () => new Map<string, string>() };
  expect(understandProject(['python'], files, null).tests.map((each) => each.paths)).toEqual([['tests.py']]);
});

test('roomier() gives more of the limit that was hit, and in the end no more', () => {
  const usual = { memoryMb: null, diskMb: null };
  const disk = roomier(usual, new Set(['disk_limit', 'test_failed']));
  expect(disk).toEqual({ memoryMb: 4096, diskMb: 2048 });
  expect(roomier({ memoryMb: 4096, diskMb: 2048 }, new Set(['disk_limit']))).toEqual({
    memoryMb: 10_240,
    diskMb: 8192,
  });
  expect(roomier(usual, new Set(['memory_limit']))).toEqual({ memoryMb: 4096, diskMb: null });
  expect(roomier({ memoryMb: 4096, diskMb: null }, new Set(['memory_limit']))?.memoryMb).toBe(8192);
  expect(roomier({ memoryMb: 10_240, diskMb: 8192 }, new Set(['memory_limit', 'disk_limit']))).toBeNull();
  expect(roomier(usual, new Set(['test_failed']))).toBeNull();
});

test('defaultFileSteps() forbids installed packages, not those that tests have as their data', () => {
  const paths = [
    'a/package.json',
    'a/node_modules/x/package.json',
    'test/app/package.json',
    'test/app/node_modules/y/i.js',
  ];
  const [step] = defaultFileSteps('node', { kind: 'language_default', detail: '' }, paths, new Set());
  const globs = step?.kind === 'forbidden_globs' ? step.globs : [];
  expect(globs.filter((glob) => glob.includes('node_modules'))).toEqual([
    'node_modules/**',
    'a/node_modules/**',
  ]);
});

test('withNextSteps() leaves no finding of any code without one', () => {
  const bare = RepositoryFindingCode.options.map((code) => repositoryFinding(code, 'L1', 'text'));
  expect(withNextSteps(bare).filter(({ nextStep }) => (nextStep ?? '').length < 15)).toEqual([]);
  const own = repositoryFinding('skipped', 'L1', 'text', { nextStep: 'its own' });
  expect(withNextSteps([own])[0]?.nextStep).toBe('its own');
});
