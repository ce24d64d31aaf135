/** What a suite has to show of every export: that tests call it, and that they notice when it does something else (gate.md part 12). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { stepOf, resolvePlan } from '../../core/gate/plan.ts';
import { callsOf, withBoughtTime } from '../../core/gate/suite/suite-calls.ts';
import { gateContract } from '../support/gate-contract.ts';
import { failure, testLine } from '../support/gate-runs.ts';
import { SUITE_PATH, thingContract } from '../wall/wall-world.ts';
import { testFunctions } from '../support/money-suite.ts';
import { openGateWorld, type GateWorld, type Texts } from './gate-world.ts';

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

describe('a suite that names an export and does not call it', () => {
  test('is told so: Python', async () => {
    const contract = thingContract({
      exports: [
        'def total(items: list[int]) -> int: ...',
        'def append(items: list[int], item: int) -> list[int]: ...',
        'class Basket:\n    def add(self, item: int) -> None: ...\n    def count(self) -> int: ...',
        'RATE: float = 0.2',
      ],
    });
    const suite = [
      'from shop.thing import RATE, Basket, append, total',
      'def test_append():\n    items = [1, 2]\n    items.append(3)\n    assert total(items) == 6 and RATE == 0.2',
      'def test_add():\n    seen = set()\n    seen.add(1)\n    assert Basket().count() == 0',
    ].join('\n');
    const { report } = await world.suite(contract, { 'shop/__init__.py': '', [SUITE_PATH]: suite });
    const found = report.levels.flatMap((level) => level.findings);
    expect(found.map(({ code, exportName }) => `${code} ${String(exportName)}`)).toEqual([
      'export_unreached append',
    ]);
  });

  test('is told so: JavaScript', async () => {
    const exports = [
      'export function area(side: number): number;',
      'export function volume(side: number): number;',
      'export const SIDES = 4;',
      'export const CORNERS = 8;',
    ];
    const path = 'tests/price_money/area.test.mjs';
    const contract = {
      ...KIT,
      tests: [path],
      contentFile: 'price/money.mjs',
      interface: { ...KIT.interface, exports },
    };
    const suite = [
      "import { test, describe } from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { area, volume, CORNERS as corners, SIDES } from '../../price/money.mjs';",
      "describe('area and volume', () => { test('area', () => { volume; const CORNERS = 8; assert.equal(area(2), 4); }); });",
      "test('CORNERS', () => assert.equal(SIDES, 4));",
    ].join('\n');
    const { report } = await world.suite(contract, { [path]: suite });
    const found = report.levels.flatMap((level) => level.findings);
    expect(found.map(({ code, exportName }) => `${code} ${String(exportName)}`)).toEqual([
      'export_unreached volume',
      'export_unreached CORNERS',
    ]);
  });
});

/** Two that may be about one object, one apart, one that makes a text for the other. */
const SHOP = thingContract({
  exports: [
    'class Shelf:\n    def __init__(self, size: int) -> None: ...\n    def put(self, name: str) -> int: ...\n    def total(self) -> int: ...\n    def names(self) -> list[str]: ...',
    'def slug(text: str) -> str: ...',
    'def clamp(value: int, low: int, high: int) -> int: ...',
    'def save(path: str, text: str) -> int: ...',
    'def load(path: str) -> str: ...',
  ],
  imports: [],
});
const SHOP_CODE = [
  'import os',
  'class Shelf:',
  '    def __init__(self, size):',
  '        self.size, self.held = size, []',
  '    def put(self, name):',
  '        if len(self.held) < self.size: self.held.append(name)',
  '        return len(self.held)',
  '    def total(self):',
  '        return len(self.held) * 1',
  '    def names(self):',
  '        return sorted(self.held + [])',
  'def slug(text):',
  '    return text.lower().replace(" ", "-")',
  'def clamp(value, low, high):',
  '    return low if value < low else high if value > high else value',
  'FILES = {}',
  'def save(path, text):',
  '    FILES[path] = text',
  '    return len(text) + 0',
  'def load(path):',
  '    return FILES.get(path, "none")',
  '',
].join('\n');
const SHOP_HEAD = 'import pytest\nfrom shop.thing import Shelf, clamp, load, save, slug\n\n';
/** What each test asserts is about one of the exports that it calls. */
const ONE_FOR_ALL = {
  the_last: [
    'shelf = Shelf(2); shelf.put("a"); shelf.total(); shelf.names()',
    'clamp(1, 2, 3); save("f", "x"); load("g")',
    'assert slug("A B") == "a-b"',
  ],
  the_first: [
    'assert slug("A B") == "a-b"',
    'shelf = Shelf(2); shelf.put("a"); shelf.total(); shelf.names(); clamp(1, 2, 3); save("f", "x"); load("g")',
  ],
  the_rest_weakly: [
    'shelf = Shelf(2)',
    'assert shelf.put("a") > 0 and shelf.total() is not None and isinstance(shelf.names(), list)',
    'assert clamp(1, 2, 3) >= 0 and save("f", "x") and len(load("g")) > 0',
    'assert slug("A B") == "a-b"',
  ],
};
/** Honest: each is asserted, by its value or by what it did, in a test with others. */
const TOGETHER = [
  'def test_shelf():\n    shelf = Shelf(2)\n    shelf.put("b"); shelf.put("a")\n    assert shelf.total() == 2 and shelf.names() == ["a", "b"]\n',
  'def test_files(tmp_path):\n    path = str(tmp_path / "f")\n    save(path, slug("A B"))\n    assert load(path) == "a-b"\n',
  'def test_all():\n    low = clamp(0, 1, 3)\n    assert [low, clamp(9, 1, 3)] == [1, 3] and slug("A") == "a"\n',
].join('\n');

