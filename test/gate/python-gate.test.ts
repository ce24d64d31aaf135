/** The gate end to end on Python nodes: real sandbox, real runner programs (gate.md parts 3 to 6). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract({ wall: 'in_process' });
const COVERS = { R1: ['test_refuses'], G1: ['test_refuses', 'test_two_decimals'] };

const SUITE = {
  'price/__init__.py': '',
  'tests/price_money/test_money.py': [
    'import pytest',
    'from price.money import parse_money',
    '',
    'def test_two_decimals():',
    "    assert parse_money('12.30') == 1230",
    '',
    "@pytest.mark.parametrize('text', ['1.2', '', 'x'])",
    'def test_refuses(text):',
    '    with pytest.raises(ValueError):',
    '        parse_money(text)',
    '',
  ].join('\n'),
};

const HONEST = [
  'import re',
  '',
  'def parse_money(text: str) -> int:',
  "    found = re.fullmatch(r'(\\d+)\\.(\\d\\d)', text)",
  '    if found is None:',
  "        raise ValueError('two decimals')",
  '    return int(found[1]) * 100 + int(found[2])',
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

function codeTexts(source: string) {
  return { ...SUITE, 'price/money.py': source };
}

describe('verifySnapshot() of Python code', () => {
  test('passes honest code and says by which means', async () => {
    const { report, cacheHit } = await world.code(CONTRACT, codeTexts(HONEST), locked);
    expect(report).toMatchObject({
      verdict: 'PASS',
      fault: null,
      tier: 'in_process',
      isolation: { backend: 'bubblewrap' },
    });
    expect(report.ids.ran).toHaveLength(4);
    expect(cacheHit).toBe(false);
    const again = await world.code(CONTRACT, codeTexts(HONEST), locked);
    expect(again).toMatchObject({ cacheHit: true, report: { digest: report.digest } });
  });
});

describe('verifySnapshot() of lying Python code', () => {
  test.each<[string, string, string, string | null, string]>([
    ['a wrong value', 'def parse_money(text):\n    return 1', 'FAIL', 'builder', 'test_failed'],
    [
      'os._exit(0) in a call',
      'import os\ndef parse_money(text):\n    os._exit(0)',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'os._exit(0) at import',
      'import os\nos._exit(0)\ndef parse_money(text): pass',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'os._exit(137)',
      'import os\ndef parse_money(text):\n    os._exit(137)',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'sys.exit(0) at import',
      'import sys\nsys.exit(0)\ndef parse_money(text): pass',
      'FAIL',
      'builder',
      'collection_error',
    ],
    [
      'killing itself',
      'import os\ndef parse_money(text):\n    os.kill(os.getpid(), 9)',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'SkipTest',
      'import unittest\ndef parse_money(text):\n    raise unittest.SkipTest("no")',
      'INVALID',
      'manager',
      'skipped',
    ],
    [
      '"all tests passed"',
      'print("4 passed in 0.01s: all tests passed")\ndef parse_money(text):\n    return 1',
      'FAIL',
      'builder',
      'test_failed',
    ],
    [
      'an import error',
      'import no_such_module\ndef parse_money(text): pass',
      'FAIL',
      'builder',
      'collection_error',
    ],
    ['a missing export', 'def parse(text): pass', 'FAIL', 'builder', 'export_missing'],
    ['no file at all', '', 'FAIL', 'builder', 'export_missing'],
    [
      'a second report at exit',
      'import atexit, os\ndef forge():\n    open("/out/report.jsonl.2", "w").write("{}")\nforge()\ndef parse_money(text):\n    return 1',
      'INVALID',
      'builder',
      'report_second',
    ],
    [
      'deleting the report',
      'import os\nos.remove("/out/report.jsonl")\ndef parse_money(text):\n    return 1',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'a forged report',
      [
        'import os, json',
        'def parse_money(text):',
        '    os.remove("/out/report.jsonl")',
        '    with open("/out/report.jsonl", "w") as out:',
        '        out.write(json.dumps({"kind": "start", "nonce": "x", "runner": "pytest", "version": "9"}) + "\\n")',
        '        out.write(json.dumps({"kind": "collected", "ids": []}) + "\\n")',
        '        out.write(json.dumps({"kind": "end", "nonce": "x", "collected": 0, "ran": 0}) + "\\n")',
        '    os._exit(0)',
      ].join('\n'),
      'INVALID',
      'builder',
      'report_broken',
    ],
    [
      'a FIFO for a report, which the room refuses to make',
      'import os\nos.remove("/out/report.jsonl")\nos.mkfifo("/out/report.jsonl")\ndef parse_money(text): pass',
      'INVALID',
      'builder',
      'report_missing',
    ],
    [
      'a symlink for a report',
      'import os\nos.remove("/out/report.jsonl")\nos.symlink("/etc/passwd", "/out/report.jsonl")\ndef parse_money(text): pass',
      'INVALID',
      'builder',
      'report_broken',
    ],
  ])('sees through %s', async (_name, source, verdict, fault, code) => {
    const { report } = await world.code(CONTRACT, codeTexts(source), locked);
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, fault: report.fault, codes }).toEqual({
      verdict,
      fault,
      codes: expect.arrayContaining([code]),
    });
  });

  test.each<[string, string, string, string, Record<string, number>]>([
    [
      'sleep at import',
      'import time\ntime.sleep(60)\ndef parse_money(text): pass',
      'FAIL',
      'wall_limit',
      { wallMs: 10_000 },
    ],
    [
      'an endless loop in a call',
      'def parse_money(text):\n    while True: pass',
      'FAIL',
      'test_failed',
      { testTimeoutMs: 300 },
    ],
    [
      'sleep in a call',
      'import time\ndef parse_money(text):\n    time.sleep(60)',
      'FAIL',
      'test_failed',
      { testTimeoutMs: 300 },
    ],
    [
      'a memory hog',
      'HOG = bytearray(600 * 1024 * 1024)\nHOG[::4096] = b"x" * len(HOG[::4096])\ndef parse_money(text): pass',
      'FAIL',
      'memory_limit',
      {},
    ],
    [
      'an output flood into the capture of the runner',
      'import os\ndef parse_money(text):\n    while True: os.write(1, b"x" * 65536)',
      'FAIL',
      'memory_limit',
      {},
    ],
  ])('names what %s hit', async (_name, source, verdict, code, limits) => {
    const { report } = await world.code(CONTRACT, codeTexts(source), locked, quickPlan(CONTRACT, limits));
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, codes }).toEqual({ verdict, codes: expect.arrayContaining([code]) });
  });

  test('blames an endless loop at import by its processor time, whatever else the machine does', async () => {
    const source = 'while True: pass\ndef parse_money(text): pass\n';
    const plan = quickPlan(CONTRACT, { wallMs: 3000 });
    const { report } = await world.code(CONTRACT, codeTexts(source), locked, plan);
    const found = report.levels[1]?.findings[0];
    const used = report.commands[0]?.cpuMs;
    expect(found).toMatchObject({ code: 'wall_limit', limit: { name: 'wall', used } });
    // The plan's limit, and what the calls of the suite buy: half a millisecond each.
    expect(found?.limit?.value).toBeGreaterThanOrEqual(3000);
    expect(found?.limit?.value).toBeLessThan(3100);
  });

  test('tells a builder that raises the text of the suite nothing of it', async () => {
    const thief =
      'def parse_money(text):\n    raise ValueError(open("tests/price_money/test_money.py").read())';
    const { report } = await world.code(CONTRACT, codeTexts(thief), locked);
    const feedback = builderFeedback(report, CONTRACT, locked);
    const told = JSON.stringify(feedback) + builderText(feedback);
    expect(told).not.toMatch(/test_money|12\.30|1230|parametrize|test_two|def test/u);
    expect(feedback.items).toContainEqual(
      expect.objectContaining({
        clauseId: 'G1',
        outcome: 'raised',
        exceptionType: 'ValueError',
        place: { file: 'price/money.py', line: 2 },
      }),
    );
  });

  test('calls two runs that differ flaky', async () => {
    const source =
      'import os\ndef parse_money(text):\n    if os.environ["PYTHONHASHSEED"] == "0": return 1\n    raise ValueError()';
    const { report } = await world.code(CONTRACT, codeTexts(source), locked, quickPlan(CONTRACT, {}, 2));
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
  });
});
