/** Two judges of different kind: behind the wall, and in plain as a user runs the suite (core/gate/code/two-judges.ts). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { reportHeadline } from '../../core/gate/report/report-headline.ts';
import { renderReportHtml } from '../../core/gate/report/render-report.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import { lockOfFiles } from '../wall/wall-world.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, quickPlan, type GateWorld, type Texts } from './gate-world.ts';

const CONTRACT = gateContract();
const SUITE_PATH = 'tests/price_money/test_money.py';
const SUITE = [
  'import pytest',
  'from price.money import parse_money',
  'CANARY = "a word of the suite"',
  "def test_value(): assert parse_money('12.30') == 1230",
  'def test_refuses():',
  "    with pytest.raises(ValueError): parse_money('1.2')",
  '',
].join('\n');
const AROUND = { 'price/__init__.py': '', [SUITE_PATH]: SUITE };
const LOCK = lockOfFiles(
  { [SUITE_PATH]: SUITE },
  ['test_value', 'test_refuses'].map((name) => ({ file: SUITE_PATH, nesting: [], name, ordinal: 0 })),
  'glass_wall',
);
/** Nothing in it can be changed: any error is one of this kind. */
const REFUSES = SUITE.replace(/^def test_value.*\n/mu, '').replace('raises(ValueError)', 'raises(Exception)');
const REFUSES_LOCK = lockOfFiles(
  { [SUITE_PATH]: REFUSES },
  [{ file: SUITE_PATH, nesting: [], name: 'test_refuses', ordinal: 0 }],
  'glass_wall',
);

const SCRIPT = gateContract({
  language: 'javascript',
  interface: {
    ...CONTRACT.interface,
    exports: ['export function parseMoney(text: string): number;'],
    raises: [],
    guarantees: [],
  },
  files: ['price/money.mjs'],
  contentFile: 'price/money.mjs',
  importLine: "import { parseMoney } from './price/money.mjs'",
});
const SCRIPT_PATH = 'tests/price_money/money.test.mjs';
const SCRIPT_SUITE = [
  "import test from 'node:test';",
  "import assert from 'node:assert/strict';",
  "import { parseMoney } from '../../price/money.mjs';",
  "test('value', () => assert.equal(parseMoney('1.00'), 100));",
  '',
].join('\n');
const SCRIPT_LOCK = lockOfFiles(
  { [SCRIPT_PATH]: SCRIPT_SUITE },
  [{ file: SCRIPT_PATH, nesting: [], name: 'value', ordinal: 0 }],
  'glass_wall',
);

/** Right where the condition holds, wrong elsewhere. */
const python = (condition: string): string =>
  [
    'import os, sys',
    'def parse_money(text):',
    "    whole, dot, cents = text.partition('.')",
    '    if len(cents) != 2: raise ValueError(text)',
    `    return int(whole) * 100 + int(cents) if ${condition} else 0`,
    '',
  ].join('\n');
const script = (condition: string): string =>
  `export function parseMoney(text) { return ${condition} ? Math.round(Number(text) * 100) : 0; }\n`;

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

const onPython = (condition: string) =>
  judge(CONTRACT, { ...AROUND, 'price/money.py': python(condition) }, LOCK);
const onScript = (condition: string) =>
  judge(SCRIPT, { [SCRIPT_PATH]: SCRIPT_SUITE, 'price/money.mjs': script(condition) }, SCRIPT_LOCK);

async function judge(
  contract: typeof CONTRACT,
  texts: Texts,
  locked: LockedSuite,
  isCharged = true,
): Promise<GateReport> {
  const plan = quickPlan(contract, {}, 2);
  return (await world.verify({ contract, texts, kind: 'code', locked, plan, isCharged })).report;
}

const codes = ({ levels, warnings }: GateReport): string[] =>
  [...levels.flatMap((level) => level.findings), ...warnings].map((found) => found.code);

