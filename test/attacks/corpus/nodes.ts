/** The small nodes that builders attack: a Python one behind the wall, the same in one process, and one in JavaScript. */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { LockedSuite } from '../../../schemas/report.ts';
import { gateContract } from '../../support/gate-contract.ts';
import { lockOf, SUITE_PATH, thingContract } from '../../wall/wall-world.ts';
import type { NodeKind } from '../attack.ts';
import { sharedNode } from './shared-node.ts';

/** A word of the suite that no builder may ever be told. */
export const SUITE_CANARY = 'CANARY_OF_THE_SUITE_5f1c';

const PYTHON_SUITE = [
  'import pytest',
  'import asyncio',
  'from shop.thing import Batch, Money, apply, feed, halves, mean, later, parse, words',
  `SECRET = "${SUITE_CANARY}"`,
  'def test_value(): assert parse("12.30") == 1230',
  'def test_refuses():',
  '    with pytest.raises(ValueError): parse("x")',
  'def test_apply(): assert apply(lambda n: n + 41, 1) == 42',
  'def test_sum(): assert Money(1).plus(Money(2)) == Money(3)',
  'def test_listed(): assert Money(2).plus(Money(5)) in [Money(7)]',
  'def test_total():',
  '    want = Money(20 + len("abcde"))',
  '    assert Money(20).plus(Money(5)) == want',
  'def test_swallowed():',
  '    try: found = parse("7.00")',
  '    except Exception: found = None',
  '    assert found == 700',
  'def test_mean(): assert abs(mean([1.0, 2.0]) - 1.5) < 1e-9',
  'def test_words(): assert "b" in words("A B") and len(words("A B")) == 2 and words("A B")[0].startswith("a")',
  'def test_halves():',
  '    found = list(halves([1.0, 3.0]))',
  '    assert len(found) == 2 and abs(found[1] - 1.5) < 1e-9',
  'def test_called():',
  '    def check(n):',
  '        assert n == 5',
  '        return n + 1',
  '    assert isinstance(apply(check, 5), int)',
  'def test_batch():',
  '    with Batch() as batch:',
  '        batch.put(2)',
  '        batch.put(3)',
  '        assert batch.total() == 5',
  'class Spy:',
  '    def __init__(self): self._seen = []',
  '    def record(self, n): self._seen.append(n)',
  '    def has_seen(self, n): return self._seen == [n]',
  'def test_feed():',
  '    spy = Spy()',
  '    feed(spy)',
  '    assert spy.has_seen(7)',
  'def test_later():',
  '    async def check(n): assert n == 3',
  '    asyncio.run(later(check))',
  '',
].join('\n');
const PYTHON_TESTS = [
  'test_value',
  'test_refuses',
  'test_apply',
  'test_sum',
  'test_listed',
  'test_total',
  'test_swallowed',
  'test_mean',
  'test_words',
  'test_halves',
  'test_called',
  'test_batch',
  'test_feed',
  'test_later',
];

/** Passes. Every lie begins with it and defines something anew. */
export const HONEST = [
  'import os, sys, json, time, threading',
  'class Money:',
  '    def __init__(self, cents): self.cents = cents',
  '    def __eq__(self, other): return isinstance(other, Money) and self.cents == other.cents',
  '    def plus(self, other): return Money(self.cents + other.cents)',
  'def parse(text):',
  '    if len(text) < 4 or text[-3] != ".": raise ValueError(text)',
  '    return int(text[:-3]) * 100 + int(text[-2:])',
  'def apply(f, n): return f(n)',
  'def mean(xs): return sum(xs) / len(xs)',
  'def words(text): return text.lower().split()',
  'def halves(xs): return (x / 2 for x in xs)',
  'class Batch:',
  '    def __init__(self): self.all = []',
  '    def __enter__(self): return self',
  '    def __exit__(self, kind, error, trace): return False',
  '    def put(self, n): self.all.append(n)',
  '    def total(self): return sum(self.all)',
  'def feed(spy): spy.record(7)',
  'async def later(f): await f(3)',
  '',
].join('\n');

/** A lie after the honest module. */
export function lie(...lines: readonly string[]): string {
  return `${HONEST}${lines.join('\n')}\n`;
}

/** Does harm at the first call and answers honestly: only a limit stands between it and a PASS. */
export function greedy(...lines: readonly string[]): string {
  const body = lines.map((line) => `    ${line}`);
  return `${HONEST}_honest, _done = parse, []\ndef harm():\n${body.join('\n')}\ndef parse(text):\n    if not _done: _done.append(1); harm()\n    return _honest(text)\n`;
}

export const JAVASCRIPT_HONEST = [
  'export function parse(text) {',
  '  const found = /^(\\d+)\\.(\\d\\d)$/.exec(text);',
  "  if (found === null) throw new RangeError('two decimals');",
  '  return Number(found[1]) * 100 + Number(found[2]);',
  '}',
  '',
].join('\n');

