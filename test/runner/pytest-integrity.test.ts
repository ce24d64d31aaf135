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