/** Findings on code that passed its suite: what of the suite its changes show. */
async function evidence(contract: ResolvedContract, texts: Texts, code: Texts) {
  const locked = await world.lock(contract, texts);
  const asked = { contract, kind: 'code', locked, texts: { ...texts, ...code } } as const;
  const { report } = await world.verify({ ...asked, mutationMs: 8_000, needsEvidence: true });
  return { report, found: report.levels.flatMap((level) => level.findings) };
}

describe('a test of several exports', () => {
  test.each(Object.entries(ONE_FOR_ALL))(
    'that asserts about one of them goes back, with the others named, when no change of those is noticed: %s',
    async (name, lines) => {
      const texts = { 'shop/__init__.py': '', [SUITE_PATH]: SHOP_HEAD + testFunctions({ [name]: lines }) };
      const { report, found } = await evidence(SHOP, texts, { 'shop/thing.py': SHOP_CODE });
      expect([report.verdict, report.fault, report.suspect]).toEqual(['INVALID', 'author', 'suite']);
      expect(new Set(found.map((each) => each.code))).toEqual(new Set(['export_unnoticed']));
      expect(found.map((each) => each.exportName)).toEqual(expect.arrayContaining(['Shelf.total', 'clamp']));
      expect(found.map((each) => each.exportName)).not.toContain('slug');
      expect(found[0]?.text).toMatch(
        /^Every test is green where ".*" \(clause E1\) does nothing and always gives .* and where/u,
      );
    },
  );

  test('that asserts about each, by its value or by what it did, is locked, and its changes are noticed', async () => {
    const texts = { 'shop/__init__.py': '', [SUITE_PATH]: SHOP_HEAD + TOGETHER };
    const { report, found } = await evidence(SHOP, texts, { 'shop/thing.py': SHOP_CODE });
    expect(found.map((each) => each.text)).toEqual([]);
    expect(report.verdict).toBe('PASS');
  });
});

const KIT = gateContract({
  language: 'javascript',
  files: ['price/money.js', 'price/money/**'],
  contentFile: 'price/money.js',
  importLine: "import { slug } from './price/money.js'",
  interface: {
    exports: [
      'export class Shelf { constructor(size: number); put(name: string): number; get total(): number; names(): string[]; }',
      'export function slug(text: string): string;',
      'export function clamp(value: number, low: number, high: number): number;',
      'export async function load(path: string): Promise<string>;',
    ],
    imports: [],
    assumptions: [],
    inert: [],
    raises: [],
    guarantees: [],
  },
});
const KIT_HEAD =
  "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { Shelf, clamp, load, slug } from '../../KIT_FILE';\n";
const KIT_LIES = {
  'with the others last':
    "const s = new Shelf(2); s.put('a'); s.total; s.names(); clamp(1, 2, 3); await load('f'); assert.equal(slug('A B'), 'a-b');",
  'with the others first':
    "assert.equal(slug('A B'), 'a-b'); const s = new Shelf(2); s.put('a'); s.total; s.names(); clamp(1, 2, 3); await load('f');",
  'and the others weakly':
    "const s = new Shelf(2); assert.ok(s.put('a')); assert.ok(s.total >= 0); assert.equal(typeof s.names(), 'object'); assert.ok(clamp(1, 2, 3)); assert.ok(await load('f')); assert.equal(slug('A B'), 'a-b');",
};
const KIT_HONEST = [
  "test('shelf', () => { const s = new Shelf(2); s.put('b'); s.put('a'); assert.equal(s.total, 2); assert.deepEqual(s.names(), ['a', 'b']); });",
  "test('all', async () => { const got = [clamp(9, 1, 3), slug('A')]; assert.deepEqual(got, [3, 'a']); assert.ok((await load(slug('F'))) === 'x'); });",
].join('\n');

