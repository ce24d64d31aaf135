/** The gate end to end on JavaScript nodes: real sandbox, real runner programs (gate.md parts 3 to 6). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract({
  wall: 'in_process',
  language: 'javascript',
  files: ['price/money.js', 'price/money/**'],
  contentFile: 'price/money.js',
  importLine: "import { parseMoney } from '../../price/money.js'",
  interface: {
    exports: ['export function parseMoney(text: string): number;'],
    imports: [],
    raises: ['RangeError'],
    guarantees: ['Exactly two decimals, else RangeError'],
    assumptions: [],
    inert: [],
  },
});

const SUITE = {
  'package.json': '{"type":"module"}\n',
  'tests/price_money/money.test.js': [
    "import { test } from 'node:test';",
    "import assert from 'node:assert/strict';",
    "import { parseMoney } from '../../price/money.js';",
    '',
    "test('two decimals', () => {",
    "  assert.equal(parseMoney('12.30'), 1230);",
    '});',
    '',
    "test('refuses', () => {",
    "  assert.throws(() => parseMoney('1.2'), RangeError);",
    '});',
    '',
  ].join('\n'),
};
const COVERS = { R1: ['refuses'], G1: ['refuses', 'two decimals'] };

const HONEST = [
  'export function parseMoney(text) {',
  '  const found = /^(\\d+)\\.(\\d\\d)$/.exec(text);',
  "  if (found === null) throw new RangeError('two decimals');",
  '  return Number(found[1]) * 100 + Number(found[2]);',
  '}',
].join('\n');

let world: GateWorld;
let locked: LockedSuite;

beforeAll(async () => {
  world = await openGateWorld();
  locked = await world.lock(CONTRACT, SUITE, COVERS);
});
afterAll(async () => {
  await world.close();
});

async function judged(source: string, limits = {}) {
  const { report } = await world.code(
    CONTRACT,
    { ...SUITE, 'price/money.js': source },
    locked,
    quickPlan(CONTRACT, limits),
  );
  return { report, codes: report.levels.flatMap((level) => level.findings.map((found) => found.code)) };
}

describe('verifySnapshot() of JavaScript code', () => {
  test('passes honest code in several forms', async () => {
    expect((await judged(HONEST)).report).toMatchObject({ verdict: 'PASS', tier: 'in_process' });
    const arrow = `${HONEST.replace('export function parseMoney', 'function impl')}\nconst parse = (text) => impl(text);\nexport { parse as parseMoney };`;
    expect((await judged(arrow)).report.verdict).toBe('PASS');
  });

  test.each<[string, string, string, string, string]>([
    ['a wrong value', 'export const parseMoney = () => 1;', 'FAIL', 'builder', 'test_failed'],
    [
      'process.exit(0) in a call',
      'export function parseMoney(t) { process.exit(0) }',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'process.exit(0) at import',
      'process.exit(0);\nexport function parseMoney(t) {}',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'killing itself',
      "export function parseMoney(t) { process.kill(process.pid, 'SIGKILL') }",
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      '"all tests passed"',
      "console.log('# pass 2\\n# fail 0');\nexport function parseMoney(t) { return 1 }",
      'FAIL',
      'builder',
      'test_failed',
    ],
    [
      'replaced assertions',
      [
        "import assert from 'node:assert';",
        'for (const owner of [assert, assert.strict])',
        '  for (const name of Object.keys(owner)) try { owner[name] = () => {}; } catch { /* held */ }',
        'export function parseMoney(t) { return 1 }',
      ].join('\n'),
      'FAIL',
      'builder',
      'test_failed',
    ],
    ['a missing export', 'export function parse(t) { return 1 }', 'FAIL', 'builder', 'export_missing'],
    [
      'an import error',
      "import 'no-such-module';\nexport function parseMoney(t) { return 1 }",
      'FAIL',
      'builder',
      'collection_error',
    ],
    [
      'a rejection at import that nobody handles',
      `Promise.reject(new TypeError('x'));\n${HONEST}`,
      'FAIL',
      'builder',
      'late_error',
    ],
    [
      'a timer that throws after the import',
      `setTimeout(() => { throw new TypeError('x'); }, 20);\n${HONEST}`,
      'FAIL',
      'builder',
      'late_error',
    ],
    [
      'an error in a handler of the exit',
      `process.on('exit', () => { throw new TypeError('x'); });\n${HONEST}`,
      'FAIL',
      'builder',
      'late_error',
    ],
    ['an exit code of its own', `process.exitCode = 3;\n${HONEST}`, 'FAIL', 'builder', 'late_error'],
    [
      'a second report',
      `import fs from 'node:fs';\nfs.writeFileSync('/out/report2.jsonl', '{}');\n${HONEST}`,
      'INVALID',
      'builder',
      'report_second',
    ],
    [
      'deleting the report',
      `import fs from 'node:fs';\nfs.rmSync('/out/report.jsonl', { force: true });\n${HONEST}`,
      'INVALID',
      'builder',
      'report_missing',
    ],
  ])('sees through %s', async (_name, source, verdict, fault, code) => {
    const { report, codes } = await judged(source);
    expect({ verdict: report.verdict, fault: report.fault, codes }).toEqual({
      verdict,
      fault,
      codes: expect.arrayContaining([code]),
    });
  });

  test.each<[string, string, string, { testTimeoutMs?: number }]>([
    [
      'an endless loop',
      'export function parseMoney(t) { for (;;) {} }',
      'test_failed',
      { testTimeoutMs: 500 },
    ],
    [
      'an output flood',
      "import fs from 'node:fs';\nexport function parseMoney(t) { for (;;) try { fs.writeSync(1, 'x'.repeat(65536)) } catch {} }",
      'output_limit',
      {},
    ],
    [
      'a memory hog',
      'const hog = [];\nfor (;;) hog.push(Buffer.alloc(16 * 1024 * 1024, 1));\nexport function parseMoney(t) {}',
      'memory_limit',
      {},
    ],
  ])('names what %s hit', async (_name, source, code, limits) => {
    const { report, codes } = await judged(source, limits);
    expect({ verdict: report.verdict, codes }).toEqual({
      verdict: 'FAIL',
      codes: expect.arrayContaining([code]),
    });
  });

  test('tells a builder that throws the text of the suite nothing of it', async () => {
    const thief =
      "import fs from 'node:fs';\nexport function parseMoney(t) {\n  throw new RangeError(fs.readFileSync('tests/price_money/money.test.js', 'utf8'));\n}";
    const { report } = await judged(thief);
    const feedback = builderFeedback(report, CONTRACT, locked);
    expect(JSON.stringify(feedback)).not.toMatch(/money\.test|12\.30|1230|assert|two decimals'/u);
    expect(feedback.items).toContainEqual(
      expect.objectContaining({
        outcome: 'raised',
        exceptionType: 'RangeError',
        place: { file: 'price/money.js', line: 3 },
      }),
    );
  });
});

