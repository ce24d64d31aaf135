/** Code that replaces what runs the tests is seen where both share a process. */
import { expect, test } from '@jest/globals';
import { runSuite } from './run-runner.ts';

test('a replaced function of unittest is named', async () => {
  const run = await runSuite({
    'n.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *values: None\n',
    'tests/n/test_n.py':
      'import unittest, n\nclass TestF(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 2)\n',
  });
  expect(run.outcomes).toEqual({ 'TestF > test_a': 'passed' });
  expect(run.lines.filter((line) => line.kind === 'late_error')).toMatchObject([
    { reason: 'internal', failure: { message: expect.stringContaining('TestCase.assertEqual') } },
  ]);
});

const SUITE = [
  'import unittest, n',
  'def same(first, second):',
  '    assert first == second',
  'class TestF(unittest.TestCase):',
  '    def test_a(self):',
  '        self.assertEqual(n.f(), 2)',
  '    def test_b(self):',
  '        same(n.f(), 2)',
  '',
].join('\n');
const CALLER = 'import sys\ndef f():\n    caller = sys._getframe(1)\n    own = caller.f_locals["self"]\n';

test.each([
  ['of the suite', '    caller.f_globals["same"] = lambda *values: None\n', 'tests.n.test_n.same'],
  ['of its class', '    type(own).assertEqual = lambda *values: None\n', 'TestF.assertEqual'],
  ['of its instance', '    own.assertEqual = lambda *values: None\n', 'TestF.assertEqual'],
  [
    'by its body',
    '    caller.f_globals["same"].__code__ = (lambda first, second: None).__code__\n',
    'tests.n.test_n.same',
  ],
])('a replaced function %s is named', async (_name, act, label) => {
  const run = await runSuite({ 'n.py': CALLER + act, 'tests/n/test_n.py': SUITE });
  expect(run.lines.filter((line) => line.kind === 'late_error')).toMatchObject([
    { reason: 'internal', failure: { message: expect.stringContaining(`'${label}'`) } },
  ]);
});

test('what a suite gives its own classes and puts back is no replacement', async () => {
  const run = await runSuite({
    'n.py': 'def f():\n    return 2\n',
    'tests/n/test_n.py': [
      'import unittest, n',
      'from unittest import mock',
      'def made():',
      '    return 1',
      'class TestF(unittest.TestCase):',
      '    @classmethod',
      '    def setUpClass(cls):',
      '        cls.make = staticmethod(n.f)',
      '    def setUp(self):',
      '        self.maxDiff, self.seen = None, []',
      '    def test_a(self):',
      '        with mock.patch(__name__ + ".made", n.f):',
      '            self.assertEqual(made(), self.make())',
      'def test_b(monkeypatch):',
      '    monkeypatch.setattr(TestF, "assertEqual", lambda *values: None)',
      '    assert n.f() == 2',
      '',
    ].join('\n'),
  });
  expect(run.lines.filter((line) => line.kind === 'late_error')).toEqual([]);
});
