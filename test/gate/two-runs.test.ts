/** Two runs of a suite under other conditions: what differs is INVALID flaky, with the dimension named (gate.md part 5). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findCause } from '../../activities/gate/two-runs.ts';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import type { RunConditions } from '../../core/gate/code/two-runs.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, testLine } from '../support/gate-runs.ts';
import { MONEY_TESTS } from '../support/money-suite.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract();
const COVERS = { R1: ['*'], G1: ['*'] };
const HEAD = 'import datetime, locale, os, time\nimport pytest\nfrom price.money import parse_money\n\n';
const PATH = 'tests/price_money/test_money.py';
const SUITE = { 'price/__init__.py': '', [PATH]: HEAD + MONEY_TESTS };
const CODE = [
  'import datetime, os, time',
  'def parse_money(text):',
  '    EXTRA',
  "    whole, dot, cents = text.partition('.')",
  '    if len(cents) != 2: raise ValueError(text)',
  '    return int(whole) * 100 + int(cents)',
  '',
].join('\n');
const REFUSES = 'def test_refuses():\n    with pytest.raises(ValueError): parse_money("1")\n';
/** Each test is another one under exactly one of the second run's conditions. */
const SIX = [
  'FIRST = []',
  ...[
    ['seed', 'list({"a", "b", "c", "d"})[1] == "c"'],
    ['order', 'not FIRST'],
    ['folder', '__file__.startswith("/work/")'],
    ['zone', 'time.localtime(0).tm_hour == 0'],
    ['locale', 'locale.setlocale(locale.LC_ALL, "") == "C.UTF-8"'],
    ['date', 'datetime.date.today() == datetime.datetime.now().date() and datetime.date.today().year < 2029'],
  ].flatMap(([name, same]) => [
    `def test_${name}():`,
    `    if ${same}: parse_money("1.00")`,
    ...(name === 'seed' ? [] : ['    FIRST.append(1)']),
  ]),
  '',
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

const onCode = (line: string, contract = CONTRACT) =>
  world.code(
    contract,
    { ...SUITE, 'price/money.py': CODE.replace('EXTRA', line) },
    locked,
    quickPlan(contract, {}, 2),
  );

describe('two runs of a suite', () => {
  test('differ on a stub under each condition; the fault is the author’s', async () => {
    const { report } = await world.suite(CONTRACT, { ...SUITE, [PATH]: HEAD + MONEY_TESTS + SIX }, COVERS);
    const found = report.levels.flatMap((level) => level.findings).filter((each) => each.code === 'flaky');
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'author' });
    expect(found).toMatchObject([{ dimension: 'hash_seed', stub: 'raise' }]);
    expect(found[0]?.text).toBe('Two runs differ in 6 tests under another hash seed');
  });

  test('agree on honest code that reads clock, files and zone', async () => {
    const { report } = await onCode(
      [
        'moment = datetime.datetime.now()',
        'assert abs(time.time() - moment.timestamp()) < 5 and type(moment) is datetime.datetime',
        'open("/tmp/x", "w").close()',
        'assert abs(time.time() - os.stat("/tmp/x").st_mtime) < 60 and datetime.date.today() <= datetime.date.fromtimestamp(time.time())',
      ].join('\n    '),
    );
    expect(report.verdict).toBe('PASS');
    expect(report.commands.map((command) => command.name)).toEqual([
      'suite-1',
      'suite-plain',
      'suite-changed',
    ]);
  });

  test('name what makes code differ, and tell its builder', async () => {
    const { report } = await onCode(
      'if text == "1.2": parse_money.seen = True\n    elif hasattr(parse_money, "seen"): return 0',
    );
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
    const found = report.levels.flatMap((level) => level.findings).find((each) => each.code === 'flaky');
    expect(found?.dimension).toBe('order');
    expect(builderFeedback(report, CONTRACT, locked).items.map((item) => item.note)).toContain(
      'Two runs of the verification differ under another order of the tests; the result may not depend on it',
    );
  });

  test('vary nothing that the contract fixes', async () => {
    const environment = { variables: {}, time_zone: 'UTC', fixed: ['folder' as const] };
    const { report } = await onCode(
      'if time.localtime(0).tm_hour or not __file__.startswith("/work/"): raise KeyError',
      // Behind the wall the code has a folder of its own.
      gateContract({ environment, wall: 'in_process' }),
    );
    expect(report.verdict).toBe('PASS');
    expect(report.commands.map((command) => command.name)).toEqual([
      'suite-1',
      'suite-part-1',
      'suite-part-2',
    ]);
  });

  test('in one process: what a changed test leaves behind is no fault of the next', async () => {
    const contract = gateContract({ wall: 'in_process' });
    const left = Array.from({ length: 16 }, (_, at) => [
      `def test_left_${String(at)}():`,
      `    LEFT.append(parse_money("${String(at)}.01"))`,
      `    assert LEFT == [${String(at * 100 + 1)}]`,
      '    LEFT.clear()',
    ]);
    const suite = { ...SUITE, [PATH]: `${HEAD}LEFT = []\n${MONEY_TESTS}${left.flat().join('\n')}\n` };
    const lock = await world.lock(contract, suite, COVERS);
    const texts = { ...suite, 'price/money.py': CODE.replace('EXTRA', 'pass') };
    const { report } = await world.code(contract, texts, lock, quickPlan(contract, {}, 2));
    expect(report).toMatchObject({ verdict: 'PASS', counterProof: { tests: 18, changed: 18, red: 18 } });
    expect(report.commands.some(({ name }) => name === 'suite-each-1')).toBe(true);
  });
});

