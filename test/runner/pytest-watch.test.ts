/** What only a cheat does is seen where code and suite share a process: objects equal to everything, looks at the suite. */
import { describe, expect, test } from '@jest/globals';
import { runSuite, type SuiteRun } from './run-runner.ts';

const SUITE = [
  'import n',
  'from helper import expected',
  'def test_a():',
  '    assert n.f() == expected(2)',
  'def test_b():',
  '    assert n.Pair(1, 2) == n.Pair(1, 2) and n.Pair(1, 2) != n.Pair(2, 1)',
  '',
].join('\n');
const PAIR = [
  'class Pair:',
  '    def __init__(self, a, b): self.a, self.b = a, b',
  '    def __eq__(self, other): return isinstance(other, Pair) and (self.a, self.b) == (other.a, other.b)',
  '',
].join('\n');

async function runOf(code: string): Promise<SuiteRun> {
  return runSuite(
    {
      'n.py': PAIR + code,
      'tests/n/helper.py': 'def expected(value):\n    return value\n',
      'tests/n/test_n.py': SUITE,
    },
    { suiteFiles: ['tests/n/test_n.py', 'tests/n/helper.py'] },
  );
}

describe('a run of the suite and real code in one process', () => {
  test.each([
    ['an object', 'class Any:\n    def __eq__(self, other): return True\ndef f(): return Any()\n'],
    ['a number', 'class Any(int):\n    def __eq__(self, other): return True\ndef f(): return Any()\n'],
    [
      'a class made late',
      'def f():\n    class Any:\n        def __eq__(self, other): return True\n    return Any()\n',
    ],
    ['the caller', 'import sys\ndef f():\n    return sys._getframe(1).f_code.co_consts[1] and 2\n'],
    ['the stack', 'import inspect\ndef f():\n    return len(inspect.stack()) and 2\n'],
    [
      'a traceback',
      'def f():\n    try: 1 / 0\n    except ZeroDivisionError as error: return error.__traceback__.tb_frame and 2\n',
    ],
    ['all objects', 'import gc\ndef f(): return gc.get_objects() and 2\n'],
    [
      'the text of the suite',
      'def f():\n    with open("tests/n/test_n.py") as text: return text.read() and 2\n',
    ],
    [
      'the helper',
      'def f():\n    from pathlib import Path\n    return Path("tests/n/helper.py").read_text() and 2\n',
    ],
  ])('is red where the code uses or makes %s', async (_name, code) => {
    expect(await runOf(code).then((run) => run.outcomes)).toMatchObject({
      test_a: 'failed',
      test_b: 'passed',
    });
  });

  test('says so of what matches everything in mocks, wherever it is imported', async () => {
    for (const code of [
      'from unittest.mock import ANY\ndef f(): return ANY\n',
      'def f():\n    from unittest import mock\n    return mock.ANY\n',
    ]) {
      const run = await runOf(code);
      expect(run.lines.filter((line) => line.kind === 'late_error')).toMatchObject([
        { reason: 'uncaught', failure: { message: expect.stringContaining('ANY') } },
      ]);
    }
  });

  test('has nothing against honest equality, tracebacks, logging and files', async () => {
    const run = await runOf(
      [
        'import collections, dataclasses, inspect, logging, traceback, typing',
        'Point = collections.namedtuple("Point", "x y")',
        'class Row(typing.NamedTuple):',
        '    a: int',
        '@dataclasses.dataclass(order=True)',
        'class Size:',
        '    w: int',
        'def f():',
        '    logging.getLogger("n").warning("w")',
        '    try: 1 / 0',
        '    except ZeroDivisionError: text = traceback.format_exc()',
        '    with open(__file__) as own: own.read()',
        '    assert Point(1, 2) == Point(1, 2) and Size(1) == Size(1) and Row(1) == Row(1)',
        '    assert Pair(1, 2) == Pair(1, 2) and Pair(1, 2) in [Pair(1, 2)]',
        '    return len(inspect.signature(Pair).parameters) if "n.py" in text else 0',
        '',
      ].join('\n'),
    );
    expect(run.outcomes).toEqual({ test_a: 'passed', test_b: 'passed' });
    expect(run.lines.filter((line) => line.kind === 'late_error')).toEqual([]);
  });
});
