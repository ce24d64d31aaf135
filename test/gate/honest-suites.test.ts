/** Honest suites are not refused: those of the walls that a stub alone misjudges, and such shapes in small (gate.md part 3). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { scriptCases } from '../wall/script-world.ts';
import { honestCases, SUITE_PATH, thingContract } from '../wall/wall-world.ts';
import { openGateWorld, type GateWorld, type Texts } from './gate-world.ts';

/** Honest, but not whole: none looks at a result. The author is told which. */
const WANTING: Readonly<Record<string, readonly string[]>> = { exceptions: ['not_red wrong withdraw'] };

interface Case {
  readonly name: string;
  readonly contract: ResolvedContract;
  readonly texts: Texts;
}

/** What is green on `none`, `wrong` or every stub in these is honest; the others never leave a doubt. */
const MISJUDGED =
  /^(async-sources|class-attributes|dataclass-values|derived-async|derived-plugins|derived-shapes|events|exceptions|exception-methods|hierarchy|identity-cache|in-process-subclass|typed-dict-union|(class-hierarchy|class-private|errors-detail|node-emitter|timers) in JavaScript)$/u;

const CASES: readonly Case[] = [
  ...honestCases().map(({ name, contract, suite }) => ({
    name,
    contract,
    texts: { 'shop/__init__.py': '', [SUITE_PATH]: suite },
  })),
  ...scriptCases().map(({ name, contract, suitePath, suite }) => ({
    name: `${name} in JavaScript`,
    contract: { ...contract, tests: [suitePath] },
    texts: { 'package.json': '{"type":"module"}', [suitePath]: suite },
  })),
].filter(({ name }) => MISJUDGED.test(name));

