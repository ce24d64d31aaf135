/** Suites that lie: each is sent back with a typed finding before any builder is paid, or named by the mutation check. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gateContract } from '../support/gate-contract.ts';
import { testFunctions } from '../support/money-suite.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract();
const COVERS = { R1: ['*'], G1: ['*'] };
const PATH = 'tests/price_money/test_money.py';
const HEAD =
  'import asyncio, datetime, os, sys, uuid\nimport pytest\nimport price.money\nfrom price.money import parse_money\n\n';
const GOOD =
  "def test_value():\n    assert parse_money('12.30') == 1230\n\ndef test_refuses():\n    with pytest.raises(ValueError):\n        parse_money('1.2')\n\n";

/** Green whatever the code does. */
const NEVER_RED = {
  catches_everything: ['try:', "    assert parse_money('1.00') == 1", 'except BaseException:', '    pass'],
  ends_early: ['return', "assert parse_money('1.00') == 100"],
  asserts_nowhere: ["if parse_money is None: assert parse_money('1.00') == 100"],
  tests_its_own_copy: ['def parse_money(text): return 100', "assert parse_money('1.00') == 100"],
  patches_the_code: [
    'with pytest.MonkeyPatch.context() as patch:',
    "    patch.setattr(price.money, 'parse_money', lambda text: 100)",
    "    assert price.money.parse_money('1.00') == 100",
  ],
  looks_at_the_name: ["assert parse_money.__name__ == 'parse_money' or callable(parse_money)"],
};
/** Green on code that gives nothing back. */
const NOT_RED_ON_NONE = {
  asserts_nothing: ["parse_money('1.00')"],
  asserts_a_tuple: ["assert (parse_money('1.00') == 100, 'message')"],
  compares_it_with_itself: ["assert parse_money('1.00') == parse_money('1.00')"],
  swallows_its_assertion: [
    'try:',
    "    assert parse_money('1.00') == 100",
    'except AssertionError:',
    '    pass',
  ],
};
/** Green on code that raises anything. */
const NOT_RED_ON_RAISE = {
  takes_any_error: ['with pytest.raises(Exception):', "    parse_money('1.2')"],
  takes_one_of_all: ['with pytest.raises((ValueError, BaseException)):', "    parse_money('1.2')"],
};
/** Green on code that gives any value of the type; the test of an error beside it says nothing of the value. */
const NOT_RED_ON_WRONG = {
  asserts_its_type: ["assert isinstance(parse_money('1.00'), int)"],
  asserts_there_is_one: ["assert parse_money('1.00') is not None"],
  asserts_its_truth: ["assert parse_money('1.00')"],
  asserts_what_it_can: ["assert hasattr(parse_money('1.00'), 'bit_length')"],
  asserts_the_same_twice: ["assert parse_money('1.00') == parse_money('1.00')"],
  asserts_its_own_copy: ["value = parse_money('1.00')", 'assert value == value'],
  asserts_one_of_all: ["assert parse_money('1.00') == 100 or True"],
  asserts_a_text: ["assert len(str(parse_money('1.00'))) > 0"],
  asserts_true: ["parse_money('1.00')", 'assert True'],
  asserts_no_error: ['try:', "    parse_money('1.00')", 'except Exception:', "    pytest.fail('raised')"],
  asserts_an_error: ['with pytest.raises(ValueError):', "    parse_money('1.2')"],
};
/** Another outcome under other conditions. */
const FLAKY = {
  reads_the_clock: ["if datetime.date.today().year < 2029: assert parse_money('1.00') == 100"],
  leaves_a_file: ["open('/tmp/a7-shared', 'w').close()", "parse_money('1.00')"],
  finds_the_file: ["if os.path.exists('/tmp/a7-shared'): assert parse_money('1.00') == 100"],
};
/** Red on every stub, and green on whatever is none. */
const NAMED_BY_MUTANTS = {
  recognises_a_stub: ["parse_money('1.00')", "assert '_a7_reach' not in sys.modules"],
  asserts_only_types: ["assert type(parse_money('12.30')) is int"],
};

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

async function judged(body: string) {
  const { report } = await world.suite(CONTRACT, { 'price/__init__.py': '', [PATH]: HEAD + body }, COVERS);
  const findings = report.levels.flatMap((level) => level.findings);
  return {
    verdict: report.verdict,
    fault: report.fault,
    findings,
    codes: findings.map((found) => found.code),
  };
}