describe('verifySnapshot() of JavaScript suites', () => {
  test.each<[string, string, string, string]>([
    [
      'only green tests',
      "test('a', () => { assert.equal(typeof parseMoney, 'function'); });",
      'FAIL',
      'test_never_red',
    ],
    [
      'a skipped test',
      "test('b', { skip: true }, () => { parseMoney('1') });",
      'INVALID',
      'forbidden_outcome',
    ],
    ['a todo', "test.todo('b');", 'INVALID', 'forbidden_outcome'],
    [
      'a skipped test in a test',
      "test('b', async (t) => { await t.test('c', { skip: true }, () => { parseMoney('1.00') }); });",
      'INVALID',
      'forbidden_outcome',
    ],
    [
      'a test in a test that asks for nothing',
      "test('b', async (t) => { await t.test('c', () => { assert.equal(typeof parseMoney, 'function'); }); });",
      'FAIL',
      'test_never_red',
    ],
    ['a collection error', "import 'no-such-module';", 'INVALID', 'collection_error'],
  ])('sends back %s', async (_name, more, verdict, code) => {
    const file = 'tests/price_money/money.test.js';
    const texts = { ...SUITE, [file]: `${SUITE[file]}\n${more}\n` };
    const { report } = await world.suite(CONTRACT, texts, COVERS);
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, codes }).toEqual({ verdict, codes: expect.arrayContaining([code]) });
  });
});