/** Each test expects three things; what the last of them is the code reads, whatever it is, and the rest it does. */
test.each([1, 8])(
  'in one process: each thing that %d tests of three things expect is changed in turn',
  async (count) => {
    const contract = gateContract({ wall: 'in_process' });
    const names = Array.from({ length: count }, (_, at) => at + 1);
    const three = names.flatMap((at) => [
      `def test_three_${String(at)}():`,
      ...[1, 2, 3].map(
        (cents) => `    assert parse_money("${String(at)}.0${String(cents)}") == ${String(at * 100 + cents)}`,
      ),
    ]);
    const suite = { ...SUITE, [PATH]: `${HEAD}${REFUSES}${three.join('\n')}\n` };
    const lock = await world.lock(contract, suite, COVERS);
    const follows = [
      'import re, subprocess',
      `    said = subprocess.run(["cat", "${PATH}"], capture_output=True, text=True).stdout`,
      `    if text[-1:] == "3": return int(re.search("\\"" + re.escape(text) + "\\"\\\\) == (\\\\d+)", said)[1])`,
    ].join('\n');
    const judged = async (extra: string) =>
    (await world.code(contract, { ...suite, 'price/money.py': CODE.replace('EXTRA', extra) }, lock, quickPlan(contract, {}, 2))).report; // prettier-ignore
    expect(await judged('pass')).toMatchObject({ verdict: 'PASS' });
    const report = await judged(follows);
    expect([
      report.verdict,
      report.levels.flatMap(({ findings }) => findings.map(({ code }) => code)),
    ]).toEqual(['FAIL', ['follows_suite']]);
  },
);

