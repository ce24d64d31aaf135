/** Tests that are asked one by one: each in a process that runs no other one (decision 0103). */
import { expect, test } from '@jest/globals';
import { runSuite, type Files } from './run-runner.ts';

const idOf = (file: string, name: string): object => ({ file, nesting: [], name, ordinal: 0 });

const PYTHON: Files = {
  'shop/__init__.py': '',
  'shop/thing.py': 'LEFT = []\n',
  'tests/test_it.py': [
    'import os',
    'from shop.thing import LEFT',
    'def test_leaves():',
    '    LEFT.append(1)',
    '    assert LEFT == [2]',
    'def test_clean(): assert LEFT == []',
    'def test_ends(): os._exit(0)',
    'def test_hangs():',
    '    while True: pass',
    'def test_last(): assert LEFT == []',
    '',
  ].join('\n'),
};

const SCRIPT: Files = {
  'package.json': '{"type":"module"}\n',
  'shop/thing.js': 'export const left = [];\n',
  'tests/it.test.js': [
    "import { test } from 'node:test';",
    "import assert from 'node:assert/strict';",
    "import { left } from '../shop/thing.js';",
    "test('leaves', () => { left.push(1); assert.deepEqual(left, [2]); });",
    "test('clean', () => assert.deepEqual(left, []));",
    "test('ends', () => process.exit(0));",
    "test('last', () => assert.deepEqual(left, []));",
    '',
  ].join('\n'),
};

test('in Python what one leaves no other finds, and one without an end is told of by nobody', async () => {
  const names = ['test_leaves', 'test_clean', 'test_ends', 'test_hangs', 'test_last'];
  const { tests, isComplete } = await outcomes(PYTHON, 'pytest', 'tests/test_it.py', names);
  expect(tests).toEqual({
    ...{ test_leaves: 'failed', test_clean: 'passed', test_hangs: 'failed', test_last: 'passed' },
  });
  expect(isComplete).toBe(true);
}, 60_000);

test('in JavaScript the same', async () => {
  const names = ['leaves', 'clean', 'ends', 'last'];
  const { tests } = await outcomes(SCRIPT, 'node', 'tests/it.test.js', names);
  expect(tests).toEqual({ leaves: 'failed', clean: 'passed', last: 'passed' });
}, 60_000);

async function outcomes(
  files: Files,
  program: 'pytest' | 'node',
  file: string,
  names: readonly string[],
): Promise<{ readonly tests: Readonly<Record<string, string>>; readonly isComplete: boolean }> {
  const each = names.map((name) => idOf(file, name));
  const run = await runSuite(files, { program, testTimeoutMs: 1_000, extra: { each } });
  const tests = Object.fromEntries(run.tests.map(({ id, outcome }) => [id.name, outcome]));
  return { tests, isComplete: run.tests.length > 0 };
}
