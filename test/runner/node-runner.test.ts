/** What the node runner must make visible (gate.md parts 4 and 5), one row a case. */
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { RUNNER_DIR, runSuite } from './run-runner.ts';
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

const T = 'tests/n/n.test.mjs';
const HEAD =
  "import { describe, it, test, before, beforeEach, after } from 'node:test';\nimport assert from 'node:assert/strict';\n";
const failureOf = (run: SuiteRun, name: string) => run.tests.find((line) => line.id.name === name)?.failure;
const collectErrors = (run: SuiteRun) => run.lines.filter((line) => line.kind === 'collect_error');
const uncaught = (run: SuiteRun) =>
  run.lines.flatMap((line) =>
    line.kind === 'late_error' && line.reason === 'uncaught' ? [line.failure] : [],
  );

const AT_N = { frames: [{ file: 'n.mjs', line: 1 }] };
/** What the code does while it is imported, and how the runner tells it. */
const LATE_ROWS: readonly (readonly [string, string, object])[] = [
  ['a rejection at import', "Promise.reject(new RangeError('x'));", { exceptionType: 'RangeError', ...AT_N }],
  ['a rejection with nothing', 'Promise.reject(undefined);', { exceptionType: 'undefined' }],
  ['the next tick', 'process.nextTick(() => { throw new TypeError(); });', AT_N],
  ['a timer during the tests', 'setTimeout(() => { throw new TypeError(); });', AT_N],
  ['a timer behind the last test', 'setTimeout(() => { throw new TypeError(); }, 150);', AT_N],
  ['a handler of the exit', "process.on('exit', () => { throw new TypeError(); });", AT_N],
  ['a handler of the last turn', "process.on('beforeExit', () => { throw new TypeError(); });", AT_N],
  ['an exit code', 'process.exitCode = 3;', { exceptionType: 'ExitCode' }],
  [
    'an exit code set at the exit',
    "process.on('exit', () => { process.exitCode = 5; });",
    { exceptionType: 'ExitCode' },
  ],
];

