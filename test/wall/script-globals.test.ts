/** Code that does as it likes with what a suite replaces of the global scope, behind the wall (globals.mjs). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GateReport } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { runSuite } from '../runner/run-runner.ts';
import { scriptCase, scriptChoice, scriptContract, treeOf } from './script-world.ts';
import { lockOfFiles } from './wall-world.ts';

const EXPORTS = ['export function roll(sides: number): number;', 'export function say(text: string): void;'];
const HONEST =
  'export const roll = (sides) => 1 + Math.floor(Math.random() * sides);\nexport const say = (text) => console.log(text);\n';
const SUITE = [
  "import { test } from 'node:test';",
  "import assert from 'node:assert/strict';",
  "import { roll, say } from '../../shop/thing.mjs';",
  "test('least', (t) => { t.mock.method(Math, 'random', () => 0); assert.equal(roll(1e6), 1); });",
  "test('most', (t) => { t.mock.method(Math, 'random', () => 0.9999999); assert.equal(roll(1e6), 1e6); });",
  "test('own', () => { const n = roll(1e6); assert.ok(n >= 1 && n <= 1e6); });",
  "test('said', (t) => { const log = t.mock.method(console, 'log', () => {}); say('yes'); assert.deepEqual(log.mock.calls.map((call) => call.arguments), [['yes']]); });",
  '',
].join('\n');
/** What each of them fails, at least. */
const LIES: readonly (readonly [string, string, readonly string[]])[] = [
  ['takes chance from elsewhere', HONEST.replace('Math.random()', 'Number("0.5")'), ['least', 'most']],
  [
    'never lets it be replaced',
    `Object.freeze(Math);\nObject.freeze(console);\n${HONEST}`,
    ['least', 'most', 'said'],
  ],
  [
    'keeps what a test gave it for the next ones',
    `let kept;\nexport const roll = (sides) => { kept ??= Math.random; return 1 + Math.floor(kept() * sides); };\nexport const say = (text) => console.log(text);\n`,
    ['own'],
  ],
  [
    'counts calls that it did not make',
    HONEST.replace('console.log(text)', '{ console.log(text); console.log(text); }'),
    ['said'],
  ],
];

let world: GateWorld;
let inside: Awaited<ReturnType<typeof runSuite>>;
const caseOf = (code: string) => scriptCase('globals', { ending: 'mjs', exports: EXPORTS }, code, SUITE);

beforeAll(async () => {
  world = await openGateWorld();
  const honest = caseOf(HONEST);
  inside = await runSuite(treeOf([honest]), { program: 'node', testFiles: [honest.suitePath] });
}, 60_000);
afterAll(async () => {
  await world.close();
});

async function judge(code: string): Promise<GateReport> {
  const each = caseOf(code);
  const ids = inside.tests.map((line) => line.id);
  const contract = scriptContract(each.codePath, EXPORTS, [], { language: 'javascript' });
  const { report } = await world.verify({
    contract,
    texts: treeOf([each]),
    kind: 'code',
    locked: lockOfFiles({ [each.suitePath]: each.suite }, ids, 'glass_wall'),
    plan: quickPlan(contract, {}),
  });
  return report;
}

describe('a suite that replaces chance and what is printed, behind the JavaScript wall', () => {
  test('is judged there, and passes honest code', async () => {
    expect(scriptChoice(caseOf(HONEST).contract, SUITE).tier).toBe('glass_wall');
    const report = await judge(HONEST);
    expect({ verdict: report.verdict, tier: report.tier }).toEqual({ verdict: 'PASS', tier: 'glass_wall' });
  });

  test.each(LIES)('fails code that %s', async (_what, code, names) => {
    const report = await judge(code);
    expect(report.verdict).toBe('FAIL');
    const failed = report.tests.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id.name);
    expect(failed).toEqual(expect.arrayContaining([...names]));
  });
});
