/** Which tier judges: fixed from contract and suite, locked with the suite, named in the report (gate.md part 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tierFor, tierOf } from '../../core/gate/code/wall.ts';
import { lockedSuiteOf } from '../../core/gate/suite/locked-suite.ts';
import type { WallUse } from '../../schemas/gate-wall.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { scriptChoice, scriptContract } from './script-world.ts';
import { choiceOf, thingContract } from './wall-world.ts';

const CONTRACT = gateContract({
  wall: 'required',
  examples: [{ call: "parse_money('12.30')", returns: 1230 }],
});
const COVERS = { R1: ['*'], G1: ['*'] };
const SUITE = [
  'import pytest',
  'from price.money import parse_money',
  'def test_value(): assert parse_money("12.30") == 1230',
  'def test_refuses():',
  '    with pytest.raises(ValueError): parse_money("1.2")',
  '',
].join('\n');
const HONEST = [
  'def parse_money(text: str) -> int:',
  '    if text[-3:-2] != ".": raise ValueError(text)',
  '    return int(text.replace(".", ""))',
  '',
].join('\n');

function texts(suite: string, code?: string): Record<string, string> {
  const files = { 'price/__init__.py': '', 'tests/price_money/test_money.py': suite };
  return code === undefined ? files : { ...files, 'price/money.py': code };
}

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

describe('tierFor()', () => {
  const plain = { uses: [] };

  test('chooses the wall unless the contract asks for one process', () => {
    expect(tierFor(gateContract({ wall: 'required' }), plain)).toEqual({ tier: 'glass_wall', reasons: [] });
    expect(tierFor(gateContract(), plain)).toEqual({ tier: 'glass_wall', reasons: [] });
    expect(tierFor(gateContract({ language: 'go' }), null).reasons).toEqual(['There is no wall for go yet']);
    expect(tierFor(gateContract({ wall: 'in_process' }), plain).reasons).toEqual([
      'The contract asks for one process',
    ]);
  });

  test('names what works in one process only', () => {
    const use: WallUse = { kind: 'patching', detail: 'monkeypatch', file: 'tests/a/test_a.py', line: 3 };
    expect(tierFor(gateContract({ wall: 'required' }), { uses: [use] })).toEqual({
      tier: 'in_process',
      reasons: ['The suite replaces names inside the code: monkeypatch (tests/a/test_a.py:3)'],
    });
    expect(tierFor(gateContract({ wall: 'required' }), null).tier).toBe('in_process');
  });

  test.each([
    ['a patch with a name that is made', 'from unittest.mock import patch\npatch(f"a.{1}")\n', 'patching'],
    [
      'a patch that asks the code how it looks',
      'from unittest.mock import patch\npatch("time.sleep", autospec=True)\n',
      'patching',
    ],
    ['a patch of another library', 'from unittest.mock import patch\npatch("requests.get")\n', 'patching'],
    [
      'a patch of what the wall needs',
      'def test_a(monkeypatch): monkeypatch.setattr("builtins.len", id)\n',
      'patching',
    ],
    ['a patch passed on', 'from unittest.mock import patch\nmine = patch\n', 'patching'],
    ['a name that is set', 'import time\ntime.time = id\n', 'patching'],
    ['a removed name', 'def test_a(monkeypatch): monkeypatch.delattr("os.getcwd")\n', 'patching'],
    ['sys.modules', 'import sys\nsys.modules.pop("x", None)\n', 'introspection'],
    ['a file of a fixed place', 'open("data.txt")\n', 'files'],
    ['a file beside the suite', 'open(__file__)\n', 'files'],
    ['a database', 'import sqlite3\n', 'files'],
    ['threads', 'import threading\n', 'process'],
    ['changed arguments of the program', 'import sys\nsys.argv.append("a")\n', 'process'],
    ['the time zone', 'import time\ntime.tzset()\n', 'process'],
    ['the folder of the process', 'import os\nos.getcwd()\n', 'process'],
    [
      'a class derived from a data class',
      'from shop.thing import Item\nclass Mine(Item): pass\n',
      'subclass',
    ],
    ['a derived class of another kind', 'class Mine(Base, key="a"): pass\n', 'subclass'],
    ['a derived class that makes itself', 'class Mine(Base):\n    def __new__(cls): pass\n', 'subclass'],
    ['a class derived from such a one', 'class A(Base): pass\nclass B(A):\n    seen = []\n', 'subclass'],
  ])('sees %s in a suite', async (_name, suite, kind) => {
    const contract = thingContract({
      exports: ['class Base:\n    def run(self) -> int: ...', '@dataclass\nclass Item:\n    price: int'],
      imports: ['from dataclasses import dataclass'],
    });
    const choice = await choiceOf(contract, suite);
    expect({ kind, ...choice }).toEqual({ kind, tier: 'in_process', reasons: [expect.any(String)] });
  });

  test.each([
    'def test_a(tmp_path): assert open(tmp_path / "a").read()',
    'import os\nos.environ["A"] = "1"',
    'def test_a(monkeypatch): monkeypatch.setenv("A", "1"); monkeypatch.setattr("time.time", id)',
    'from unittest.mock import patch\n@patch("shop.thing.time.sleep")\ndef test_a(sleep): pass',
    'from unittest import mock\nwith mock.patch.object(Base, "run"): pass',
    'import subprocess\nfrom unittest.mock import patch\npatch.object(subprocess, "run")\nsubprocess.CalledProcessError',
    'def test_a(caplog, recwarn, capsys): pass',
    'import sys\nold = sys.argv\nsys.argv, sys.stdin = ["a"], None\n',
    'class Mine(Base):\n    "Mine."\n    name = "a"\n    def run(self): return super().run()',
  ])('lets cross %s', async (suite) => {
    const contract = thingContract({ exports: ['class Base:\n    def run(self) -> int: ...'] });
    expect(await choiceOf(contract, suite)).toEqual({ tier: 'glass_wall', reasons: [] });
  });

  test.each([
    ['patching', "test('a', (t) => { t.mock.method(JSON, 'parse', () => 1); });"],
    ['patching by a name', "test('a', (t) => { t.mock.method(Math, name, () => 1); });"],
    ['getters', "mock.getter(Base.prototype, 'size');"],
    ['globals', 'Math.floor = () => 5;'],
    ['counting up', 'Math.random += 1;'],
    ['a global', 'globalThis.Date = Fake;'],
    ['a property', "Object.defineProperty(Math, 'random', { value: f });"],
    ['files', "import { readFileSync } from 'node:fs';"],
    ['processes', "const { spawn } = require('child_process');"],
    ['the environment', 'const home = process.env.HOME;'],
    ['stacks', 'assert.match(error.stack, /x/);'],
    ['a derived class', 'class Mine extends Base {}'],
    ['a patched class', 'Base.prototype.run = () => 1;'],
    ['a module loaded anew', 'await import(`../../shop/thing.mjs?${n}`);'],
    ['another file of the project', "import { x } from '../../shop/other.mjs';"],
  ])('sees %s in a JavaScript suite', (_name, suite) => {
    const contract = scriptContract('shop/thing.mjs', ['export class Base { run(): number; }']);
    expect(scriptChoice(contract, suite, ['shop/other.mjs'])).toEqual({
      tier: 'in_process',
      reasons: [expect.any(String)],
    });
  });

  test.each([
    'assert.equal(text, "Math.random = 1");',
    '// process.env.A\n/* mock.method( */ const f = mock.fn();',
    "const pattern = /process.env.A = 'x'/;",
    "const { Base } = await import('../../shop/thing.mjs');",
    'const text = `class Mine extends Base ${1 + 1}`;',
    'const { random } = Math;\nMath.random = () => 0.5;\nMath.random = random;',
    'globalThis.fetch = async () => reply;',
    "test('a', (t) => { t.mock.method(Date, 'now', () => 1); t.mock.method(console, \"log\"); });",
    "mock.timers.enable({ apis: ['setTimeout'] });",
    'if (Date.now === other || Math.PI == 3) done();',
  ])('does not mind %s', (suite) => {
    const contract = scriptContract('shop/thing.mjs', ['export class Base { run(): number; }']);
    expect(scriptChoice(contract, suite)).toEqual({ tier: 'glass_wall', reasons: [] });
  });

  test('takes a declared member "stack" for what it is, not for the trace of an error', () => {
    const contract = scriptContract('shop/thing.mjs', ['export class Machine { get stack(): number[]; }']);
    expect(scriptChoice(contract, 'assert.deepEqual(machine.stack, [1]);')).toEqual({
      tier: 'glass_wall',
      reasons: [],
    });
  });

  test('is bound by the lock: older locks mean one process, and a contract may still ask for it', () => {
    const locked = { suiteHash: `sha256:${'0'.repeat(64)}`, tests: [] };
    const walled = { ...locked, wall: { tier: 'glass_wall' as const, reasons: [] } };
    expect(tierOf(CONTRACT, locked)).toBe('in_process');
    expect(tierOf(CONTRACT, walled)).toBe('glass_wall');
    expect(tierOf(gateContract({ wall: 'in_process' }), walled)).toBe('in_process');
  });
});

