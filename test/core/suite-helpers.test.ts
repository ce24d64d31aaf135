/** Helpers of a Python suite that are named like a test (gate.md part 2). */
import { describe, expect, test } from '@jest/globals';
import { isImportedHelper } from '../../core/gate/suite/suite-helpers.ts';

const PATH = 'tests/till/test_utils.py';
const HELPER = 'class FakeTill:\n    pass\n';

describe('isImportedHelper()', () => {
  test.each([
    'from test_utils import FakeTill',
    'from .test_utils import FakeTill',
    'from tests.till.test_utils import FakeTill',
    'from . import test_utils',
    'import json, test_utils as utils',
    'import tests.till.test_utils',
    'def f():\n    from test_utils import (\n        FakeTill,\n    )',
  ])('knows what is imported by %j', (line) => {
    expect(isImportedHelper(PATH, HELPER, ['x = 1', line])).toBe(true);
  });

  test.each(['', 'import test_utils_of_others', 'from utils import test_utility', '# import test_utilities'])(
    'takes nothing for a helper that %j leaves alone',
    (line) => {
      expect(isImportedHelper(PATH, HELPER, [line])).toBe(false);
    },
  );

  test('wants no tests in a helper', () => {
    const text = `${HELPER}\n    def test_it(self):\n        pass\n`;
    expect(isImportedHelper(PATH, text, ['import test_utils'])).toBe(false);
  });
});
