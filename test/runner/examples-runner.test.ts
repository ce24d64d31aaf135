/** A person's examples judge code in the runner, by its own rules of equality (gate.md part 3). */
import { describe, expect, test } from '@jest/globals';
import { runSuite } from './run-runner.ts';
import type { SuiteRun } from './run-runner.ts';

const PYTHON = [
  'from dataclasses import dataclass',
  'class PriceError(ValueError): pass',
  '@dataclass',
  'class Money:\n    cents: int\n    tags: tuple = ()',
  'class Liar(int):\n    def __eq__(self, other): return True\n    def __hash__(self): return 0',
  'class Always:\n    def __eq__(self, other): return True',
  'def parse(text):\n    if text == "": raise PriceError("empty")\n    return int(text)',
  'async def later(x): return x',
  'def pair(): return (1, [2.5, None])',
  'def many():\n    yield 1\n    yield 2',
  'def lie(): return Liar(7)',
  'def always(): return Always()',
  'def forever():\n    while True: pass',
  'import collections, datetime, decimal, fractions, pathlib',
  'def shown(name):',
  "    return {'bytes': b'a\\xff', 'money': decimal.Decimal('12.30'), 'third': fractions.Fraction(1, 3), 'day': datetime.date(2024, 1, 31),",
  "            'time': datetime.datetime(2024, 1, 31, 9), 'path': pathlib.PurePosixPath('a/b'), 'complex': 1 + 2j, 'set': {3, 1, 2},",
  "            'pairs': frozenset({(1, 'a'), (2, 'b')}), 'queue': collections.deque([1, 2])}[name]",
  "class Shown:\n    def __str__(self): return '12.30'\n    __repr__ = __str__",
  'def acted(): return Shown()',
].join('\n');

const JAVASCRIPT = [
  'export class PriceError extends RangeError {}',
  'export class Money { constructor(cents) { this.cents = cents; this.tags = []; } }',
  "export function parse(text) { if (text === '') throw new PriceError('empty'); return Number(text); }",
  'export const later = async (x) => x;',
  'export const pair = () => [1, [2.5, null]];',
  'export function* many() { yield 1; yield 2; }',
  'const all = { day: new Date(0), big: 2n ** 70n, bytes: Uint8Array.of(1, 2), set: new Set([1, 2]), acted: { toISOString: () => "x", toString: () => "x" } };',
  'export const shown = (name) => all[name];',
  'export const always = () => ({ valueOf: () => 7, toJSON: () => 7 });',
  'export const forever = () => new Promise(() => {});',
].join('\n');

/** What the contract declares; JavaScript examples see nothing else. */
const NAMES = ['PriceError', 'Money', 'parse', 'later', 'pair', 'many', 'always', 'forever', 'shown'];

/** Call, what it must give, whether it holds. */
const SHARED: readonly (readonly [object, boolean])[] = [
  [{ call: "parse('12')", returns: 12 }, true],
  [{ call: "parse('12')", returns: 13 }, false],
  [{ call: "parse('12')", returns: '12' }, false],
  [{ call: "parse('1')", returns: true }, false],
  [{ call: "parse('')", raises: 'PriceError' }, true],
  [{ call: "parse('12')", raises: 'PriceError' }, false],
  [{ call: "parse('')", raises: 'TypeError' }, false],
  [{ call: 'later(3)', returns: 3 }, true],
  [{ call: 'await later(3)', returns: 3 }, true],
  [{ call: '[await later(3)]', returns: [4] }, false],
  [{ call: 'pair()', returns: [1, [2.5, null]] }, true],
  [{ call: 'pair()', returns: [1, [2.5]] }, false],
  [{ call: 'many()', returns: [1, 2] }, true],
  [{ call: 'always()', returns: 7 }, false],
  [{ call: 'nothing(1)', returns: 7 }, false],
];

const PYTHON_ONLY: readonly (readonly [object, boolean])[] = [
  [{ call: "parse('')", raises: 'ValueError' }, true],
  [{ call: 'Money(5)', returns: { cents: 5, tags: [] } }, true],
  [{ call: 'lie()', returns: 8 }, false],
  [{ call: 'lie()', returns: 7 }, true],
  // What JSON has no form for.
  [{ call: "shown('bytes')", returns: "b'a\\xff'" }, true],
  [{ call: "shown('bytes')", returns: 'a' }, false],
  [{ call: "shown('money')", returns: '12.30' }, true],
  [{ call: "shown('money')", returns: 12.3 }, true],
  [{ call: "shown('money')", returns: '12.3' }, false],
  [{ call: "shown('third')", returns: '1/3' }, true],
  [{ call: "shown('day')", returns: '2024-01-31' }, true],
  [{ call: "shown('time')", returns: '2024-01-31T09:00:00' }, true],
  [{ call: "shown('path')", returns: 'a/b' }, true],
  [{ call: "shown('complex')", returns: '(1+2j)' }, true],
  [{ call: "shown('set')", returns: [1, 2, 3] }, true],
  [{ call: "shown('set')", returns: [1, 2] }, false],
  [{ call: "shown('set')", returns: [1, 2, 2] }, false],
  [
    {
      call: "shown('pairs')",
      returns: [
        [2, 'b'],
        [1, 'a'],
      ],
    },
    true,
  ],
  [{ call: "shown('queue')", returns: [1, 2] }, true],
  [{ call: 'acted()', returns: '12.30' }, false],
];

