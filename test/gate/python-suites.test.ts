/** The gate end to end on Python suites: red before green, and suites that lie (gate.md parts 3 to 5). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorFeedback } from '../../core/gate/report/author-feedback.ts';
import type { GateReport } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { MONEY_TESTS } from '../support/money-suite.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract();
const COVERS = { R1: ['*'], G1: ['*'] };
const HEAD = 'import pytest\nfrom price.money import parse_money\n\n';

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

function texts(body: string, more: Readonly<Record<string, string>> = {}) {
  return { 'price/__init__.py': '', 'tests/price_money/test_money.py': HEAD + body, ...more };
}

async function judged(
  body: string,
  more: Readonly<Record<string, string>> = {},
  covers: Record<string, string[]> = COVERS,
) {
  const { report } = await world.suite(CONTRACT, texts(body, more), covers);
  return { report, codes: report.levels.flatMap((level) => level.findings.map((found) => found.code)) };
}

/** Codes of the findings that name a test, by its name. */
function codesByTest(report: GateReport): Record<string, string[]> {
  const codes: Record<string, Set<string>> = {};
  for (const { testId, code } of report.levels.flatMap((level) => level.findings))
    if (testId !== null) (codes[testId.name] ??= new Set()).add(code);
  return Object.fromEntries(Object.entries(codes).map(([name, found]) => [name, [...found]]));
}

