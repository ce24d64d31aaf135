/** JavaScript that lies behind the glass wall: none of it passes, and each fault is the builder's (gate.md part 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import type { TestId } from '../../schemas/runner-report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { runSuite } from '../runner/run-runner.ts';
import { honestScript, SCRIPT_LIES, SCRIPT_PESTS, scriptLie } from './script-lies.ts';
import { scriptCase, scriptContract, treeOf, type ScriptCase } from './script-world.ts';
import { lockOfFiles } from './wall-world.ts';

const EXPORTS = [
  'export function parse(text: string): number;',
  'export function apply(f: (n: number) => number, n: number): number;',
  'export function later(n: number): Promise<number>;',
  'export function list(n: number): number[];',
  'export function pair(n: number): object;',
  'export class Money { constructor(cents: number); cents: number; plus(other: Money): Money; }',
];
const NAMES = 'parse, apply, later, list, pair, Money';
const SUITE = [
  "import { test } from 'node:test';",
  "import assert from 'node:assert/strict';",
  `import { ${NAMES} } from '../../shop/thing.mjs';`,
  "test('value', () => assert.equal(parse('12.30'), 1230));",
  "test('loose', () => assert.ok(parse('1.00') == 100));",
  "test('refuses', () => assert.throws(() => parse('x'), RangeError));",
  "test('any error', () => assert.throws(() => parse('')));",
  "test('apply', () => assert.equal(apply((n) => n + 41, 1), 42));",
  "test('sum', () => assert.deepEqual(new Money(1).plus(new Money(2)), new Money(3)));",
  "test('list', () => { assert.deepEqual(list(3), [0, 1, 2]); assert.ok(list(9).includes(8)); });",
  "test('pair', () => { const p = pair(4); assert.equal(p.a, 4); assert.equal(p.a + p.b, 9); assert.deepEqual(Object.keys(p), ['a', 'b']); });",
  "test('later', async () => assert.equal(await later(3), 6));",
  "test('swallowed', () => { let found; try { found = parse('7.00'); } catch { found = null; } assert.equal(found, 700); });",
  '',
].join('\n');

const HONEST = scriptCase('zz-honest', { ending: 'mjs', exports: EXPORTS }, honestScript(), SUITE);
const LIES: readonly ScriptCase[] = SCRIPT_LIES.map(([name, ...lines], at) =>
  scriptCase(
    `lie-${String(at).padStart(2, '0')} ${name}`.replace(/[^\w]+/gu, '-'),
    { ending: 'mjs', exports: EXPORTS },
    scriptLie(lines),
    SUITE,
  ),
);

/** Of an attempt that the platform lost: as many as the product makes (gate.md part 5). */
const TRIES = 3;

let world: GateWorld;
let report: GateReport;
let ids: readonly TestId[];
let tests: GateReport['tests'];

function testsOf({ suitePath }: ScriptCase): GateReport['tests'] {
  return tests.filter((result) => result.id.file === suitePath);
}

beforeAll(async () => {
  world = await openGateWorld();
  const inside = await runSuite(treeOf([HONEST]), { program: 'node', testFiles: [HONEST.suitePath] });
  expect(inside.tests.map((line) => line.outcome)).toEqual(inside.tests.map(() => 'passed'));
  ids = inside.tests.map((line) => line.id);
  const all = [...LIES, HONEST];
  report = await judge(all, { testTimeoutMs: 1_000, wallMs: 300_000 });
  tests = [...report.tests];
  // What those before it left running in the room may have kept a file from beginning: it has a room of its own then.
  for (const lie of LIES.filter((each) => !/import/u.test(each.name) && testsOf(each).length === 0))
    tests.push(...(await judge([lie], { testTimeoutMs: 4_000, wallMs: 60_000 })).tests);
}, 400_000);
afterAll(async () => {
  await world.close();
});

/** All in one room, one after the other: what one leaves behind, the next would meet. */
async function judge(
  cases: readonly ScriptCase[],
  limits: Parameters<typeof quickPlan>[1],
): Promise<GateReport> {
  const suites = Object.fromEntries(cases.map((each) => [each.suitePath, each.suite]));
  const seen = cases.flatMap((each) => ids.map((id) => ({ ...id, file: each.suitePath })));
  const contracts = cases.map((each) =>
    scriptContract(each.codePath, EXPORTS, [], { language: 'javascript' }),
  );
  const [contract, ...dependencies] = [...contracts].reverse();
  const outcome = await world.verify({
    contract: contract!,
    texts: treeOf(cases),
    kind: 'code',
    locked: lockOfFiles(suites, seen, 'glass_wall'),
    plan: quickPlan(contract!, limits),
    dependencies,
  });
  return outcome.report;
}

describe('verifySnapshot() of lying JavaScript behind the glass wall', () => {
  test('passes the honest code that is judged behind all of them', () => {
    const own = testsOf(HONEST);
    expect(own.map((result) => [result.id.name, result.outcome])).toEqual(
      ids.map((id) => [id.name, 'passed']),
    );
  });

  test.each(LIES.map((each) => [each.name, each] as const))('sees through %s', (_name, each) => {
    const own = testsOf(each);
    const failed = own.filter((result) => result.outcome !== 'passed');
    // A module that cannot be brought in leaves its file without any test.
    expect(own.length === 0 ? /import/u.test(each.name) : failed.length > 0).toBe(true);
  });

  test('charges the builder', () => {
    expect({ verdict: report.verdict, fault: report.fault, tier: report.tier }).toEqual({
      // Some of them end the process: gate.md part 5, row 6.
      verdict: 'INVALID',
      fault: 'builder',
      tier: 'glass_wall',
    });
  });

  test.each(SCRIPT_PESTS)(
    'is FAIL or INVALID by the builder, never by the platform: %s',
    async (_name, ...lines) => {
      const lie = scriptCase('alone', { ending: 'mjs', exports: EXPORTS }, scriptLie(lines), SUITE);
      const judgeFor = (wallMs: number): Promise<GateReport> =>
        judge([lie], { testTimeoutMs: 1_000, wallMs });
      let alone = await judgeFor(8_000);
      // A room that this machine starved is tried again, as the product does; in a longer time a slow start weighs less.
      for (let tries = 1; tries < TRIES && alone.fault === 'platform'; tries += 1)
        alone = await judgeFor(40_000);
      expect(alone.verdict).not.toBe('PASS');
      expect(alone.fault).toBe('builder');
    },
  );

  test('tells the builder one counterexample a clause and nothing of the suite', async () => {
    const lie = scriptCase(
      'alone',
      { ending: 'mjs', exports: EXPORTS },
      scriptLie(['impl.parse = (text) => (text.length > 1 ? 1 : 0);']),
      SUITE,
    );
    const suites: LockedSuite = lockOfFiles(
      { [lie.suitePath]: lie.suite },
      ids.map((id) => ({ ...id, file: lie.suitePath })),
      'glass_wall',
    );
    const feedback = builderFeedback(await judge([lie], {}), lie.contract, suites);
    const examples = feedback.items.flatMap((item) => item.counterexample ?? []);
    expect(examples).toEqual([{ call: 'parse("12.30")', result: 'returns 1' }]);
    expect(JSON.stringify(feedback)).not.toMatch(/zz-honest|1230|700|swallowed/u);
  });
});