describe('verifySnapshot() of JavaScript by default', () => {
  test('locks the wall with the suite and judges code and examples behind it', async () => {
    const contract = scriptContract(
      'price/money.mjs',
      ['export function parseMoney(text: string): number;'],
      [],
      {
        language: 'javascript',
        wall: 'default',
        tests: ['tests/price_money/**'],
        examples: [{ call: "parseMoney('12.30')", returns: 1230 }],
      },
    );
    const suite = [
      "import { test } from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { parseMoney } from '../../price/money.mjs';",
      "test('value', () => assert.equal(parseMoney('12.30'), 1230));",
      '',
    ].join('\n');
    const files = { 'tests/price_money/money.test.mjs': suite };
    const locked = await world.lock(contract, files, { E1: ['*'] });
    expect(locked.wall).toEqual({ tier: 'glass_wall', reasons: [] });
    const judged = async (code: string, limits: Parameters<typeof quickPlan>[1]) =>
      (await world.code(contract, { ...files, 'price/money.mjs': code }, locked, quickPlan(contract, limits)))
        .report;
    const honest = "export const parseMoney = (text) => Number(text.replace('.', ''));";
    expect(await judged(honest, {})).toMatchObject({
      verdict: 'PASS',
      tier: 'glass_wall',
      examples: [{ outcome: 'passed' }],
    });
    const wrong = { verdict: 'FAIL', fault: 'builder', examples: [{ outcome: 'failed' }] };
    const codes = {
      '1': wrong,
      'process.exit(0)': { ...wrong, verdict: 'INVALID' },
      'Object(1230)': wrong,
      '{ for (;;); }': wrong,
    };
    for (const [code, verdict] of Object.entries(codes))
      expect(
        await judged(`export const parseMoney = (text) => ${code};`, { testTimeoutMs: 3_000 }),
      ).toMatchObject(verdict);
  });
});