describe('verifySnapshot() of Python suites', () => {
  test('passes an honest suite, with its outcomes on each stub', async () => {
    const { report, codes } = await judged(MONEY_TESTS);
    expect(codes).toEqual([]);
    expect(report.verdict).toBe('PASS');
    expect(report.suiteTests.map((entry) => [entry.id.name, entry.outcomes, entry.reached])).toEqual([
      ['test_refuses', { raise: 'failed', none: 'failed', wrong: 'failed' }, ['parse_money']],
      ['test_value', { raise: 'failed', none: 'failed', wrong: 'failed' }, ['parse_money']],
    ]);
  });

  test.each<[string, string, string, string]>([
    [
      'pytest.raises(Exception) alone',
      "def test_a():\n    with pytest.raises(Exception):\n        parse_money('1.2')",
      'FAIL',
      'not_red',
    ],
    ['"missing gives None" alone', "def test_a():\n    assert parse_money('x') is None", 'FAIL', 'not_red'],
    ['no tests', 'x = 1', 'INVALID', 'suite_empty'],
    [
      'an async test',
      `${MONEY_TESTS}\nasync def test_b():\n    parse_money('1.00')\n`,
      'INVALID',
      'construct_refused',
    ],
    [
      'a table that is as long as the code says',
      `${MONEY_TESTS}\n@pytest.mark.parametrize('n', range(parse_money('1.00')))\ndef test_b(n):\n    assert parse_money(f'{n}.00') == n * 100\n`,
      'INVALID',
      'ids_differ',
    ],
    [
      'names that depend on the hash seed',
      `${MONEY_TESTS}\nimport os\nif os.environ['PYTHONHASHSEED'] == '0':\n    def test_b():\n        parse_money('1')\n`,
      'INVALID',
      'ids_differ',
    ],
    ['os._exit', 'import os\nos._exit(0)', 'INVALID', 'report_missing'],
  ])('sends back %s', async (_name, body, verdict, code) => {
    const { report, codes } = await judged(body);
    expect({ verdict: report.verdict, fault: report.fault, codes }).toEqual({
      verdict,
      fault: 'author',
      codes: expect.arrayContaining([code]),
    });
  });

  test('names each test that proves nothing, and why', async () => {
    const green = 'def test_green():\n    assert callable(parse_money)\n';
    const swallows =
      "def test_swallows():\n    try:\n        parse_money('1.00')\n    except Exception:\n        pass\n";
    const blind = 'def test_blind():\n    assert False\n';
    const { report } = await judged([MONEY_TESTS, green, swallows, blind].join('\n'));
    expect([report.verdict, report.fault]).toEqual(['FAIL', 'author']);
    expect(codesByTest(report)).toEqual({
      test_green: ['test_never_red'],
      test_swallows: ['test_never_red'],
      test_blind: ['red_without_reach'],
    });
  });

  test('names each test that does not simply run', async () => {
    const skipped = "@pytest.mark.skip\ndef test_skipped():\n    parse_money('1.00')\n";
    const failing = "@pytest.mark.xfail\ndef test_xfail():\n    assert parse_money('1.00') == 100\n";
    const passing = '@pytest.mark.xfail\ndef test_xpass():\n    pass\n';
    const { report } = await judged([MONEY_TESTS, skipped, failing, passing].join('\n'));
    expect([report.verdict, report.fault]).toEqual(['INVALID', 'author']);
    expect(codesByTest(report)).toMatchObject({
      test_skipped: ['forbidden_outcome'],
      test_xfail: expect.arrayContaining(['forbidden_outcome']),
      test_xpass: ['xpassed'],
    });
  });

  test('names each file that cannot be collected, one with an empty parameter set too', async () => {
    const empty = `${MONEY_TESTS}\n@pytest.mark.parametrize('a', [])\ndef test_b(a):\n    parse_money(a)\n`;
    const broken = 'tests/price_money/test_more.py';
    const { report } = await judged(empty, { [broken]: `${HEAD}${MONEY_TESTS}\nimport no_such_module\n` });
    expect([report.verdict, report.fault]).toEqual(['INVALID', 'author']);
    const found = report.levels
      .flatMap((level) => level.findings)
      .filter((each) => each.code === 'collection_error');
    const files = found.map((each) => /^"([^"]+)"/u.exec(each.text)?.[1]);
    expect(new Set(files)).toEqual(new Set(['tests/price_money/test_money.py', broken]));
  });

  test('sends back a test file without tests, and hooks in a conftest', async () => {
    const silent = await judged(MONEY_TESTS, { 'tests/price_money/test_more.py': 'x = 1' });
    expect(silent.codes).toEqual(['file_without_tests']);
    const hook = await judged(MONEY_TESTS, {
      'tests/price_money/conftest.py': 'def pytest_collection_modifyitems(items):\n    items.clear()\n',
    });
    expect(hook.codes).toContain('construct_refused');
  });

  test('takes a file that a test file imports for a helper, however it is named and imported', async () => {
    const helper = { 'tests/price_money/test_utils.py': "TEXT = '12.30'\n" };
    for (const line of ['from test_utils import TEXT', 'from .test_utils import TEXT']) {
      const { report, codes } = await judged(`${line}\n${MONEY_TESTS.replace("'12.30'", 'TEXT')}`, helper);
      expect([report.verdict, codes]).toEqual(['PASS', []]);
    }
  });

  test('names clauses without a test, and covers that name nothing', async () => {
    const { report, codes } = await judged(
      MONEY_TESTS,
      {},
      { G1: ['test_value'], X9: ['test_value'], R1: ['test_gone'] },
    );
    expect(codes.toSorted()).toEqual(['clause_uncovered', 'covers_unknown', 'covers_unknown']);
    const feedback = authorFeedback(report, CONTRACT);
    expect(feedback.items).toContainEqual(
      expect.objectContaining({ code: 'clause_uncovered', clauseId: 'R1', clauseText: 'ValueError' }),
    );
  });

  test('judges declarations on the stub "wrong"', async () => {
    const contract = gateContract({
      interface: {
        exports: ['@dataclass(frozen=True)\nclass Money:\n    cents: int', 'LIMIT: int = 100'],
        imports: ['from dataclasses import dataclass'],
        raises: ['MoneyError(ValueError)'],
        guarantees: [],
        assumptions: [],
        inert: [],
      },
    });
    const suite = [
      'import pytest',
      'from price.money import LIMIT, Money, MoneyError',
      '',
      'def test_equal():',
      '    assert Money(1) == Money(1)',
      '',
      'def test_limit():',
      '    assert LIMIT == 100',
      '',
      'def test_error():',
      '    assert issubclass(MoneyError, ValueError)',
      '',
    ].join('\n');
    const { report } = await world.suite(
      contract,
      { 'price/__init__.py': '', 'tests/price_money/test_money.py': suite },
      { R1: ['test_error'] },
    );
    expect(report.levels.flatMap((level) => level.findings)).toEqual([]);
    expect(report.verdict).toBe('PASS');
    const weak = suite.replace('Money(1) == Money(1)', 'Money(1) is not None');
    const second = await world.suite(
      contract,
      { 'price/__init__.py': '', 'tests/price_money/test_money.py': weak },
      { R1: ['test_error'] },
    );
    expect(second.report.levels.flatMap((level) => level.findings.map((found) => found.code))).toContain(
      'not_red',
    );
  });

  test('takes a test that only builds an object for one that can fail, unless it catches what building raises', async () => {
    const contract = gateContract({
      interface: {
        exports: [
          'class Seat:\n    def __init__(self, row: int) -> None: ...\n    def is_free(self) -> bool: ...',
        ],
        imports: [],
        raises: ['ValueError'],
        guarantees: [],
        assumptions: [],
        inert: [],
      },
    });
    const suite = [
      'import contextlib, pytest',
      'from price.money import Seat',
      'def built(row):',
      '    return Seat(row)',
      'def test_free():',
      '    assert Seat(1).is_free() is True',
      'def test_refused():',
      '    with pytest.raises(ValueError):',
      '        Seat(-1)',
      'def test_builds():',
      '    Seat(8)',
      'def test_builds_by_a_helper():',
      '    for row in (1, 2):',
      '        built(row)',
      'def test_catches():',
      '    try:',
      '        Seat(-1)',
      '    except ValueError:',
      '        pass',
      'def test_suppresses():',
      '    with contextlib.suppress(ValueError):',
      '        built(-1)',
      'def test_names():',
      '    assert Seat is not None',
      'def test_builds_and_swallows_the_rest():',
      '    seat = built(1)',
      '    try:',
      '        seat.is_free()',
      '    except Exception:',
      '        pass',
      '',
    ].join('\n');
    const files = { 'price/__init__.py': '', 'tests/price_money/test_money.py': suite };
    const { report } = await world.suite(contract, files, { R1: ['test_refused'] });
    expect(codesByTest(report)).toEqual(
      Object.fromEntries(
        ['test_catches', 'test_suppresses', 'test_names', 'test_builds_and_swallows_the_rest'].map((name) => [
          name,
          ['test_never_red'],
        ]),
      ),
    );
  });
});

