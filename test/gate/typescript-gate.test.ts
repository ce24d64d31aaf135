/** The gate end to end on TypeScript nodes: types are erased inside the sandbox (gate.md parts 1 to 5). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { runLocally } from '../runner/run-locally.ts';
import { openGateWorld, quickPlan, type GateWorld, type Texts } from './gate-world.ts';

const CONTRACT = gateContract({
  wall: 'in_process',
  language: 'typescript',
  files: ['price/money.ts', 'price/money/**'],
  contentFile: 'price/money.ts',
  importLine: "import { parseMoney, addMoney, Currency, MoneyError } from '../../price/money.ts'",
  interface: {
    exports: [
      'export interface Money { readonly cents: number; readonly currency: Currency }',
      'export enum Currency { EUR = "EUR", CHF = "CHF" }',
      'export function parseMoney(text: string, currency?: Currency): Money;',
      'export function addMoney(left: Money, right: Money): Money;',
    ],
    imports: [],
    raises: ['MoneyError(RangeError)'],
    guarantees: ['Exactly two decimals, else MoneyError', 'Two currencies cannot be added'],
    assumptions: [],
    inert: [],
  },
  examples: [
    { call: "parseMoney('0.05', 'CHF')", returns: { cents: 5, currency: 'CHF' } },
    { call: "parseMoney('5')", raises: 'MoneyError' },
  ],
});

const FILE = 'tests/price_money/money.test.ts';
const SUITE = {
  'package.json': '{"type":"module"}\n',
  [FILE]: [
    "import { describe, test } from 'node:test';",
    "import assert from 'node:assert/strict';",
    "import { addMoney, Currency, Money, MoneyError, parseMoney } from '../../price/money.ts';",
    "import { euros } from './helper.ts';",
    '',
    'function cents(money: Money): number {',
    '  return money.cents;',
    '}',
    '',
    "test('two decimals', () => {",
    "  const found: Money = parseMoney('12.30');",
    '  assert.deepEqual(found, { cents: 1230, currency: Currency.EUR } satisfies Money);',
    '});',
    '',
    "test('refuses', () => {",
    "  assert.throws(() => parseMoney('1.2' as string), MoneyError);",
    "  assert.throws(() => parseMoney('1.2'), RangeError);",
    '});',
    '',
    "describe('addMoney', () => {",
    "  test('adds', () => {",
    '    assert.equal(cents(addMoney(euros(1), euros(2))), 300);',
    '  });',
    "  test('keeps currencies apart', () => {",
    "    assert.equal(Currency.CHF, 'CHF');",
    '    assert.throws(() => addMoney(euros(1), { cents: 1, currency: Currency.CHF }), MoneyError);',
    '  });',
    '});',
    '',
  ].join('\n'),
  'tests/price_money/helper.ts': [
    "import { Currency, type Money } from '../../price/money.ts';",
    'export const euros = (amount: number): Money => ({ cents: amount * 100, currency: Currency.EUR });',
    '',
  ].join('\n'),
};
const COVERS = {
  R1: ['refuses'],
  G1: ['refuses', 'two decimals'],
  G2: ['keeps currencies apart'],
};

const HONEST = [
  "export enum Currency { EUR = 'EUR', CHF = 'CHF' }",
  'export interface Money { readonly cents: number; readonly currency: Currency }',
  'export class MoneyError extends RangeError {}',
  'export function parseMoney(text: string, currency: Currency = Currency.EUR): Money {',
  '  const found = /^(\\d+)\\.(\\d\\d)$/.exec(text);',
  "  if (found === null) throw new MoneyError('two decimals');",
  '  return { cents: Number(found[1]) * 100 + Number(found[2]!), currency };',
  '}',
  'export function addMoney(left: Money, right: Money): Money {',
  "  if (left.currency !== right.currency) throw new MoneyError('currencies');",
  '  return { ...left, cents: left.cents + right.cents } as const;',
  '}',
].join('\n');
/** The same with types that are erased in place, and a second file under the compiler's spelling. */
const ERASABLE = [
  "import { MoneyError, Cents } from './money/error.js';",
  'export { MoneyError };',
  "export const Currency = { EUR: 'EUR', CHF: 'CHF' } as const;",
  'export type Currency = (typeof Currency)[keyof typeof Currency];',
  ...HONEST.split('\n')
    .filter((line) => !/^export (enum|class)/u.test(line))
    .map((line) => line.replace('readonly cents: number', 'readonly cents: Cents')),
].join('\n');
const ERROR_FILE = 'export type Cents = number;\nexport class MoneyError extends RangeError {}\n';

let world: GateWorld;
let locked: LockedSuite;

beforeAll(async () => {
  world = await openGateWorld();
  locked = await world.lock(CONTRACT, SUITE, COVERS);
});
afterAll(async () => {
  await world.close();
});

/** Judged by the locked suite; by the contract's examples as well where a test is about them. */
async function judged(source: string, more: Texts = {}, limits = {}, examples = false) {
  const texts = { ...SUITE, ...more, 'price/money.ts': source };
  const plan = quickPlan(CONTRACT, limits);
  const steps = plan.steps.filter((step) => examples || step.kind !== 'examples');
  const { report } = await world.code(CONTRACT, texts, locked, { ...plan, steps });
  const findings = report.levels.flatMap((level) => level.findings);
  return { report, findings, codes: findings.map((found) => found.code) };
}