/** Python: what only one of the stubs would refuse. */
const PYTHON_SHAPES = thingContract({
  exports: [
    'def ok(value: int) -> tuple[str, int]: ...',
    'def map_ok(result: tuple[str, int], f: Callable[[int], int]) -> tuple[str, int]: ...',
    'def double(n: int) -> int: ...',
    'def encode(text: str) -> bytes: ...',
    'def decode(data: bytes) -> str: ...',
    'def is_even(n: int) -> bool: ...',
    'def check(n: int) -> None: ...',
    'def fail(text: str) -> NoReturn: ...',
    'def reverse(items: list[int]) -> None: ...',
    'async def ticks(n: int) -> AsyncIterator[int]: ...',
    '@contextmanager\ndef tagged(out: list[str], name: str) -> Iterator[None]: ...',
    'class Row(TypedDict):\n    id: int\n    tags: NotRequired[list[str]]',
    'class Named(Protocol):\n    name: str',
    'Rows: TypeAlias = list[Row]',
    'def rows(text: str) -> Rows: ...',
    'def label(thing: Named) -> str: ...',
    '@dataclass\nclass Point:\n    x: int\n    y: int',
    'def origin() -> Point: ...',
    'class Turn:\n    def __init__(self, degrees: float) -> None: ...\n    @property\n    def degrees(self) -> float: ...\n    def plus(self, other: Turn) -> Turn: ...',
    'class Empty: ...',
    'class Fault(Exception): ...',
    'def guarded(f: Callable[[], int]) -> str: ...',
    'class Gone(Exception): ...',
    'def route(path: str) -> Callable[[Callable[[], int]], Callable[[], int]]: ...',
    'def handle(path: str) -> str: ...',
    'def nothing() -> Empty: ...',
    'class Right:\n    def __init__(self, value: int) -> None: ...\n    def then(self, f: Callable[[int], Either]) -> Either: ...\n    def __eq__(self, other: object) -> bool: ...',
    'class Left:\n    def __init__(self, error: str) -> None: ...\n    def then(self, f: Callable[[int], Either]) -> Either: ...\n    def __eq__(self, other: object) -> bool: ...',
    'Either: TypeAlias = Right | Left',
    'class Bus:\n    def __init__(self) -> None: ...\n    def on(self, name: str, f: Callable[..., None]) -> Self: ...\n    def off(self, name: str, f: Callable[..., None]) -> None: ...\n    def emit(self, name: str, *args: object) -> int: ...\n    @property\n    def limit(self) -> int: ...\n    @limit.setter\n    def limit(self, value: int) -> None: ...\n    def __ne__(self, other: object) -> bool: ...\n    def __contains__(self, name: str) -> bool: ...\n    def __enter__(self) -> Self: ...\n    def __exit__(self, *args: object) -> None: ...\n    @property\n    def closed(self) -> bool: ...',
  ],
  imports: [],
});
const PYTHON_SUITE = [
  'import asyncio, types',
  'import pytest',
  'from shop.thing import Bus, Empty, Fault, Gone, Left, Right, Turn, check, decode, double, encode, fail, guarded, handle, is_even, label, map_ok, nothing, ok, origin, reverse, route, rows, tagged, ticks',
  'EVEN, TURN = is_even(2), Turn(9)',
  'def raiser(): raise Fault("x")',
  '@route("/x")\ndef gone(): raise Gone("x")',
  'def test_ok(): assert ok(2) == ("ok", 2)',
  'def test_map(): assert map_ok(ok(2), lambda n: n * 2) == ok(4)',
  'def test_handed(): assert map_ok(ok(3), double) == ok(6)',
  'def test_round(): assert decode(encode("ä")) == "ä"',
  'def test_even(): assert is_even(2)',
  'def test_check():\n    with pytest.raises(ValueError): check(-1)',
  'def test_fail():\n    with pytest.raises(RuntimeError): fail("x")',
  'def test_reverse():\n    items = [1, 2]\n    reverse(items)\n    assert items == [2, 1]',
  'def test_ticks():\n    async def main(): return [n async for n in ticks(2)]\n    assert asyncio.run(main()) == [0, 1]',
  'def test_tagged():\n    out = []\n    with tagged(out, "b"): out.append("x")\n    assert out == ["<b>", "x", "</b>"]',
  'def test_rows(): assert rows("1") == [{"id": 1}]',
  'def test_label(): assert label(types.SimpleNamespace(name="a")) == "a!"',
  'def test_origin(): assert (origin().x, origin().y) == (0, 0)',
  'def test_degrees(): assert Turn(4).degrees == 4',
  'def test_plus(): assert abs(Turn(1).plus(Turn(2)).degrees - Turn(3).degrees) < 0.001',
  'def test_nothing(): assert isinstance(nothing(), Empty)',
  'def test_on():\n    seen, bus = [], Bus()\n    assert bus.on("a", seen.append) is bus\n    assert bus.emit("a", 1) == 1 and seen == [1]',
  'def test_off():\n    seen, bus = [], Bus()\n    bus.on("a", seen.append)\n    bus.off("a", seen.append)\n    bus.emit("a", 1)\n    assert seen == []',
  'def test_limit():\n    bus = Bus()\n    bus.limit = 3\n    assert bus.limit == 3',
  'def test_other(): assert Bus() != Bus()',
  'def test_has():\n    bus = Bus()\n    bus.on("a", print)\n    assert "a" in bus',
  'def test_with():\n    with Bus() as bus: pass\n    assert bus.closed',
  'def test_arguments():\n    with pytest.raises(TypeError): encode()',
  'def test_two(): assert Bus() is not Bus()',
  'def test_guarded(): assert guarded(raiser) == "fault"',
  'def half(n): return Right(n // 2) if n % 2 == 0 else Left("odd")',
  'def test_then(): assert Right(6).then(half).then(half).then(half) == Left("odd")',
  'def test_not_called():\n    called = []\n    Left("x").then(called.append)\n    assert called == []',
  'def test_route(): assert handle("/x") == "gone"',
  'def test_loaded(): assert EVEN and TURN.degrees == 9',
].join('\n');