const JAVASCRIPT_SUITE_PATH = 'tests/shop_price/price.test.js';
const JAVASCRIPT_SUITE = [
  "import { test } from 'node:test';",
  "import assert from 'node:assert/strict';",
  "import { parse } from '../../shop/price.js';",
  `export const SECRET = '${SUITE_CANARY}';`,
  "test('two decimals', () => assert.equal(parse('12.30'), 1230));",
  "test('refuses', () => assert.throws(() => parse('1.2'), RangeError));",
  '',
].join('\n');

/** Exports of many declared types; its suite holds something against each. */
export const TYPED_HONEST: Readonly<Record<string, string>> = {
  words: "export function words(text) { return text.toLowerCase().split(' '); }",
  tags: "export function tags(text) { return new Set(text.split(' ')); }",
  load: 'export async function load(n) { return `item ${n}`; }',
  cart: 'export function cart(xs) { return { total: xs.reduce((a, b) => a + b, 0), names: xs.map((x) => `n${x}`) }; }',
  each: 'export function each(xs, f) { for (const x of xs) f(x.toLowerCase()); }',
  run: 'export async function run(f) { await f(5); }',
  feed: 'export function feed(spy) { spy.record(7); }',
  spell: 'export function* spell(text) { yield* text; }',
  Point:
    'export class Point { constructor(x, y) { this.x = x; this.y = y; } told() { return `${this.x} ${this.y}`; } }',
  point: 'export function point(x, y) { return new Point(x, y); }',
  moved: 'export function moved(p, by) { return new Point(p.x + by, p.y); }',
  Box: 'export class Box { #all = []; put(name) { this.#all.push(name); } names() { return [...this.#all]; } get label() { return this.#all.join(); } }',
};
export const TYPED_CONTRACT: ResolvedContract = gateContract({
  id: 'shop.typed',
  language: 'javascript',
  files: ['shop/typed.js', 'shop/typed/**'],
  tests: ['tests/shop_typed/**'],
  contentFile: 'shop/typed.js',
  importLine: "import { words } from '../../shop/typed.js'",
  interface: {
    exports: [
      'export function words(text: string): string[];',
      'export function tags(text: string): Set<string>;',
      'export function load(n: number): Promise<string>;',
      'export function cart(xs: number[]): { total: number; names: string[] };',
      'export function each(xs: string[], f: (x: string) => void): void;',
      'export function run(f: (n: number) => Promise<void>): Promise<void>;',
      'export function feed(spy: any): void;',
      'export function spell(text: string): Generator<string>;',
      'export class Point { constructor(x: number, y: number); x: number; y: number; told(): string; }',
      'export function point(x: number, y: number): Point;',
      'export function moved(p: Point, by: number): Point;',
      'export class Box { put(name: string): void; names(): string[]; get label(): string; }',
    ],
    imports: [],
    raises: [],
    guarantees: [],
    assumptions: [],
    inert: [],
  },
});
const TYPED_SUITE_PATH = 'tests/shop_typed/typed.test.js';
export const TYPED_AROUND: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}\n',
  [TYPED_SUITE_PATH]: [
    "import { test } from 'node:test';",
    "import assert from 'node:assert/strict';",
    "import { words, tags, load, cart, each, run, feed, spell, Box, Point, moved, point } from '../../shop/typed.js';",
    "test('words', () => { const found = words('A B'); assert.equal(found.length, 2); assert.ok(found.includes('b')); assert.ok(found[0].startsWith('a')); });",
    "test('tags', () => { const found = tags('a b'); assert.equal(found.size, 2); assert.ok(found.has('b')); });",
    "test('load', async () => { const found = await load(3); assert.ok(found.startsWith('item')); assert.ok(found.endsWith('3')); });",
    "test('cart', () => { const found = cart([1, 2]); assert.ok(found.total - 3 === 0); assert.ok(found.names.includes('n2')); });",
    "test('each', () => { const seen = []; each(['A'], (x) => seen.push(x)); assert.equal(seen.length, 1); assert.ok(seen[0].startsWith('a')); });",
    "test('called', () => { let n = 0; each(['A'], (x) => { n += 1; assert.equal(x, 'a'); }); assert.ok(n > 0); });",
    "test('run', async () => { let n = 0; await run(async (x) => { n += 1; assert.equal(x, 5); }); assert.ok(n > 0); });",
    "test('feed', () => { const seen = []; const spy = { record: (n) => void seen.push(n), saw: (n) => seen.join() === String(n) }; feed(spy); assert.ok(spy.saw(7)); });",
    "test('spell', () => { const [first] = spell('ab'); assert.ok(first.startsWith('a')); assert.equal([...spell('ab')].length, 2); });",
    "test('point', () => { const p = new Point(5, 8); assert.equal(p.x, 5); assert.equal(p.y, 8); });",
    "test('moved', () => { const p = new Point(1, 2); const want = new Point(p.x + 3, p.y); assert.deepEqual(moved(p, 3), want); });",
    "test('made', () => { const p = new Point(1, 6); const want = point(4, 6); assert.deepEqual(moved(p, 3), want); assert.ok(want.y !== 0); });",
    "test('told', () => { const p = new Point(2, 2); assert.equal(p.told(), '2 2'); });",
    "test('told of both', () => { const found = moved(new Point(7, 2), 3); assert.equal(found.told(), new Point(10, 2).told()); });",
    "test('box', () => { const box = new Box(); box.put('x'); assert.ok(box.names().includes('x')); assert.ok(box.label.startsWith('x')); });",
    '',
  ].join('\n'),
};

