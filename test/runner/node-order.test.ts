/** The order of the tests within a file of `node:test` in a second run (gate.md part 5, turned.mjs). */
import { describe, expect, test } from '@jest/globals';
import { runSuite, type SuiteRun } from './run-runner.ts';

const T = 'tests/n/n.test.mjs';
const HEAD = "import test, {\n  describe, it, before, after, beforeEach,\n} from 'node:test';\n";
const ORDER = ['a', 'b', 'c'];

const turned = (text: string, file: string = T): Promise<SuiteRun> =>
  runSuite({ [file]: text }, { program: 'node', testFiles: [file], extra: { reversed: true } });
const namesOf = (run: SuiteRun): string[] => run.tests.map(({ id }) => [...id.nesting, id.name].join(' > '));
const calls = (names: readonly string[]): string =>
  names.map((name) => `test('${name}', () => {});`).join('\n');

describe('suite/runner.mjs in another order', () => {
  test.each([
    ['a file', `${HEAD}${calls(ORDER)}`, ['c', 'b', 'a']],
    [
      'groups and what they hold',
      `${HEAD}describe('g', () => { it('a', () => {}); it.skip('b'); });\ndescribe('h', async () => { it('c', () => {}); await 1; it('d', () => {}); });\ntest('e', () => {});`,
      ['e', 'h > c', 'h > d', 'g > b', 'g > a'],
    ],
    ['each hook where it stands', `${HEAD}beforeEach(() => {});\n${calls(ORDER)}`, ['c', 'b', 'a']],
    [
      'the functions by way of the first',
      "import run from 'node:test';\nrun.describe('g', () => { run.it('a', () => {}); run.test('b', () => {}); });\nrun('c', () => run.mock.fn()());",
      ['c', 'g > b', 'g > a'],
    ],
  ])('turns round %s', async (_what, text, names) => {
    const run = await turned(text);
    expect(namesOf(run)).toEqual(names);
    expect(run.tests.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(run.ended).toBe(true);
  });

  test.each([
    ['a file that waits for a test', `${HEAD}await test('a', () => {});\n${calls(['b', 'c'])}`],
    [
      'a file that waits for all of them',
      `${HEAD}await Promise.all(['a', 'b', 'c'].map((name) => test(name, () => {})));`,
    ],
    ['what lies between hooks', `${HEAD}before(() => {});\n${calls(ORDER)}`],
    ['what comes before a hook', `${HEAD}${calls(ORDER)}\nafter(() => {});`],
    ['siblings of one name', `${HEAD}test('a', () => {});\ntest('b', () => {});\ntest('a', () => {});`],
    ['a file that speaks of it twice', `${HEAD}${calls(ORDER)}\n// node:test`],
  ])('leaves the order of %s', async (_what, text) => {
    const names = namesOf(await turned(text));
    expect(names).toEqual(names.includes('c') ? ORDER : ['a', 'b', 'a']);
  });

  test('leaves the order of groups inside of what has hooks', async () => {
    const inner = "describe('g', () => { it('a', () => {}); it('b', () => {}); });";
    const run = await turned(
      `${HEAD}describe('h', () => { before(() => {}); ${inner} });\ntest('c', () => {});`,
    );
    expect(namesOf(run)).toEqual(['c', 'h > g > a', 'h > g > b']);
  });

  test.each([
    ['CommonJS', 'tests/n/n.test.cjs', "const test = require('node:test');\n"],
    ['TypeScript', 'tests/n/n.test.ts', "import test from 'node:test';\nconst n: number = 1;\nvoid n;\n"],
  ])('turns round %s', async (_what, file, head) => {
    expect(namesOf(await turned(`${head}${calls(ORDER)}`, file))).toEqual(['c', 'b', 'a']);
  });

  test('shows a test that needs another one, and every failure in its line', async () => {
    const text = `${HEAD}import assert from 'node:assert';\nlet made = 0;\ntest('a', () => { made = 1; });\ntest('b', () => assert.equal(made, 1));`;
    const run = await turned(text);
    expect(run.outcomes).toEqual({ a: 'passed', b: 'failed' });
    const [b] = run.tests;
    expect(b?.failure?.frames).toEqual([{ file: T, line: 7 }]);
  });

  test('goes on behind a test that hangs', async () => {
    const text = `${HEAD}${calls(['a'])}\ntest('b', () => { for (;;); });\n${calls(['c'])}`;
    const options = { program: 'node', testTimeoutMs: 1_000, extra: { reversed: true } } as const;
    const run = await runSuite({ [T]: text }, options);
    expect(run.outcomes).toEqual({ a: 'passed', b: 'error', c: 'passed' });
    expect(namesOf(run)).toEqual(['c', 'b', 'a']);
  });

  test('knows where a test stands', async () => {
    const run = await turned(`${HEAD}\n\ntest('a', { only: true }, () => {});`);
    const [refused] = run.lines.filter((line) => line.kind === 'late_error');
    expect(refused).toMatchObject({ reason: 'refused', failure: { frames: [{ file: T, line: 6 }] } });
  });

  test('tells a file that cannot be loaded as before', async () => {
    const run = await turned(`${HEAD}${calls(ORDER)}\nthrow new RangeError('x');`);
    expect(run.lines.filter((line) => line.kind === 'collect_error')).toHaveLength(1);
  });
});