const ROWS: readonly Row[] = [
  {
    title: 'passing and failing tests in groups, with equal names told apart',
    files: {
      [T]: `${HEAD}describe('a', () => {\n  describe('b', () => { it('x', () => {}); });\n  it('x', () => assert.equal(1, 2));\n});\ntest('y', () => {});\ntest('y', async () => {});`,
    },
    outcomes: { 'a > b > x': 'passed', 'a > x': 'failed', y: 'passed', 'y#1': 'passed' },
    check: (run) => {
      expect(run.tests[1]?.failure).toMatchObject({
        exceptionType: 'AssertionError',
        assertion: true,
        frames: [{ file: T, line: 5 }],
      });
      expect(run.lines.map((line) => line.kind)).toEqual([
        'start',
        'collected',
        'test',
        'test',
        'test',
        'test',
        'end',
      ]);
    },
  },
  {
    title: "an assertion inside the builder's code, and errors of its own",
    files: {
      'n.mjs':
        "import assert from 'node:assert';\nexport class OddError extends Error {}\nexport const f = () => assert(false);\nexport const g = () => { throw new OddError('x'); };",
      [T]: `${HEAD}import { f, g } from '../../n.mjs';\ntest('f', () => f());\ntest('g', () => g());`,
    },
    outcomes: { f: 'failed', g: 'failed' },
    check: (run) => {
      expect(failureOf(run, 'f')).toMatchObject({ assertion: false });
      expect(failureOf(run, 'f')?.frames.at(-1)).toEqual({ file: 'n.mjs', line: 3 });
      expect(failureOf(run, 'g')).toMatchObject({
        exceptionType: 'OddError',
        message: 'x',
        frames: [
          { file: T, line: 5 },
          { file: 'n.mjs', line: 4 },
        ],
      });
    },
  },
  {
    title: 'an expected exception that did not come',
    files: { [T]: `${HEAD}test('a', () => assert.throws(() => {}));` },
    outcomes: { a: 'failed' },
    check: (run) =>
      expect(failureOf(run, 'a')).toMatchObject({
        assertion: true,
        message: expect.stringMatching(/^Missing expected exception/u) as unknown,
      }),
  },
  {
    title: 'set-up and tear-down errors',
    files: {
      [T]: `${HEAD}describe('s', () => { beforeEach(() => { throw new RangeError('s'); }); it('a', () => {}); });\ndescribe('t', () => { after(() => { throw new RangeError('t'); }); it('b', () => {}); });`,
    },
    outcomes: { 's > a': 'error', 't > b': 'passed' },
    check: (run) => {
      expect(run.tests[0]).toMatchObject({ phase: 'setup', failure: { exceptionType: 'RangeError' } });
      expect(uncaught(run)).toMatchObject([{ exceptionType: 'RangeError', message: 't' }]);
    },
  },
  {
    title: 'skip and todo',
    files: {
      [T]: `${HEAD}it.skip('a', () => {});\nit.todo('b');\ntest('c', (t) => t.skip());\ntest('d', { todo: true }, () => assert(false));`,
    },
    outcomes: { a: 'skipped', b: 'todo', c: 'skipped', d: 'todo' },
  },
  {
    title: 'only is refused',
    files: { [T]: `${HEAD}test('a', { only: true }, () => {});` },
    outcomes: { a: 'passed' },
    refused: [/'only'/],
  },
  {
    title: 'tests inside of a test are parts of it',
    files: {
      [T]: `${HEAD}test('a', async (t) => { await t.test('b', async (u) => { await u.test('c', () => {}); }); });
test('d', async (t) => { await t.test('a', () => { throw new RangeError('part'); }); await t.test('b', () => {}); });
describe('s', () => { it('a', async (t) => { await t.test('b', { skip: true }, () => {}); }); it('d', async (t) => { t.test('late', () => {}); }); });
test('b', async (t) => { await t.test('b', () => {}); throw new TypeError('own'); });`,
    },
    outcomes: { a: 'passed', d: 'failed', 's > a': 'skipped', 's > d': 'failed', b: 'failed' },
    check: (run) => {
      expect(failureOf(run, 'd')).toMatchObject({ exceptionType: 'RangeError', message: 'part' });
      expect(failureOf(run, 'b')).toMatchObject({ exceptionType: 'TypeError', message: 'own' });
    },
  },
  {
    title: 'a suite of more tests than are judged, in all its files, is refused',
    files: {
      [T]: `${HEAD}test('a', () => {});\ntest('b', () => {});\n`,
      'tests/n/o.test.mjs': `${HEAD}test('c', () => {});\ntest('d', () => {});\n`,
    },
    options: { program: 'node', stub: 'none', extra: { testsMax: 3 } },
    outcomes: {},
    refused: [/^the suite has more than 3 tests, at most 3 are judged; check rows of values in a loop/],
  },
  {
    title: 'a suite of just as many tests as are judged runs',
    files: { [T]: `${HEAD}test('a', () => {});\ntest('b', () => {});\n` },
    options: { program: 'node', stub: 'none', extra: { testsMax: 2 } },
    outcomes: { a: 'passed', b: 'passed' },
    refused: [],
  },
  {
    title: 'late errors: a timer and a rejection nobody waits for',
    files: {
      [T]: `${HEAD}test('a', () => { setTimeout(() => { throw new TypeError('late'); }, 10); });\ntest('b', () => { Promise.reject(new RangeError('lost')); });\ntest('c', () => new Promise((r) => setTimeout(r, 50)));`,
    },
    check: (run) => {
      const failures = uncaught(run).map((failure) => [
        failure.exceptionType,
        failure.message,
        failure.frames,
      ]);
      expect(failures.sort()).toEqual([
        ['RangeError', 'lost', [{ file: T, line: 4 }]],
        ['TypeError', 'late', [{ file: T, line: 3 }]],
      ]);
    },
  },
  ...LATE_ROWS.map(([title, code, expected]): Row => ({
    title: `late errors: ${title}`,
    files: { 'n.mjs': code, [T]: `${HEAD}import '../../n.mjs';\ntest('a', () => {});\ntest('b', () => {});` },
    outcomes: { a: 'passed', b: 'passed' },
    check: (run) => {
      expect(uncaught(run).slice(0, 1)).toMatchObject([expected]);
      expect(run.exitCode).toBe(1);
    },
  })),
  {
    title: 'late errors: one before the first test, which `node:test` does not survive',
    files: {
      'n.mjs': "queueMicrotask(() => { throw new TypeError('soon'); });",
      [T]: `${HEAD}import '../../n.mjs';\ntest('a', () => {});`,
    },
    outcomes: {},
    check: (run) =>
      expect(collectErrors(run)).toMatchObject([
        { file: T, failure: { exceptionType: 'TypeError', frames: [{ file: 'n.mjs', line: 1 }] } },
      ]),
  },
  {
    title: 'late errors: none where the code handles what it causes',
    files: {
      'n.mjs':
        "Promise.reject(new Error('x')).catch(() => {});\nsetTimeout(() => { try { throw 1; } catch {} });\nprocess.exitCode = 0;",
      [T]: `${HEAD}import '../../n.mjs';\ntest('a', () => {});`,
    },
    outcomes: { a: 'passed' },
    check: (run) =>
      expect({ uncaught: uncaught(run), code: run.exitCode }).toEqual({ uncaught: [], code: 0 }),
  },
  {
    title: 'tear-down of a test and of the file',
    files: {
      [T]: `${HEAD}test('a', (t) => { t.after(() => { throw new RangeError('t'); }); });\ntest('b', () => {});\nafter(() => { throw new RangeError('file'); });`,
    },
    outcomes: { a: 'error', b: 'passed' },
    check: (run) => {
      expect(run.tests[0]).toMatchObject({ phase: 'teardown', failure: { exceptionType: 'RangeError' } });
      expect(uncaught(run)).toMatchObject([{ exceptionType: 'RangeError', message: 'file' }]);
    },
  },
  {
    title: 'a missing export and a missing module, while other files run',
    files: {
      'n.mjs': 'export const a = 1;',
      'tests/n/a.test.mjs': `${HEAD}import { f } from '../../n.mjs';\ntest('a', () => f());`,
      'tests/n/b.test.mjs': `${HEAD}import { f } from '../../m.mjs';\ntest('a', () => f());`,
      'tests/n/c.test.mjs': `${HEAD}test('c', () => {});`,
    },
    outcomes: { c: 'passed' },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([
        {
          file: 'tests/n/a.test.mjs',
          failure: {
            exceptionType: 'SyntaxError',
            message: expect.stringContaining('does not provide an export') as unknown,
            frames: [{ file: 'tests/n/a.test.mjs', line: 3 }],
          },
        },
        {
          file: 'tests/n/b.test.mjs',
          failure: { message: expect.stringContaining('Cannot find module') as unknown },
        },
      ]);
    },
  },
  {
    title: 'an error while the module is loaded, and one in the body of a group',
    files: {
      'n.mjs': 'null.x;',
      [T]: `${HEAD}describe('g', () => { throw new RangeError('r'); });\nawait import('../../n.mjs');`,
    },
    check: (run) => {
      expect(
        collectErrors(run)
          .map((line) => line.failure.exceptionType)
          .sort(),
      ).toEqual(['RangeError', 'TypeError']);
      expect(run.tests).toEqual([]);
    },
  },
  {
    title: 'a module that never ends loading',
    files: { [T]: `${HEAD}test('a', () => {});\nawait new Promise(() => setInterval(() => {}, 50));` },
    options: { testTimeoutMs: 200 },
    check: (run) => {
      expect(collectErrors(run)).toMatchObject([{ file: T, failure: { exceptionType: 'A7TestTimeout' } }]);
    },
  },
  {
    title: 'an empty file yields no id',
    files: { [T]: '' },
    outcomes: {},
    check: (run) => expect(run.lines[1]).toEqual({ kind: 'collected', ids: [] }),
  },
  { title: 'no files', files: {}, outcomes: {} },
  {
    title: 'CommonJS and module files by ending and package type',
    files: {
      'package.json': '{"type":"module"}',
      'a.test.js': "import test from 'node:test';\ntest('esm', () => {});",
      'b.spec.cjs': "const test = require('node:test');\ntest('cjs', () => {});",
      'sub/package.json': '{}',
      'sub/c.test.js': "const { it } = require('node:test');\nit('cjs by package', () => {});",
    },
    outcomes: { esm: 'passed', cjs: 'passed', 'cjs by package': 'passed' },
  },
  {
    title: 'tests that never end, busy or idle, while the others run',
    files: {
      [T]: `${HEAD}test('a', () => { for (;;); });\ntest('b', () => new Promise(() => { setInterval(() => {}, 50); }));\ntest('c', () => {});\ntest('d', () => new Promise(() => {}));`,
    },
    options: { testTimeoutMs: 400 },
    outcomes: { a: 'error', b: 'error', c: 'passed', d: 'failed' },
    check: (run) =>
      expect([failureOf(run, 'a')?.exceptionType, failureOf(run, 'b')?.exceptionType]).toEqual([
        'A7TestTimeout',
        'A7TestTimeout',
      ]),
  },
  {
    title: 'collect mode tells ids only',
    files: { [T]: `${HEAD}test('a', () => { throw new Error(); });` },
    options: { mode: 'collect' },
    outcomes: {},
    check: (run) =>
      expect(run.lines[1]).toEqual({
        kind: 'collected',
        ids: [{ file: T, nesting: [], name: 'a', ordinal: 0 }],
      }),
  },
  {
    title: 'no end after process.exit in a test',
    files: { [T]: `${HEAD}test('a', () => process.exit(0));` },
    ended: false,
  },
  {
    title: 'no end after process.exit while loading',
    files: { [T]: `${HEAD}test('a', () => {});\nprocess.exit(0);` },
    ended: false,
  },
  {
    title: 'no end after process.reallyExit and signals',
    files: { [T]: `${HEAD}test('a', () => process.kill(process.pid, 'SIGKILL'));` },
    ended: false,
  },
  {
    title: 'no end after exit in an exit handler that hides the rest',
    files: { [T]: `${HEAD}test('a', () => {});\ntest('b', () => process.reallyExit(0));` },
    ended: false,
  },
];