describe('verifySnapshot() of a node of type test', () => {
  const target = gateContract();
  const node = gateContract({
    id: 'price.flow',
    type: 'test',
    files: ['price/flow.py'],
    tests: ['tests/price_flow/**'],
    contentFile: 'price/flow.py',
    structural_deps: [target.id],
    interface: {
      exports: [],
      imports: [],
      raises: [],
      guarantees: ['Sums whole cents'],
      assumptions: [],
      inert: [],
    },
  });
  const suite =
    "from price.money import parse_money\n\ndef test_sum():\n    assert parse_money('1.00') + parse_money('0.50') == 150\n";

  async function verdictOn(code: string) {
    const outcome = await world.suite(
      node,
      { 'price/__init__.py': '', 'price/money.py': code, 'tests/price_flow/test_flow.py': suite },
      { G1: ['test_sum'] },
      undefined,
      [target],
    );
    return {
      verdict: outcome.report.verdict,
      codes: outcome.report.levels.flatMap((level) => level.findings.map((found) => found.code)),
    };
  }

  test('is red on the stubs of its targets and green on the real ones', async () => {
    expect(await verdictOn("def parse_money(text):\n    return int(text.replace('.', ''))\n")).toEqual({
      verdict: 'PASS',
      codes: [],
    });
    expect(await verdictOn('def parse_money(text):\n    return 1\n')).toEqual({
      verdict: 'FAIL',
      codes: ['not_green'],
    });
  });
});