export function typedNode(locked: LockedSuite): AttackedNode {
  return {
    contract: TYPED_CONTRACT,
    codePath: 'shop/typed.js',
    suitePath: TYPED_SUITE_PATH,
    around: TYPED_AROUND,
    honest: `${Object.values(TYPED_HONEST).join('\n')}\n`,
    locked,
  };
}

/** One node: its contract, the files round its code, what honest code is, and the locked suite. */
export interface AttackedNode {
  readonly contract: ResolvedContract;
  readonly codePath: string;
  readonly suitePath: string;
  readonly around: Readonly<Record<string, string>>;
  readonly honest: string;
  readonly locked: LockedSuite;
}

const DECLARED = {
  exports: [
    'def parse(text: str) -> int: ...',
    'def apply(f: Callable[[int], int], n: int) -> int: ...',
    'def mean(xs: list[float]) -> float: ...',
    'def words(text: str) -> list[str]: ...',
    'def halves(xs: list[float]) -> Iterator[float]: ...',
    'def feed(spy: Any) -> None: ...',
    'async def later(f: Callable[[int], Awaitable[None]]) -> None: ...',
    'class Batch:\n    def __init__(self) -> None: ...\n    def __enter__(self) -> Batch: ...\n    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool: ...\n    def put(self, n: int) -> None: ...\n    def total(self) -> int: ...',
    'class Money:\n    def __init__(self, cents: int) -> None: ...\n    def __eq__(self, other: object) -> bool: ...\n    def plus(self, other: Money) -> Money: ...',
  ],
  raises: ['ValueError'],
};

function pythonNode(wall: 'required' | 'in_process'): AttackedNode {
  const ids = PYTHON_TESTS.map((name) => ({ file: SUITE_PATH, nesting: [], name, ordinal: 0 }));
  return {
    contract: thingContract(DECLARED, { wall }),
    codePath: 'shop/thing.py',
    suitePath: SUITE_PATH,
    around: { 'shop/__init__.py': '', [SUITE_PATH]: PYTHON_SUITE },
    honest: HONEST,
    locked: lockOf(PYTHON_SUITE, ids, wall === 'required' ? 'glass_wall' : 'in_process'),
  };
}

export const JAVASCRIPT_CONTRACT: ResolvedContract = gateContract({
  id: 'shop.price',
  language: 'javascript',
  files: ['shop/price.js', 'shop/price/**'],
  tests: ['tests/shop_price/**'],
  contentFile: 'shop/price.js',
  importLine: "import { parse } from '../../shop/price.js'",
  interface: {
    exports: ['export function parse(text: string): number;'],
    imports: [],
    raises: ['RangeError'],
    guarantees: [],
    assumptions: [],
    inert: [],
  },
});

export const SCRIPT_INSIDE_CONTRACT: ResolvedContract = { ...JAVASCRIPT_CONTRACT, wall: 'in_process' };

export const JAVASCRIPT_AROUND: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}\n',
  [JAVASCRIPT_SUITE_PATH]: JAVASCRIPT_SUITE,
};

/** The nodes whose locks need no run; the one in JavaScript is locked by the gate itself, which fixes its tier. */
export const PYTHON_NODES: Readonly<
  Record<Exclude<NodeKind, 'javascript' | 'script_inside' | 'typed'>, AttackedNode>
> = {
  walled: pythonNode('required'),
  inside: pythonNode('in_process'),
  shared: sharedNode(),
};

/** @param contract the node's own, or the same for one process. */
export function javascriptNode(locked: LockedSuite, contract = JAVASCRIPT_CONTRACT): AttackedNode {
  return {
    contract,
    codePath: 'shop/price.js',
    suitePath: JAVASCRIPT_SUITE_PATH,
    around: JAVASCRIPT_AROUND,
    honest: JAVASCRIPT_HONEST,
    locked,
  };
}