describe('suite/runner.mjs reports', () => {
  test.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const run = await runSuite(row.files, { ...row.options, program: 'node' });
    if (row.outcomes !== undefined) expect(run.outcomes).toEqual(row.outcomes);
    expect(run.refused).toHaveLength(row.refused?.length ?? 0);
    (row.refused ?? []).forEach((pattern, at) => {
      expect(run.refused[at]).toMatch(pattern);
    });
    expect({ ended: run.ended, output: run.ended === (row.ended ?? true) ? '' : run.output }).toEqual({
      ended: row.ended ?? true,
      output: '',
    });
    row.check?.(run);
  });

  test('tells a rejection at import also where its reporter is slow to load', async () => {
    const runnerDir = await mkdtemp(join(tmpdir(), 'a7-slow-runner-'));
    try {
      await cp(RUNNER_DIR, runnerDir, { recursive: true });
      const slow = 'await new Promise((go) => setTimeout(go, 300));\n';
      await appendFile(join(runnerDir, 'javascript/suite/reporter.mjs'), slow);
      const files = {
        'n.mjs': "Promise.reject(new RangeError('x'));",
        [T]: `${HEAD}import '../../n.mjs';\ntest('a', () => {});`,
      };
      const run = await runSuite(files, { program: 'node', runnerDir });
      expect([run.outcomes, uncaught(run)[0]?.exceptionType]).toEqual([{ a: 'passed' }, 'RangeError']);
    } finally {
      await rm(runnerDir, { recursive: true, force: true });
    }
  });

  test('begins a suite on stubs without flags, and again with a larger heap where V8 gave up', async () => {
    const body = "if (!process.execArgv.some((flag) => flag.startsWith('--max-old'))) process.abort();";
    const files = { [T]: `${HEAD}test('a', () => { ${body} });\ntest('b', () => {});` };
    const on = (stub: 'raise' | null, extra: object) =>
      runSuite(files, { program: 'node', stub, extra: { ...extra } });
    const green = { a: 'passed', b: 'passed' };
    const memory = { memoryBytes: 512 * 1024 * 1024 };
    expect((await on('raise', memory)).outcomes).toEqual(green);
    expect((await on(null, memory)).outcomes).toEqual(green);
    const never = await on('raise', {});
    expect({ ended: never.ended, outcomes: never.outcomes }).toEqual({ ended: false, outcomes: {} });
  });

  test('lets a suite set the time, also where the clock is moved', async () => {
    const body = [
      'const { now } = Date;',
      'Date.now = () => 5;',
      'assert.equal(Date.now(), 5);',
      'Date.now = now;',
      "t.mock.method(Date, 'now', () => 6);",
      'assert.equal(Date.now(), 6);',
      't.mock.restoreAll();',
      'const years = (Date.now() - Date.UTC(2026, 0)) / 31_557_600_000;',
      'assert.ok(years > 2 && Math.abs(Date.now() - new Date()) < 1000, String(years));',
      "t.mock.timers.enable({ apis: ['Date'], now: 1000 });",
      'assert.deepEqual([Date.now(), Number(new Date())], [1000, 1000]);',
    ].join(' ');
    const files = { [T]: `${HEAD}test('a', (t) => { ${body} });` };
    const run = await runSuite(files, { program: 'node', env: { A7_DATE_SHIFT_DAYS: '1000' } });
    expect(run.tests.map(({ failure }) => failure?.message ?? null)).toEqual([null]);
  });

  test('ends with exit code 0 only when all is green', async () => {
    const code = async (body: string) =>
      (await runSuite({ [T]: `${HEAD}test('a', () => { ${body} });` }, { program: 'node' })).exitCode;
    expect([await code(''), await code('assert(0)')]).toEqual([0, 1]);
  });
});