describe('verifySnapshot() by two judges', () => {
  test('passes what both pass, in one run of either', async () => {
    const [first, second, unproven] = await Promise.all([
      onPython('True'),
      onScript('true'),
      judge(CONTRACT, { ...AROUND, [SUITE_PATH]: REFUSES, 'price/money.py': python('True') }, REFUSES_LOCK),
    ]);
    expect(first).toMatchObject({
      verdict: 'PASS',
      plain: { runner: 'pytest', outcome: 'green' },
      counterProof: { tests: 2, changed: 2, red: 2 },
    });
    expect(first.commands.map((command) => command.name)).toEqual([
      'suite-1',
      'suite-plain',
      'suite-changed',
    ]);
    expect(reportHeadline(first)).toContain('judged behind the glass wall and in plain pytest');
    expect(second).toMatchObject({
      verdict: 'PASS',
      plain: { runner: 'node --test', outcome: 'green' },
      counterProof: { tests: 1, changed: 1, red: 1 },
    });
    expect(unproven).toMatchObject({ verdict: 'PASS', counterProof: { tests: 1, changed: 0, red: 0 } });
    expect(reportHeadline(unproven)).toContain('no counter-proof (none of 1 test could be changed)');
    expect(unproven.commands).toHaveLength(2);
  });

  test('passes code that logs the traceback of an error that came by way of the suite', async () => {
    const contract = gateContract({
      interface: { ...CONTRACT.interface, exports: ['def tried(f: Callable[[], int]) -> int: ...'] },
    });
    const suite =
      'from price.money import tried\ndef test_tried():\n    assert tried(lambda: 1 // 0) == -1\n    assert tried(lambda: 3) == 3\n';
    const id = { file: SUITE_PATH, nesting: [], name: 'test_tried', ordinal: 0 };
    const body = (told: string): string =>
      `import logging, traceback\ndef tried(f):\n    try: return f()\n    except ArithmeticError:\n        ${told}\n        return -1\n`;
    const verdictOn = async (told: string): Promise<string> => {
      const texts = { ...AROUND, [SUITE_PATH]: suite, 'price/money.py': body(told) };
      const report = await judge(contract, texts, lockOfFiles({ [SUITE_PATH]: suite }, [id], 'in_process'));
      return report.verdict;
    };
    expect(await verdictOn('logging.exception("failed")')).toBe('PASS');
    expect(await verdictOn('assert "1 // 0" not in traceback.format_exc()')).toBe('PASS');
    expect(await verdictOn(`open(${JSON.stringify(SUITE_PATH)}).close()`)).toBe('FAIL');
  });

  test('lets what the wall saw decide where both are red', async () => {
    const report = await onPython('False');
    expect(report).toMatchObject({ verdict: 'FAIL', fault: 'builder', plain: { outcome: 'red' } });
    expect(codes(report)).toEqual(['test_failed']);
    expect(report.commands).toHaveLength(2);
  });

  test('fails what is right in the gate only, and tells its builder one sentence and no word of the suite', async () => {
    const [report, other] = await Promise.all([
      onPython('not any("pytest" in name for name in sys.modules)'),
      onScript("!process.execArgv.some((each) => each.includes('reporter'))"),
    ]);
    for (const each of [report, other]) {
      expect(each).toMatchObject({ verdict: 'FAIL', fault: 'builder' });
      expect(codes(each)).toEqual(['plain_failed', 'surroundings']);
    }
    const text = builderText(builderFeedback(report, CONTRACT, LOCK));
    expect(text).toContain('fails where it shares one with its callers');
    expect(text).not.toMatch(/12\.30|test_value|wrong value/u);
  });

  test('fails code of a pure stage that asks for the time, however it asks, and tells its builder the kind alone', async () => {
    const [pure, pureScript] = [CONTRACT, SCRIPT].map((contract) => ({ ...contract, pure: true as const }));
    if (pure === undefined || pureScript === undefined) throw new Error('no contracts');
    const [hidden, plain, other] = await Promise.all([
      judge(pure, { ...AROUND, 'price/money.py': python('sys.modules["time"].time() > 0') }, LOCK),
      judge(pure, { ...AROUND, 'price/money.py': python('print("x") is None') }, LOCK),
      judge(
        pureScript,
        { [SCRIPT_PATH]: SCRIPT_SUITE, 'price/money.mjs': script('globalThis["Date"].now() > 0') },
        SCRIPT_LOCK,
      ),
    ]);
    for (const each of [hidden, plain, other])
      expect(each).toMatchObject({ verdict: 'FAIL', fault: 'builder' });
    expect(codes(hidden)).toContain('impure_run');
    expect(codes(other)).toEqual(['impure_run']);
    expect(codes(plain)).toEqual(['impure']);
    const text = builderText(builderFeedback(hidden, pure, LOCK));
    expect(text).toContain('asks for the time as it runs');
    expect(text).not.toContain('line 5');
    expect(builderText(builderFeedback(plain, pure, LOCK))).toContain('line 5 of price/money.py prints');
  });

  test('passes nothing that the wall alone refuses, and blames nobody until the same files have failed twice', async () => {
    const condition = '"pytest" in sys.modules';
    const asked = await judge(CONTRACT, { ...AROUND, 'price/money.py': python(condition) }, LOCK, false);
    const first = await onPython(condition);
    const second = await onPython(condition);
    for (const each of [asked, first])
      expect(each).toMatchObject({ verdict: 'INVALID', fault: 'manager', suspect: null });
    expect(codes(first)).toEqual(['test_failed', 'wall_only', 'surroundings']);
    expect(reportHeadline(first)).toContain('the suite passes in plain pytest');
    expect(builderFeedback(first, CONTRACT, LOCK)).toMatchObject({ charged: false });
    expect(second).toMatchObject({ verdict: 'FAIL', fault: 'builder' });
    expect(codes(second)).toEqual(['test_failed', 'surroundings', 'wall_twice']);
  });

  test('shows both values of a test side by side, to people', async () => {
    const { plain, ...report } = await onScript("process.execArgv.some((each) => each.includes('reporter'))");
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
    expect(plain?.differences).toMatchObject([
      { wall: { outcome: 'failed', counterexample: { result: 'returns 0' } }, plain: { outcome: 'passed' } },
    ]);
    const page = renderReportHtml({ ...report, plain });
    expect(page).toContain('returns 0');
    expect(page).toContain('in plain node --test');
  });
});