describe('verifySnapshot() of TypeScript code', () => {
  test('locks a suite that is red on every stub', () => {
    expect(locked.tests.map((entry) => entry.id.name).toSorted()).toEqual([
      'adds',
      'keeps currencies apart',
      'refuses',
      'two decimals',
    ]);
  });

  test('passes honest code: an enum, and types that are only erased', async () => {
    const written = await judged(HONEST, {}, {}, true);
    expect({ verdict: written.report.verdict, findings: written.findings }).toEqual({
      verdict: 'PASS',
      findings: [],
    });
    expect(written.report.examples.map((example) => example.outcome)).toEqual(['passed', 'passed']);
    const erased = await judged(ERASABLE, { 'price/money/error.ts': ERROR_FILE });
    expect(erased.report.verdict).toBe('PASS');
  });

  test.each<[string, string, string, string]>([
    ['process.exit(0) in a call', replaced('process.exit(0);'), 'INVALID', 'report_missing'],
    ['process.exit(0) at import', `process.exit(0);\n${HONEST}`, 'INVALID', 'report_missing'],
    [
      'a skip by the code',
      `import { test as t } from 'node:test';\n${HONEST}\nt.skip('two decimals', () => {});`,
      'INVALID',
      'id_added',
    ],
    ['a wrong value', HONEST.replace('* 100', '* 10'), 'FAIL', 'test_failed'],
    ['a rejection at import', `Promise.reject(new Error() as unknown);\n${HONEST}`, 'FAIL', 'late_error'],
    [
      'a timer that throws',
      `setTimeout((): never => { throw new Error(); }, 20);\n${HONEST}`,
      'FAIL',
      'late_error',
    ],
    ['a missing export', HONEST.replace('export function add', 'function add'), 'FAIL', 'export_missing'],
    ['a missing module', `import { x } from './nothing.js';\n${HONEST}\nx();`, 'FAIL', 'collection_error'],
  ])('sees through %s', async (_name, source, verdict, code) => {
    const { report, codes } = await judged(source);
    expect({ verdict: report.verdict, codes }).toEqual({ verdict, codes: expect.arrayContaining([code]) });
  });

  test('ends an endless loop', async () => {
    const looping = HONEST.replace(/(addMoney\(.*\n)/u, '$1  for (;;);\n');
    const { report, codes } = await judged(looping, {}, { testTimeoutMs: 2000 });
    expect({ verdict: report.verdict, codes }).toMatchObject({
      verdict: 'FAIL',
      codes: ['test_failed', 'test_failed'],
    });
  });

  test('names the line of what does not parse', async () => {
    const { report, findings } = await judged(`${HONEST}\nconst x: = 3;\n`);
    const place = { file: 'price/money.ts', line: 13 };
    expect(report.verdict).toBe('FAIL');
    expect(findings).toContainEqual(expect.objectContaining({ code: 'source_unparsable', place }));
  });

  test.each([
    ['erased', ERASABLE, 7],
    ['written anew', HONEST, 5],
  ])('finds the own line of a builder in a file that is %s', async (_name, source, line) => {
    const raising = source.replace(/^ {2}const found = .*$/mu, '  throw new TypeError(text);\n$&');
    const { findings } = await judged(raising, { 'price/money/error.ts': ERROR_FILE });
    expect(findings).toContainEqual(
      expect.objectContaining({
        outcome: 'raised',
        exceptionType: 'TypeError',
        place: { file: 'price/money.ts', line },
      }),
    );
  });
});

describe('buildStubs() of a TypeScript contract', () => {
  test('imports what a dependency written in TypeScript offers', async () => {
    const contract = gateContract({
      ...CONTRACT,
      interface: {
        ...CONTRACT.interface,
        exports: ['export class OddError extends MoneyError { readonly cents: number }'],
        imports: ["import { MoneyError } from './money/error.js'"],
        raises: [],
      },
    });
    const error = { path: 'price/money/error.ts', bytes: new TextEncoder().encode(ERROR_FILE) };
    const offer = { module: './other.ts', names: [], files: [error] };
    const built = await buildStubs(contract, runLocally, [offer]);
    expect(built).toMatchObject({ ok: true, exports: [{ name: 'OddError', kind: 'exception' }] });
  });
});

describe('verifySnapshot() of TypeScript suites', () => {
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
    ['what does not parse', 'const x: = 3;', 'INVALID', 'collection_error'],
    ['a missing module', "import { y } from './nothing.ts';\ny();", 'INVALID', 'collection_error'],
  ])('sends back %s', async (_name, more, verdict, code) => {
    const { report } = await world.suite(CONTRACT, { ...SUITE, [FILE]: `${SUITE[FILE]}\n${more}\n` }, COVERS);
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, codes }).toEqual({ verdict, codes: expect.arrayContaining([code]) });
  });

  test('finds what a test with an enum of its own reaches', async () => {
    const own = SUITE[FILE].replace('\nfunction cents', '\nenum Own { A = 1230, B }\nfunction cents').replace(
      'cents: 1230',
      'cents: Own.A as number',
    );
    const { report } = await world.suite(CONTRACT, { ...SUITE, [FILE]: own }, COVERS);
    const findings = report.levels.flatMap((level) => level.findings);
    expect({ verdict: report.verdict, findings }).toEqual({ verdict: 'PASS', findings: [] });
  });
});

/** Code whose `parseMoney` does this instead. */
function replaced(statement: string): string {
  return HONEST.replace(/^ {2}const found = .*$/mu, `  ${statement}\n$&`);
}
