import { describe, expect, test } from '@jest/globals';
import { surroundingsFindings } from '../../core/gate/code/surroundings.ts';
import { gateContract } from '../support/gate-contract.ts';

const about = (source: string, description: string, language: 'python' | 'typescript' = 'python') =>
  surroundingsFindings(gateContract({ description, language }), [{ path: 'a', text: source }]).map(
    ({ text, place }) => [/asks about (.*?),/u.exec(text)?.[1], place?.line],
  );

describe('code that asks where it runs', () => {
  test.each([
    ['import sys\nwho = sys._getframe(1)', 'its call stack', 2],
    ['import os\n\nif os.environ.get("PYTEST_CURRENT_TEST"): pass', 'its environment', 3],
    ['open("/proc/self/maps")', 'files of its process', 1],
    ['import sys; sys.modules["x"]', 'which modules are loaded', 1],
    ['from unittest import mock', 'which modules are loaded', 1],
  ])('%j', (source, what, line) => {
    expect(about(source, 'the sum of two numbers')).toEqual([[what, line]]);
  });

  test('JavaScript asks in its own words', () => {
    const source = 'const a = process.argv;\nconst b = process.env.CI;\n';
    expect(about(source, 'the sum of two numbers', 'typescript')).toEqual([
      ['its environment', 2],
      ['its arguments', 1],
    ]);
  });

  test('a contract that needs the answer is no reason to wonder', () => {
    const source = 'import os, sys\nhere = os.environ["A"], sys.argv, os.getcwd()';
    expect(about(source, 'Reads settings from variables, command line and the current folder')).toEqual([]);
    expect(about(source, 'the sum of two numbers')).toHaveLength(3);
  });

  test('ordinary code asks nothing', () => {
    const source = 'import os.path\nstack = []\nframe = {"environ": 1}\nprocess = stack.append\n';
    expect(about(source, 'the sum of two numbers')).toEqual([]);
  });
});
