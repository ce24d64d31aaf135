/** What the pytest runner must make visible (gate.md parts 4 and 5), one row a case. */
import { describe, expect, test } from '@jest/globals';
import { runSuite } from './run-runner.ts';
import type { Files, SuiteOptions, SuiteRun } from './run-runner.ts';

interface Row {
  readonly title: string;
  readonly files: Files;
  readonly options?: SuiteOptions;
  readonly outcomes?: Readonly<Record<string, string>>;
  readonly refused?: readonly RegExp[];
  readonly ended?: boolean;
  readonly check?: (run: SuiteRun) => void;
}

const T = 'tests/n/test_n.py';
const firstFailure = (run: SuiteRun) => run.tests.find((line) => line.failure !== null)?.failure;
const collectErrors = (run: SuiteRun) => run.lines.filter((line) => line.kind === 'collect_error');

const OUTCOMES: readonly Row[] = [
  {
    title: 'a passing test',
    files: { [T]: 'def test_a():\n    assert True\n' },
    outcomes: { test_a: 'passed' },
    check: (run) => {
      expect(run.lines.map((line) => line.kind)).toEqual(['start', 'collected', 'test', 'end']);
      expect(run.lines[0]).toMatchObject({ runner: 'pytest', nonce: run.nonce });
    },
  },
  {
    title: "a failed assertion of the suite's own frame",
    files: {
      'n.py': 'def f():\n    return 2\n',
      [T]: 'from n import f\ndef test_a():\n    assert f() == 1\n',
    },
    outcomes: { test_a: 'failed' },
    check: (run) => {
      expect(firstFailure(run)).toMatchObject({
        exceptionType: 'AssertionError',
        assertion: true,
        frames: [{ file: T, line: 3 }],
      });
    },
  },
  {
    title: "an assertion inside the builder's code, which is no failed assertion of the suite",
    files: { 'n.py': 'def f():\n    assert 0, "mine"\n', [T]: 'from n import f\ndef test_a():\n    f()\n' },
    outcomes: { test_a: 'failed' },
    check: (run) => {
      expect(firstFailure(run)).toMatchObject({
        assertion: false,
        frames: [
          { file: T, line: 3 },
          { file: 'n.py', line: 2 },
        ],
      });
    },
  },
  {
    title: 'an assertion in a helper of the suite, pytest.raises that saw nothing, and unittest methods',
    files: {
      'tests/n/helpers.py': 'def check(x):\n    assert x == 1\n',
      [T]: [
        'import pytest, unittest',
        'from .helpers import check',
        'def test_helper():\n    check(2)',
        'def test_raises():\n    with pytest.raises(ValueError):\n        pass',
        'class TestCase(unittest.TestCase):\n    def test_u(self):\n        self.assertEqual(1, 2)',
      ].join('\n'),
    },
    options: { suiteFiles: ['tests/n/helpers.py'] },
    outcomes: { test_helper: 'failed', test_raises: 'failed', 'TestCase > test_u': 'failed' },
    check: (run) => {
      expect(run.tests.map((line) => line.failure?.assertion)).toEqual([true, true, true]);
    },
  },
  {
    title: 'set-up and tear-down errors with their phase',
    files: {
      [T]: [
        'import pytest',
        '@pytest.fixture\ndef bad():\n    raise KeyError("s")',
        '@pytest.fixture\ndef late():\n    yield\n    raise OSError("t")',
        'def test_s(bad): pass',
        'def test_t(late): pass',
      ].join('\n'),
    },
    outcomes: { test_s: 'error', test_t: 'error' },
    check: (run) => {
      expect(run.tests.map((line) => [line.phase, line.failure?.exceptionType])).toEqual([
        ['setup', 'KeyError'],
        ['teardown', 'OSError'],
      ]);
    },
  },
  {
    title: 'skip, xfail, xpass, strict xpass and a builder that raises SkipTest',
    files: {
      'n.py': 'import unittest\ndef f():\n    raise unittest.SkipTest("no")\n',
      [T]: [
        'import pytest',
        'from n import f',
        '@pytest.mark.skip\ndef test_skip(): pass',
        '@pytest.mark.xfail\ndef test_xfail(): assert 0',
        '@pytest.mark.xfail\ndef test_xpass(): pass',
        '@pytest.mark.xfail(strict=True)\ndef test_strict(): pass',
        'def test_builder(): f()',
        'def test_imperative(): pytest.xfail("x")',
      ].join('\n'),
    },
    outcomes: {
      test_skip: 'skipped',
      test_xfail: 'xfailed',
      test_xpass: 'xpassed',
      test_strict: 'xpassed',
      test_builder: 'skipped',
      test_imperative: 'xfailed',
    },
  },
  {
    title: 'an error in a thread of a test',
    files: {
      [T]: 'import threading\ndef test_a():\n    t = threading.Thread(target=lambda: 1/0); t.start(); t.join()\n',
    },
    outcomes: { test_a: 'failed' },
    check: (run) => {
      expect(firstFailure(run)?.exceptionType).toBe('ZeroDivisionError');
    },
  },
  {
    title: 'a test that runs too long, also when its code swallows the alarm once',
    files: {
      'n.py':
        'import time\ndef f():\n    try:\n        time.sleep(30)\n    except BaseException:\n        time.sleep(30)\n',
      [T]: 'from n import f\ndef test_a():\n    f()\ndef test_b(): pass\n',
    },
    options: { testTimeoutMs: 300 },
    outcomes: { test_a: 'failed', test_b: 'passed' },
    check: (run) => {
      expect(firstFailure(run)).toMatchObject({ exceptionType: 'A7TestTimeout', assertion: false });
    },
  },
  {
    title: 'no test files',
    files: { 'n.py': '' },
    outcomes: {},
    check: (run) => expect(run.lines[1]).toEqual({ kind: 'collected', ids: [] }),
  },
  {
    title: 'a file without tests',
    files: { [T]: 'x = 1\n' },
    check: (run) => expect(run.lines[1]).toEqual({ kind: 'collected', ids: [] }),
  },
  {
    title: 'pytest options of the tree, which do not count',
    files: {
      'pytest.ini': '[pytest]\naddopts = -k nothing\n',
      'setup.cfg': '[tool:pytest]\naddopts = --collect-only\n',
      [T]: 'def test_a(): pass\n',
    },
    options: { env: { PYTEST_ADDOPTS: '--collect-only' } },
    outcomes: { test_a: 'passed' },
  },
];