const SCRIPT_PATH = 'tests/shop_thing/shapes.test.mjs';
const SCRIPT_SHAPES = thingContract(
  {
    exports: [
      'export type Result = { ok: true, value: number } | { ok: false, error: string };',
      'export function ok(value: number): Result;',
      'export function map(result: Result, f: (n: number) => number): Result;',
      'export function double(n: number): number;',
      'export class Vec { constructor(x: number, y: number); x: number; y: number; }',
      'export function vec(x: number, y: number): Vec;',
      'export function add(a: Vec, b: Vec): Vec;',
      'export class Turn { constructor(degrees: number); get degrees(): number; plus(other: Turn): Turn; }',
      'export function isEven(n: number): boolean;',
      'export function isText(x: unknown): x is string;',
      'export function mustBeText(x: unknown): asserts x is string;',
      'export function fail(text: string): never;',
      'export class Late extends RangeError { readonly ms: number; }',
      'export function within(work: Promise<number>, ms: number): Promise<number>;',
      'export class Fault extends Error { constructor(status: number); toJSON(): { status: number }; }',
      'export class Gone extends Fault { constructor(); }',
      'export class Taken extends Fault { constructor(); }',
      'export class Tags extends Set<string> { constructor(items?: Iterable<string>); first(): string; }',
      'export interface Store { get(key: string): number; size: number }',
      'export function createStore(): Store;',
      'export abstract class Shape { abstract area(): number; }',
      'export class Square extends Shape { constructor(side: number); area(): number; }',
      'export class Bus { on(name: string, f: (x: unknown) => void): this; off(name: string, f: (x: unknown) => void): void; emit(name: string, x: unknown): number; }',
    ],
  },
  {
    language: 'javascript',
    files: ['shop/thing.mjs'],
    contentFile: 'shop/thing.mjs',
    importLine: "import {} from '../../shop/thing.mjs'",
    tests: [SCRIPT_PATH],
  },
);
const SCRIPT_SUITE = [
  "import test from 'node:test';",
  "import assert from 'node:assert/strict';",
  "import { Bus, Fault, Gone, Late, Shape, Square, Tags, Taken, Turn, add, createStore, double, fail, isEven, isText, map, mustBeText, ok, vec, within } from '../../shop/thing.mjs';",
  "test('ok', () => assert.deepEqual(ok(2), { ok: true, value: 2 }));",
  "test('map', () => assert.deepEqual(map(ok(2), (n) => n * 2), ok(4)));",
  "test('handed', () => assert.deepEqual(map(ok(3), double), ok(6)));",
  "test('vec', () => assert.equal(vec(1, 2).x, 1));",
  "test('add', () => assert.deepEqual(add(vec(1, 2), vec(1, 2)), vec(2, 4)));",
  "test('degrees', () => assert.equal(new Turn(4).degrees, 4));",
  "test('plus', () => assert.ok(Math.abs(new Turn(1).plus(new Turn(2)).degrees - new Turn(3).degrees) < 0.001));",
  "test('even', () => assert.ok(isEven(2)));",
  "test('text', () => assert.equal(isText('a'), true));",
  "test('must', () => assert.throws(() => mustBeText(1), TypeError));",
  "test('fail', () => assert.throws(() => fail('x'), RangeError));",
  "test('late', async () => { assert.equal(await within(Promise.resolve(1), 9), 1); await assert.rejects(within(new Promise(() => {}), 5), (error) => error instanceof Late && error.ms === 5); });",
  "test('faults', () => { const gone = new Gone(); assert.ok(gone instanceof Fault); assert.deepEqual(gone.toJSON(), { status: 410 }); assert.equal(new Taken().toJSON().status, 409); });",
  "test.describe('tags', () => { const tags = new Tags('ab'); const first = tags.first(); test('is a set', () => assert.ok(tags instanceof Set)); test('first', () => assert.equal(first, 'a')); });",
  "test('store', () => { const s = createStore(); assert.equal(s.get('a'), 0); assert.equal(s.size, 0); });",
  "test('area', () => assert.equal(new Square(2).area(), 4));",
  "test('kind', () => assert.ok(new Square(1) instanceof Shape));",
  "test('on', () => { const seen = []; const bus = new Bus(); assert.equal(bus.on('a', (x) => seen.push(x)), bus); assert.equal(bus.emit('a', 1), 1); assert.deepEqual(seen, [1]); });",
  "test('off', () => { const seen = []; const bus = new Bus(); const f = (x) => seen.push(x); bus.on('a', f); bus.off('a', f); bus.emit('a', 1); assert.deepEqual(seen, []); });",
  '',
].join('\n');

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

async function findingsOf(contract: ResolvedContract, texts: Texts): Promise<readonly string[]> {
  const covers = Object.fromEntries(
    contract.interface.raises.map((_each, at) => [`R${String(at + 1)}`, ['*']]),
  );
  const { report } = await world.suite({ ...contract, wall: 'default' }, texts, covers);
  return report.levels
    .flatMap((level) => level.findings)
    .map((found) => `${found.code} ${found.stub ?? '-'} ${found.exportName ?? found.text}`);
}

describe('an honest suite', () => {
  test.each(CASES.map((each) => [each.name, each] as const))(
    'is not refused, or for what it leaves out: %s',
    async (name, each) => {
      const found = await findingsOf(each.contract, each.texts);
      expect(found.toSorted()).toEqual((WANTING[name] ?? []).toSorted());
    },
  );

  test('is not refused for shapes that a stub alone misjudges: Python', async () => {
    expect(await findingsOf(PYTHON_SHAPES, { 'shop/__init__.py': '', [SUITE_PATH]: PYTHON_SUITE })).toEqual(
      [],
    );
  });

  test('is not refused for shapes that a stub alone misjudges: JavaScript', async () => {
    const texts = { 'package.json': '{"type":"module"}', [SCRIPT_PATH]: SCRIPT_SUITE };
    expect(await findingsOf(SCRIPT_SHAPES, texts)).toEqual([]);
  });
});