const KIT_CODE = [
  'export class Shelf {',
  '  constructor(size) { this.size = size; this.held = []; }',
  '  put(name) { if (this.held.length < this.size) this.held.push(name); return this.held.length; }',
  '  get total() { return this.held.length * 1; }',
  '  names() { return [...this.held].sort().slice(0, 99); }',
  '}',
  "export function slug(text) { return text.toLowerCase().replaceAll(' ', '-'); }",
  'export function clamp(value, low, high) { return value < low ? low : value > high ? high : value; }',
  "export async function load(path) { return path === 'f' ? 'x' : 'y'; }",
  '',
].join('\n');
const KIT_PATH = 'tests/price_money/kit.test.js';
const KIT_CONTRACT = { ...KIT, tests: [KIT_PATH] };

function kitTexts(body: string): Texts {
  const suite = KIT_HEAD.replace('KIT_FILE', KIT.contentFile) + body;
  return { 'package.json': '{"type":"module"}', [KIT_PATH]: suite };
}

describe('a JavaScript test of several exports', () => {
  test.each(Object.entries(KIT_LIES))(
    'that asserts about one of them goes back when no change of the others is noticed, %s',
    async (_name, body) => {
      const texts = kitTexts(`test('all', async () => { ${body} });`);
      const { report, found } = await evidence(KIT_CONTRACT, texts, { [KIT.contentFile]: KIT_CODE });
      expect([report.verdict, report.fault]).toEqual(['INVALID', 'author']);
      expect(new Set(found.map((each) => each.code))).toEqual(new Set(['export_unnoticed']));
      expect(found.map((each) => each.exportName)).toEqual(expect.arrayContaining(['Shelf.total', 'clamp']));
    },
  );

  test('that asserts about each, by its value or by what it did, is locked, and its changes are noticed', async () => {
    const { report, found } = await evidence(KIT_CONTRACT, kitTexts(KIT_HONEST), {
      [KIT.contentFile]: KIT_CODE,
    });
    expect(found.map((each) => each.text)).toEqual([]);
    expect(report.verdict).toBe('PASS');
  });
});

/** On a stub `while queue: queue.pop()` has no end. */
const ENDLESS = testLine('test_a', 'failed', {
  calls: 7_000_000,
  failure: failure({ exceptionType: 'A7TestTimeout', assertion: false }),
});

describe('a test that calls the code very often', () => {
  const LOOPS = {
    'over several lines': 'LIMIT =\n  26 * 26 *\n  10',
    'that is counted': "LIMIT = [...'x'.repeat(6760)].length",
  };

  test.each(Object.entries(LOOPS))(
    'is judged in one process, however its bound is written, with more time: %s',
    async (_name, bound) => {
      const exports = ['export function next(n: number): number;'];
      const contract = { ...KIT_CONTRACT, interface: { ...KIT.interface, exports } };
      const suite = `import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { next } from '../../${KIT.contentFile}';\nconst ${bound};\ntest('all', () => {\n  let n = 0;\n  for (const each of Array(LIMIT * 10).keys()) n = Math.max(n, next(each));\n  assert.equal(n, LIMIT * 10);\n});\n`;
      const locked = await world.lock(contract, { 'package.json': '{"type":"module"}', [KIT_PATH]: suite });
      expect(locked).toMatchObject({
        calls: { most: 67_600, all: 67_600 },
        wall: {
          tier: 'in_process',
          reasons: ['The suite calls the code too often for a wall: 67600 calls in one test'],
        },
      });
      const plan = withBoughtTime(resolvePlan(contract), locked);
      expect(stepOf(plan, 'suite')?.limits).toMatchObject({ testTimeoutMs: 43_800, wallMs: 93_800 });
    },
  );

  test('is so in Python, and a few calls change nothing', async () => {
    const contract = thingContract({ exports: ['def f(n: int) -> int: ...'] }, { wall: 'default' });
    const lock = (rounds: string) =>
      world.lock(contract, {
        'shop/__init__.py': '',
        [SUITE_PATH]: `from shop.thing import f\ndef test_f():\n    found = [f(n) for n in range(${rounds})]\n    assert found[0] == 1\n`,
      });
    expect((await lock('int("40") * 1000')).wall?.tier).toBe('in_process');
    const few = await lock('99_999_999 - 99_999_979');
    expect(few.wall).toEqual({ tier: 'glass_wall', reasons: [] });
    expect(few.calls?.most).toBeLessThan(100);
    expect(callsOf([{ tests: [ENDLESS, testLine('test_a', 'failed', { calls: 9 })] }]).most).toBe(9);
    expect(callsOf([{ tests: [ENDLESS] }]).most).toBe(7_000_000);
  });
});
