/** A suite of more tests than are judged is told so before its first test runs (decision 0069). */
import { expect, test } from '@jest/globals';
import { runSuite } from './run-runner.ts';

const THREE = {
  'tests/n/test_n.py':
    'import pytest\n@pytest.mark.parametrize("n", range(3))\ndef test_a(n):\n    assert n >= 0\n',
};

test('one test too many: none of them runs', async () => {
  const run = await runSuite(THREE, { stub: 'none', extra: { testsMax: 2 } });
  expect(run.outcomes).toEqual({});
  expect(run.refused).toMatchObject([
    expect.stringMatching(/^the suite has 3 tests, at most 2 are judged; check rows of values in a loop/),
  ]);
});

test('just as many tests as are judged run', async () => {
  const run = await runSuite(THREE, { stub: 'none', extra: { testsMax: 3 } });
  expect(Object.values(run.outcomes)).toEqual(['passed', 'passed', 'passed']);
});