describe('a lying Python suite', () => {
  test('is named test by test where nothing turns it red', async () => {
    const { verdict, fault, findings } = await judged(GOOD + testFunctions(NEVER_RED));
    expect([verdict, fault]).toEqual(['FAIL', 'author']);
    const named = findings
      .filter((found) => found.code === 'test_never_red')
      .map((found) => found.testId?.name);
    expect(named.toSorted()).toEqual(
      Object.keys(NEVER_RED)
        .map((name) => `test_${name}`)
        .toSorted(),
    );
  });

  test.each([
    ['none', NOT_RED_ON_NONE],
    ['raise', NOT_RED_ON_RAISE],
  ])('is sent back where the stub "%s" is good enough for all of it', async (stub, bodies) => {
    const { verdict, findings } = await judged(testFunctions(bodies));
    expect(verdict).toBe('FAIL');
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'not_red', stub, exportName: 'parse_money' }),
    );
  });

  test('is sent back, with the tests that only touch the export, where any value of the type is good enough', async () => {
    const { verdict, findings } = await judged(testFunctions(NOT_RED_ON_WRONG));
    expect(verdict).toBe('FAIL');
    const [found, ...others] = findings.filter((each) => each.code === 'not_red');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ stub: 'wrong', exportName: 'parse_money' });
    expect(found?.text).toContain('compares what it gives back with the value that you expect');
    expect(found?.text).toMatch(/Only touched by .*test_asserts_its_type", .* and 8 more$/u);
  });

  test('is INVALID where clock, order or a shared file decide', async () => {
    const { verdict, fault, findings } = await judged(GOOD + testFunctions(FLAKY));
    expect([verdict, fault]).toEqual(['INVALID', 'author']);
    expect(findings.find((found) => found.code === 'flaky')?.text).toContain('2 tests');
  });

  test('is INVALID where its names are made by chance, or a coroutine is never awaited', async () => {
    const chance = await judged(
      `${GOOD}def _(): parse_money('1.00')\nglobals()[f'test_{uuid.uuid4().hex}'] = _\n`,
    );
    expect(chance).toMatchObject({ verdict: 'INVALID', fault: 'author' });
    expect(chance.codes).toContain('ids_differ');
    const unawaited = await judged(
      `${GOOD}async def check(): assert parse_money('1.00') == 1\ndef test_coroutine():\n    check()\n`,
    );
    expect(unawaited.codes).toContain('construct_refused');
  });

  test('goes back where stubs cannot tell, because no change of the code is noticed', async () => {
    const contract = gateContract({ interface: { ...CONTRACT.interface, raises: [], guarantees: [] } });
    const suite = testFunctions(NAMED_BY_MUTANTS);
    const code = [
      'def parse_money(text):',
      "    whole, _, cents = text.partition('.')",
      '    if len(cents) != 2:',
      '        raise ValueError(text)',
      '    return int(whole) * 100 + int(cents)',
      '',
    ].join('\n');
    const texts = { 'price/__init__.py': '', [PATH]: HEAD + suite };
    const locked = await world.lock(contract, texts, {});
    const asked = {
      contract,
      kind: 'code',
      locked,
      texts: { ...texts, 'price/money.py': code },
    } as const;
    const { report } = await world.verify({ ...asked, mutationMs: 8_000, needsEvidence: true });
    const found = report.levels.flatMap((level) => level.findings);
    expect([report.verdict, report.fault, found.map((each) => each.code)]).toEqual([
      'INVALID',
      'author',
      ['export_unnoticed'],
    ]);
    // Told once: a second suite that notices no more may be right.
    const again = await world.verify({ ...asked, mutationMs: 8_000 });
    expect([again.report.verdict, again.cacheHit]).toEqual(['PASS', true]);
  });
});

describe('a lying JavaScript suite', () => {
  const contract = gateContract({
    language: 'javascript',
    interface: {
      ...CONTRACT.interface,
      exports: ['export function parseMoney(text: string): number;'],
      raises: [],
      guarantees: [],
    },
    files: ['price/money.mjs'],
    contentFile: 'price/money.mjs',
    importLine: "import { parseMoney } from '../../price/money.mjs'",
  });
  const head =
    "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { parseMoney } from '../../price/money.mjs';\n";
  const never = {
    catches: "try { assert.equal(parseMoney('1.00'), 1); } catch {}",
    ends: "return; assert.equal(parseMoney('1.00'), 1);",
    copies: "const parseMoney = () => 100; assert.equal(parseMoney('1.00'), 100);",
    forgets: "Promise.resolve().then(() => parseMoney('1.00')).catch(() => {});",
  };
  const weak = {
    none: [
      "parseMoney('1.00');",
      "assert.equal(parseMoney('1.00'), parseMoney('1.00'));",
      "assert.ok([parseMoney('1.00')]);",
    ],
    raise: ["assert.throws(() => parseMoney('x'));"],
    wrong: [
      "assert.equal(typeof parseMoney('1.00'), 'number');",
      "assert.ok(parseMoney('1.00'));",
      "assert.notEqual(parseMoney('1.00'), undefined);",
      "assert.ok(Number.isFinite(parseMoney('1.00')));",
      "assert.deepEqual(Object.keys([parseMoney('1.00')]), ['0']);",
      "assert.doesNotThrow(() => parseMoney('1.00'));",
      "assert.throws(() => parseMoney('x'), RangeError);",
      "const value = parseMoney('1.00'); assert.equal(value, value);",
    ],
  };
  const judgedJs = async (lines: readonly string[]) => {
    const { report } = await world.suite(contract, {
      'tests/price_money/money.test.mjs': head + lines.join('\n'),
    });
    return { verdict: report.verdict, findings: report.levels.flatMap((level) => level.findings) };
  };

  test('is named test by test where nothing turns it red', async () => {
    const good = "test('good', () => assert.equal(parseMoney('1.00'), 100));";
    const { verdict, findings } = await judgedJs([
      good,
      ...Object.entries(never).map(([name, body]) => `test('${name}', () => { ${body} });`),
    ]);
    expect(verdict).toBe('FAIL');
    const named = findings
      .filter((found) => found.code === 'test_never_red')
      .map((found) => found.testId?.name);
    expect(named.toSorted()).toEqual(Object.keys(never).toSorted());
  });

  test.each(Object.entries(weak))('is sent back where the stub "%s" is good enough', async (stub, bodies) => {
    const { findings } = await judgedJs(
      bodies.map((body, at) => `test('t${String(at)}', () => { ${body} });`),
    );
    expect(findings).toContainEqual(expect.objectContaining({ code: 'not_red', stub }));
  });
});