const COLLECTION: readonly Row[] = [
  {
    title: 'an import error with its file and type',
    files: { [T]: 'from n import f\ndef test_a(): pass\n' },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([
        {
          file: T,
          failure: { exceptionType: 'ModuleNotFoundError', assertion: false, frames: [{ file: T, line: 1 }] },
        },
      ]);
    },
  },
  {
    title: 'a syntax error, while other files still run',
    files: { [T]: 'def (:\n', 'tests/n/test_m.py': 'def test_b(): pass\n' },
    outcomes: { test_b: 'passed' },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([
        { file: T, failure: { exceptionType: 'SyntaxError', frames: [{ file: T, line: 1 }] } },
      ]);
    },
  },
  {
    title: 'an error inside the module under test, with its line',
    files: { 'n.py': 'x = 1\ny = x / 0\n', [T]: 'import n\ndef test_a(): pass\n' },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([
        {
          failure: {
            exceptionType: 'ZeroDivisionError',
            frames: [
              { file: T, line: 1 },
              { file: 'n.py', line: 2 },
            ],
          },
        },
      ]);
    },
  },
  {
    title: 'a module that never ends loading',
    files: { 'n.py': 'while True: pass\n', [T]: 'import n\ndef test_a(): pass\n' },
    options: { testTimeoutMs: 300 },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([{ file: T, failure: { exceptionType: 'A7TestTimeout' } }]);
    },
  },
  {
    title: 'an empty parameter set',
    files: { [T]: 'import pytest\n@pytest.mark.parametrize("x", [])\ndef test_a(x): pass\n' },
    check: (run) => expect(collectErrors(run)).toHaveLength(1),
  },
  {
    title: 'a module-level skip as a skipped test',
    files: { [T]: 'import pytest\npytest.skip("x", allow_module_level=True)\ndef test_a(): pass\n' },
    outcomes: { '<module>': 'skipped' },
  },
  {
    title: 'ids by order, not by display name',
    files: {
      [T]: [
        'import pytest',
        'class P: pass',
        '@pytest.mark.parametrize("x", [P(), P()], ids=repr)\ndef test_p(x): pass',
        'class TestA:\n    class TestB:\n        def test_q(self): pass',
      ].join('\n'),
    },
    outcomes: { test_p: 'passed', 'test_p#1': 'passed', 'TestA > TestB > test_q': 'passed' },
  },
  {
    title: 'two files of one base name and a package __init__',
    files: {
      'n/__init__.py': '',
      'tests/a/test_x.py': 'def test_a(): pass\n',
      'tests/b/test_x.py': 'def test_b(): pass\n',
    },
    outcomes: { test_a: 'passed', test_b: 'passed' },
  },
  {
    title: 'collect mode runs nothing',
    files: { [T]: 'def test_a():\n    raise SystemError\n' },
    options: { mode: 'collect' },
    outcomes: {},
    check: (run) =>
      expect(run.lines[1]).toEqual({
        kind: 'collected',
        ids: [{ file: T, nesting: [], name: 'test_a', ordinal: 0 }],
      }),
  },
];