const JAVASCRIPT_ONLY: readonly (readonly [object, boolean])[] = [
  [{ call: "parse('')", raises: 'RangeError' }, true],
  [{ call: 'new Money(5)', returns: { cents: 5, tags: [] } }, true],
  [{ call: '{ a: parse("1") }', returns: { a: 1 } }, true],
  [{ call: 'await later(3)', returns: 3 }, true],
  [{ call: '(await later(3)) + 1', returns: 5 }, false],
  // What JSON has no form for.
  [{ call: "shown('day')", returns: '1970-01-01T00:00:00.000Z' }, true],
  [{ call: "shown('day')", returns: 0 }, false],
  [{ call: "shown('big')", returns: '1180591620717411303424' }, true],
  [{ call: "shown('bytes')", returns: [1, 2] }, true],
  [{ call: "shown('set')", returns: [1, 2] }, true],
  [{ call: "shown('acted')", returns: 'x' }, false],
];

async function run(
  program: 'py_examples' | 'node_examples',
  source: string,
  examples: readonly object[],
): Promise<SuiteRun> {
  const contentFile = program === 'py_examples' ? 'shop/thing.py' : 'shop/thing.mjs';
  return runSuite(
    { [contentFile]: source },
    {
      program,
      testTimeoutMs: 1_000,
      extra: { contentFile, module: 'shop.thing', names: NAMES, imports: [], examples },
    },
  );
}

describe.each([
  ['examples_runner.py', 'py_examples', PYTHON, [...SHARED, ...PYTHON_ONLY]],
  ['examples.mjs', 'node_examples', JAVASCRIPT, [...SHARED, ...JAVASCRIPT_ONLY]],
] as const)('%s', (_name, program, source, rows) => {
  test('judges each example by its index', async () => {
    const result = await run(
      program,
      source,
      rows.map(([example]) => example),
    );
    const held = result.tests.map((line) => [
      line.id.name,
      rows[line.id.ordinal] !== undefined && line.outcome === 'passed',
    ]);
    expect(held).toEqual(rows.map(([, holds], index) => [`example ${String(index)}`, holds]));
    expect(result.tests.every((line) => line.id.file === '<examples>')).toBe(true);
    expect([result.ended, result.exitCode]).toEqual([true, 1]);
  });

  test('ends green, stops a call in time, and tells a module that does not load', async () => {
    expect(await run(program, source, [{ call: "parse('1')", returns: 1 }])).toMatchObject({
      ended: true,
      exitCode: 0,
    });
    const slow = await run(program, source, [{ call: 'forever()', returns: 1 }]);
    expect(slow.tests[0]?.failure?.exceptionType).toBe('A7TestTimeout');
    const broken = await run(program, 'this is not code', [{ call: '1', returns: 1 }]);
    expect(broken.lines.map((line) => line.kind)).toEqual(['start', 'collected', 'collect_error', 'end']);
  });
});

describe('examples.mjs', () => {
  test('shows an example no export that the contract does not declare: none stands before a global name', async () => {
    const shadow = 'export const Array = { from: () => [9] }; export const extra = 9;';
    const result = await run('node_examples', `${JAVASCRIPT}\n${shadow}`, [
      { call: "Array.from([parse('1')])", returns: [9] },
      { call: "Array.from([parse('1')])", returns: [1] },
      { call: 'extra', returns: 9 },
    ]);
    expect(result.tests.map((line) => line.outcome)).toEqual(['failed', 'passed', 'failed']);
  });

  test.each([
    ['a rejection at import', "Promise.reject(new TypeError('x'));", 'TypeError'],
    ['a timer that throws', "setTimeout(() => { throw new TypeError('x'); }, 50);", 'TypeError'],
    ['an exit code', 'process.exitCode = 4;', 'ExitCode'],
  ])('tells %s', async (_name, statement, exceptionType) => {
    const result = await run('node_examples', `${JAVASCRIPT}\n${statement}`, [
      { call: "parse('1')", returns: 1 },
    ]);
    expect(result.lines.filter((line) => line.kind === 'late_error')).toMatchObject([
      { reason: 'uncaught', failure: { exceptionType } },
    ]);
    expect([result.ended, result.exitCode]).toEqual([true, 1]);
  });
});