describe('two runs of a JavaScript suite', () => {
  const contractOf = () =>
    gateContract({
      language: 'javascript',
      interface: {
        ...CONTRACT.interface,
        exports: ['export function parseMoney(text: string): number;'],
        raises: [],
        guarantees: [],
      },
      files: ['price/money.mjs'],
      tests: ['tests/price_money/**'],
      contentFile: 'price/money.mjs',
      importLine: "import { parseMoney } from './price/money.mjs'",
    });

  test('differ under another order of their files', async () => {
    const file = (body: string): string =>
      [
        "import test from 'node:test';",
        "import assert from 'node:assert/strict';",
        "import { existsSync, writeFileSync } from 'node:fs';",
        "import { parseMoney } from '../../price/money.mjs';",
        "test('value', () => assert.equal(parseMoney('1.00'), 100));",
        `test('shared', () => { ${body} });`,
      ].join('\n');
    const { report } = await world.suite(contractOf(), {
      'tests/price_money/a.test.mjs': file("writeFileSync('/tmp/shared', ''); parseMoney('1.00');"),
      'tests/price_money/b.test.mjs': file("if (existsSync('/tmp/shared')) parseMoney('1.00');"),
    });
    const found = report.levels.flatMap((level) => level.findings).find((each) => each.code === 'flaky');
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'author' });
    expect(found?.text).toContain('under another order of the tests');
  });

  test('differ under another order of the tests of a file', async () => {
    const suite = [
      "import test from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { parseMoney } from '../../price/money.mjs';",
      'let made = 0;',
      "test('value', () => { made = parseMoney('1.00'); assert.equal(made, 100); });",
      "test('made', () => { if (made !== 0) return; assert.equal(parseMoney('2.00'), 200); });",
      "test('again', () => { assert.equal(parseMoney('3.00'), 300); made = 1; });",
    ].join('\n');
    const file = 'tests/price_money/money.test.mjs';
    const { report } = await world.suite(contractOf(), { [file]: suite });
    const found = report.levels.flatMap((level) => level.findings).find((each) => each.code === 'flaky');
    expect({ verdict: report.verdict, fault: report.fault, dimension: found?.dimension }).toEqual({
      verdict: 'INVALID',
      fault: 'author',
      dimension: 'order',
    });
  });

  test('differ under folder, zone, locale and date', async () => {
    const same = [
      'import.meta.url.includes("/work/")',
      'new Date(0).getHours() === 0',
      '(1.5).toLocaleString() === "1.5"',
      'new Date().getFullYear() < 2029 && new Date().constructor === Date && Date.now() <= +new Date() + 9',
    ];
    const suite = [
      "import test from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { parseMoney } from '../../price/money.mjs';",
      "test('value', () => assert.equal(parseMoney('1.00'), 100));",
      ...same.map((each, index) => `test('t${String(index)}', () => { if (${each}) parseMoney('1.00'); });`),
    ].join('\n');
    const { report } = await world.suite(contractOf(), { 'tests/price_money/money.test.mjs': suite });
    const found = report.levels.flatMap((level) => level.findings).find((each) => each.code === 'flaky');
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'author' });
    expect(found?.text).toBe('Two runs differ in 4 tests under another folder');
  });
});

describe('findCause()', () => {
  const { environment } = resolvePlan(CONTRACT);
  const green = complete([testLine('test_a')]);
  const red = complete([testLine('test_a', 'failed')]);
  const causeOf = async (isRed: (conditions: RunConditions) => boolean) => {
    const asked: string[] = [];
    const { flakiness } = await findCause(environment, 'suite', green, red, (name, conditions) => {
      asked.push(name);
      return Promise.resolve({ execution: isRed(conditions) ? red : green } as never);
    });
    return [flakiness?.cause, asked.length];
  };

  test('asks for a repetition first, then for each dimension until one differs twice', async () => {
    await expect(causeOf(() => true)).resolves.toEqual(['repetition', 1]);
    await expect(causeOf((at) => at.hashSeed !== '0')).resolves.toEqual(['hash_seed', 3]);
    await expect(causeOf((at) => at.dateShiftDays !== 0)).resolves.toEqual(['date', 8]);
    let runs = 0;
    await expect(causeOf(() => (runs += 1) === 4)).resolves.toEqual(['repetition', 5]);
    await expect(causeOf(() => false)).resolves.toEqual(['together', 7]);
  });
});