const REFUSED: readonly Row[] = [
  {
    title: 'an async test is refused and fails',
    files: { [T]: 'async def test_a():\n    assert False\n' },
    outcomes: { test_a: 'failed' },
    refused: [/'test_a'.*asyncio\.run/],
  },
  {
    title: 'an IsolatedAsyncioTestCase runs',
    files: {
      [T]: 'import unittest\nclass TestA(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self):\n        assert False\n',
    },
    outcomes: { 'TestA > test_a': 'failed' },
    refused: [],
  },
  {
    title: 'a conftest with fixtures only works',
    files: {
      'tests/n/conftest.py': 'import pytest\n@pytest.fixture\ndef one(): return 1\n',
      [T]: 'def test_a(one): assert one == 1\n',
    },
    outcomes: { test_a: 'passed' },
    refused: [],
  },
  {
    title: 'hooks of a conftest are refused and have no effect',
    files: {
      'tests/n/conftest.py': [
        'import pytest',
        '@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = "passed"',
        'globals()["pytest_collection_" + "modifyitems"] = lambda items: items.clear()',
        'collect_ignore = ["test_n.py"]',
      ].join('\n'),
      [T]: 'def test_a(): assert 0\n',
    },
    outcomes: { test_a: 'failed' },
    refused: [/'collect_ignore'/, /'pytest_collection_modifyitems'/, /'pytest_runtest_makereport'/],
  },
  {
    title: 'plugins named by a conftest or a test file are refused and not loaded',
    files: {
      'evil.py': 'def pytest_collection_modifyitems(items): items.clear()\n',
      'tests/n/conftest.py': 'pytest_plugins = ["evil"]\n',
      [T]: 'pytest_plugins = ["evil"]\ndef test_a(): pass\n',
    },
    outcomes: { test_a: 'passed' },
    refused: [/conftest\.py names plugins/, /test_n\.py names plugins/],
  },
  {
    title: 'a conftest outside the folders of the suite is not loaded',
    files: {
      'conftest.py': 'raise SystemError\n',
      'tests/conftest.py': 'raise SystemError\n',
      [T]: 'def test_a(): pass\n',
    },
    outcomes: { test_a: 'passed' },
    refused: [],
  },
  {
    title: 'a stub coroutine that a passing test never awaited is refused',
    files: {
      'n.py': 'async def f():\n    raise SystemError\n',
      [T]: 'from n import f\ndef test_a():\n    assert f()\n',
    },
    options: { stub: 'raise' },
    outcomes: { test_a: 'passed' },
    refused: [/passed without awaiting.*'f'/],
  },
];