describe('verifySnapshot() with a wall that the contract requires', () => {
  test('locks the tier with the suite and judges code and examples behind it', async () => {
    const { report } = await world.suite(CONTRACT, texts(SUITE), COVERS);
    expect({ verdict: report.verdict, tier: report.tier, wall: report.wall }).toEqual({
      verdict: 'PASS',
      tier: 'in_process',
      wall: { tier: 'glass_wall', reasons: [] },
    });
    const locked = lockedSuiteOf(report);
    const judged = await world.code(CONTRACT, texts(SUITE, HONEST), locked);
    expect(judged.report).toMatchObject({
      verdict: 'PASS',
      tier: 'glass_wall',
      wall: { tier: 'glass_wall' },
      examples: [{ outcome: 'passed' }],
    });
    expect(judged.report.ids.ran).toHaveLength(2);
    const again = await world.code(CONTRACT, texts(SUITE, HONEST), locked);
    expect(again).toMatchObject({ cacheHit: true, report: { digest: judged.report.digest } });
    const wrong = HONEST.replace('int(text', '1 + int(text');
    const failed = await world.code(CONTRACT, texts(SUITE, wrong), locked);
    expect(failed.report).toMatchObject({
      verdict: 'FAIL',
      fault: 'builder',
      examples: [{ outcome: 'failed' }],
    });
  });

  test('refuses a suite that works in one process only, and says why', async () => {
    const files = `import threading\n${SUITE}`;
    const { report } = await world.suite(CONTRACT, texts(files), COVERS);
    expect(report.wall?.tier).toBe('in_process');
    const judged = await world.code(CONTRACT, texts(files, HONEST), lockedSuiteOf(report));
    expect(judged.report).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
    expect(judged.report.levels[0]?.findings[0]).toMatchObject({
      code: 'tier_refused',
      text: expect.stringContaining('threading'),
    });
  });

  test('is what `run --require-wall` asks for too, whatever the contract leaves open', async () => {
    const open = gateContract();
    const files = `import threading\n${SUITE}`;
    const strict = await openGateWorld({ requireWall: true });
    const locked = lockedSuiteOf((await world.suite(open, texts(files), COVERS)).report);
    const refused = await strict.code(open, texts(files, HONEST), locked);
    expect(refused.report).toMatchObject({ verdict: 'INVALID', fault: 'manager', tier: 'in_process' });
    const allowed = await world.code(open, texts(files, HONEST), locked);
    expect(allowed.report).toMatchObject({ verdict: 'PASS', tier: 'in_process' });
    await strict.close();
  });
});