const ENDINGS: readonly Row[] = [
  ['os._exit in a test', 'import os\ndef test_a(): os._exit(0)\n'],
  ['os._exit while importing', 'import os\nos._exit(0)\n'],
  ['sys.exit while importing', 'import sys\nsys.exit(0)\ndef test_a(): pass\n'],
  ['pytest.exit', 'import pytest\ndef test_a(): pytest.exit("done", 0)\n'],
  ['a killed process', 'import os\ndef test_a(): os.kill(os.getpid(), 9)\n'],
].map(([title, source]) => ({
  title: String(title),
  files: { [T]: String(source) },
  ended: title === 'sys.exit while importing',
}));

describe('pytest_runner.py reports', () => {
  test.each([...OUTCOMES, ...COLLECTION].map((row) => [row.title, row] as const))('%s', check);
});

describe('pytest_runner.py refuses', () => {
  test.each(REFUSED.map((row) => [row.title, row] as const))('%s', check);
});

describe('pytest_runner.py writes no end line after', () => {
  test.each(ENDINGS.filter((row) => !row.ended).map((row) => [row.title, row] as const))('%s', check);

  test('a fork whose child runs on: one report, written by the parent alone', async () => {
    const run = await runSuite({ [T]: 'import os\ndef test_a(): os.fork()\ndef test_b(): pass\n' });
    expect(run.tests.map((line) => line.id.name)).toEqual(['test_a', 'test_b']);
    expect(run.ended).toBe(true);
  });

  test('the suite read the report: its nonce is not there yet', async () => {
    const source =
      'import glob, os\ndef test_a():\n    fds = [os.readlink(p) for p in glob.glob("/proc/self/fd/*") if os.path.exists(p)]\n    text = "".join(open(p).read() for p in fds if p.endswith("report.jsonl"))\n    assert "start" in text\n    assert \'"nonce":"000\' in text\n';
    const run = await runSuite({ [T]: source });
    expect(run.outcomes).toEqual({ test_a: 'passed' });
    expect(run.ended).toBe(true);
  });
});

describe('ids of pytest_runner.py', () => {
  test('are equal under two hash seeds although parameters and class members come from sets', async () => {
    const source =
      'import pytest\n@pytest.mark.parametrize("x", {"a", "b", "c", "d"})\ndef test_a(x): pass\n@pytest.mark.parametrize("x", [object()])\ndef test_b(x): pass\n';
    const ids = async (seed: string) => {
      const run = await runSuite({ [T]: source }, { mode: 'collect', env: { PYTHONHASHSEED: seed } });
      return run.lines.find((line) => line.kind === 'collected')?.ids;
    };
    expect(await ids('1')).toEqual(await ids('2'));
    expect(await ids('1')).toHaveLength(5);
  });
});

async function check(_title: string, row: Row): Promise<void> {
  const run = await runSuite(row.files, row.options);
  if (row.outcomes !== undefined) expect(run.outcomes).toEqual(row.outcomes);
  if (row.refused !== undefined) {
    expect(run.refused).toHaveLength(row.refused.length);
    row.refused.forEach((pattern, at) => {
      expect([...run.refused].sort()[at]).toMatch(pattern);
    });
  }
  expect({ ended: run.ended, output: run.ended === (row.ended ?? true) ? '' : run.output }).toEqual({
    ended: row.ended ?? true,
    output: '',
  });
  row.check?.(run);
}
