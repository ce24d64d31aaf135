/** Which tests are red on which Python stub (gate.md part 3): the traps that one stub alone does not show. */
import { describe, expect, test } from '@jest/globals';
import { contractOf } from './run-locally.ts';
import { colours, onStubs, reachedOf } from './on-stubs.ts';

interface Row {
  readonly title: string;
  readonly exports: readonly string[];
  readonly raises?: readonly string[];
  readonly suite: string;
  /** Red or green on `raise`, `none`, `wrong`. */
  readonly colours: Readonly<Record<string, string>>;
  /** Names reached on `raise`. */
  readonly reached?: Readonly<Record<string, readonly string[]>>;
  readonly refused?: RegExp;
}

const GET = 'def get(key: str) -> str | None: ...';

const ROWS: readonly Row[] = [
  {
    title: 'an import and a truth prove nothing',
    exports: ['def f(x: int) -> int: ...'],
    suite: 'import shop.thing\ndef test_a():\n    assert True\n',
    colours: { test_a: 'ggg' },
    reached: { test_a: [] },
  },
  {
    title: 'an honest value test',
    exports: ['def f(x: int) -> int: ...'],
    suite: 'from shop.thing import f\ndef test_a():\n    assert f(2) == 4\n',
    colours: { test_a: 'rrr' },
    reached: { test_a: ['f'] },
  },
  {
    title: 'any exception will do: green where every callable raises, and still reached',
    exports: ['def f(x: int) -> int: ...'],
    suite:
      'import pytest\nfrom shop.thing import f\ndef test_a():\n    with pytest.raises(Exception):\n        f(2)\ndef test_b():\n    with pytest.raises(ValueError):\n        f(2)\n',
    colours: { test_a: 'grr', test_b: 'rrr' },
    reached: { test_a: ['f'], test_b: ['f'] },
  },
  {
    title: 'missing gives None, and idempotence',
    exports: [GET],
    suite:
      'from shop.thing import get\ndef test_missing():\n    assert get("x") is None\ndef test_same():\n    assert get("x") == get("x")\n',
    colours: { test_missing: 'rgr', test_same: 'rgg' },
  },
  {
    title: 'a coroutine that nobody awaits does not reach its export',
    exports: ['async def fetch(url: str) -> bytes: ...'],
    suite:
      'import asyncio\nfrom shop.thing import fetch\ndef test_a():\n    assert fetch("x")\ndef test_b():\n    assert asyncio.run(fetch("x")) == b"1"\n',
    colours: { test_a: 'ggg', test_b: 'rrr' },
    reached: { test_a: [], test_b: ['fetch'] },
    refused: /'test_a'.*without awaiting/,
  },
  {
    title: 'what is awaited is reached, though the statement before it fails',
    exports: [
      'async def count(start: int) -> AsyncIterator[int]: ...',
      'class Pool:\n    def __init__(self) -> None: ...\n    @property\n    def free(self) -> int: ...\n    async def take(self) -> int: ...\n    async def __aenter__(self) -> Pool: ...\n    async def __aexit__(self, *exc: object) -> None: ...',
    ],
    suite: [
      'import asyncio',
      'from shop.thing import Pool, count',
      'def test_pool():',
      '    async def main():',
      '        pool = Pool()',
      '        assert pool.free == 2',
      '        async with pool as inner:',
      '            assert await inner.take() == 1',
      '    asyncio.run(main())',
      'def test_count():',
      '    async def main():',
      '        return [n async for n in count(2)]',
      '    assert asyncio.run(main()) == [2, 1]',
    ].join('\n'),
    colours: { test_pool: 'rrr', test_count: 'rrr' },
    reached: {
      test_pool: ['Pool', 'Pool.__aenter__', 'Pool.__aexit__', 'Pool.free', 'Pool.take'],
      test_count: ['count'],
    },
  },
  {
    title: 'an exception with a length can be shown on every stub',
    exports: [
      'class Problems(Exception):\n    def __init__(self, found: list[str]) -> None: ...\n    def __len__(self) -> int: ...',
      'def check() -> None: ...',
    ],
    suite:
      'from shop.thing import Problems, check\ndef test_raised():\n    raise Problems(["a"])\ndef test_length():\n    assert len(Problems(["a"])) == 1\n    check()\n',
    colours: { test_raised: 'rrr', test_length: 'rrr' },
  },
  {
    title: 'a method may be declared as another name of one',
    exports: [
      'class Money:\n    def __init__(self, n: int) -> None: ...\n    def __mul__(self, k: int) -> int: ...\n    __rmul__ = __mul__',
    ],
    suite:
      'from shop.thing import Money\ndef test_both():\n    assert Money(2) * 3 == 6\ndef test_other():\n    assert 3 * Money(2) == 6\n',
    colours: { test_both: 'rrr', test_other: 'rrr' },
    reached: { test_both: ['Money', 'Money.__mul__'], test_other: ['Money', 'Money.__rmul__'] },
  },
  {
    title: 'a data class is its own stub: red on wrong only',
    exports: ['@dataclass(frozen=True)\nclass Money:\n    cents: int\n    currency: str = "EUR"'],
    suite: [
      'import dataclasses, pytest',
      'from shop.thing import Money',
      'def test_equal(): assert Money(1, "A") == Money(1, "A")',
      'def test_default(): assert Money(1).currency == "EUR"',
      'def test_field(): assert Money(5, "A").cents == 5',
      'def test_frozen():\n    with pytest.raises(dataclasses.FrozenInstanceError):\n        Money(1, "A").cents = 2',
    ].join('\n'),
    colours: { test_equal: 'ggr', test_default: 'ggr', test_field: 'ggr', test_frozen: 'ggr' },
    reached: { test_equal: ['Money'] },
  },
  {
    title: 'constants, enums and named tuples are their own stubs',
    exports: [
      'MAX: int = 5',
      'class Color(Enum):\n    RED = "red"',
      'class Point(NamedTuple):\n    x: int\n    y: int = 0',
    ],
    suite: [
      'from shop.thing import MAX as LIMIT, Color, Point',
      'def test_max(): assert LIMIT == 5',
      'def test_value(): assert Color("red") is Color.RED',
      'def test_members(): assert [c.name for c in Color] == ["RED"]',
      'def test_point(): assert Point(1) == (1, 0)',
    ].join('\n'),
    colours: { test_max: 'ggr', test_value: 'ggr', test_members: 'ggr', test_point: 'ggr' },
    reached: { test_max: ['MAX'], test_value: ['Color'], test_point: ['Point'] },
  },
  {
    title: 'exceptions are re-parented and lose their message',
    exports: ['def parse(text: str) -> int: ...'],
    raises: ['PriceError(ValueError)'],
    suite: [
      'import pytest',
      'from shop.thing import PriceError, parse',
      'def test_parent(): assert issubclass(PriceError, ValueError)',
      'def test_message(): assert str(PriceError("x")) == "x"',
      'def test_raises():\n    with pytest.raises(PriceError):\n        parse("?")',
    ].join('\n'),
    colours: { test_parent: 'ggr', test_message: 'ggr', test_raises: 'rrr' },
    reached: { test_parent: ['PriceError'], test_raises: ['PriceError', 'parse'] },
  },
  {
    title: 'classes: methods, properties, class and static methods, context managers',
    exports: [
      'class Cache:\n    def __init__(self, size: int) -> None: ...\n    def put(self, key: str, value: int) -> None: ...\n    def get(self, key: str) -> int | None: ...\n    @property\n    def size(self) -> int: ...\n    @classmethod\n    def empty(cls) -> Cache: ...\n    @staticmethod\n    def key(text: str) -> str: ...\n    def __enter__(self) -> Self: ...\n    def __exit__(self, *args: object) -> None: ...\n    def __len__(self) -> int: ...',
    ],
    suite: [
      'from shop.thing import Cache',
      'def test_made(): assert isinstance(Cache(3), Cache)',
      'def test_get():\n    c = Cache(3)\n    c.put("a", 1)\n    assert c.get("a") == 1',
      'def test_size(): assert Cache(3).size == 3',
      'def test_empty(): assert len(Cache.empty()) == 0',
      'def test_key(): assert Cache.key("A") == "a"',
      'def test_with():\n    with Cache(3) as c:\n        assert c.size == 3',
    ].join('\n'),
    colours: {
      test_made: 'ggg',
      test_get: 'rrr',
      test_size: 'rrr',
      test_empty: 'rrr',
      test_key: 'rrr',
      test_with: 'rrr',
    },
    // A method behind a failing call is called where tests are played through.
    reached: {
      test_made: ['Cache'],
      test_get: ['Cache', 'Cache.get', 'Cache.put'],
      test_key: ['Cache', 'Cache.key'],
      test_with: ['Cache', 'Cache.__enter__', 'Cache.__exit__', 'Cache.size'],
    },
  },
  {
    title: 'what is set on a wrong object is lost',
    exports: [
      'class Cell:\n    value: int\n    def __init__(self, value: int) -> None: ...',
      '@dataclass\nclass Point:\n    x: int',
    ],
    suite: [
      'from shop.thing import Cell, Point',
      'def test_cell():\n    c = Cell(1)\n    c.value = 2\n    assert c.value == 2',
      'def test_point():\n    p = Point(1)\n    p.x = 2\n    assert p.x == 2',
    ].join('\n'),
    colours: { test_cell: 'ggr', test_point: 'ggr' },
  },
  {
    title: 'generators, context manager functions and overloads',
    exports: [
      'def numbers() -> Iterator[int]: ...',
      '@contextmanager\ndef opened(path: str) -> Iterator[str]: ...',
      '@overload\ndef twice(x: int) -> int: ...\n@overload\ndef twice(x: str) -> str: ...',
      'async def stream() -> AsyncIterator[int]: ...',
    ],
    suite: [
      'import asyncio',
      'from shop.thing import numbers, opened, stream, twice',
      'def test_numbers(): assert list(numbers()) == [1]',
      'def test_opened():\n    with opened("p") as text:\n        assert text == "x"',
      'def test_twice(): assert twice(2) == 4',
      'def test_stream():\n    async def run():\n        return [x async for x in await stream()]\n    assert asyncio.run(run()) == [1]',
    ].join('\n'),
    colours: { test_numbers: 'rrr', test_opened: 'rrr', test_twice: 'rrr', test_stream: 'rrr' },
  },
  {
    title: 'iterators end, and classes may name themselves and each other',
    exports: [
      'DEFAULT: Money',
      'class Steps:\n    last: Steps\n    money: Money\n    def __iter__(self) -> Self: ...\n    def __next__(self) -> int: ...\n    def __getitem__(self, at: int) -> int: ...',
      "class Items:\n    __slots__ = ('a',)\n    a: int\n    def __getitem__(self, at: int) -> int: ...",
      '@dataclass\nclass Money:\n    cents: int',
    ],
    suite:
      'from shop.thing import DEFAULT, Items, Money, Steps\ndef test_steps(): assert list(Steps()) == [1]\ndef test_items(): assert list(Items()) == [1]\ndef test_default(): assert DEFAULT == Money(1)\n',
    colours: { test_steps: 'rrr', test_items: 'rrr', test_default: 'rrr' },
  },
  {
    title: 'objects made while the suite is imported are data',
    exports: ['class Vec:\n    def __init__(self, x: int) -> None: ...\n    def size(self) -> int: ...'],
    suite: [
      'import pytest',
      'from shop.thing import Vec',
      '@pytest.mark.parametrize("vec", [Vec(1), Vec(2)], ids=["a", "b"])',
      'def test_size(vec): assert vec.size() == 3',
    ].join('\n'),
    colours: { test_size: 'rrr', 'test_size#1': 'rrr' },
    reached: { test_size: ['Vec', 'Vec.size'] },
  },
  {
    title: 'defaults, lengths and named tuples that a suite only uses say nothing of the values',
    exports: [
      '@dataclass\nclass Note:\n    title: str\n    done: bool = False',
      'class Pair(NamedTuple):\n    left: int\n    right: int',
      'class Queue:\n    def __len__(self) -> int: ...',
      'def merge(a: Note, b: Note) -> Note: ...',
      'def halves(x: int) -> Pair: ...',
    ],
    suite: [
      'import pytest',
      'from shop.thing import Note, Pair, Queue, halves, merge',
      'def test_type(): assert type(merge(Note("a"), Note("b"))) is Note',
      'def test_same(): assert merge(Note("a"), Note("b")) == merge(Note("a"), Note("b"))',
      'def test_value(): assert merge(Note("a"), Note("b")) == Note("a", True)',
      'def test_equal(): assert Note("a") == Note("a", False)',
      'def test_needed():\n    with pytest.raises(TypeError):\n        Note()',
      'def test_taken_apart():\n    left, right = halves(3)\n    assert isinstance(left, int)',
      'def test_halves(): assert halves(3) == Pair(1, 2)',
      'def test_length(): assert len(Queue()) >= 0',
      'def test_at_least(): assert halves(4).left >= 0',
    ].join('\n'),
    colours: {
      test_type: 'rrg',
      test_same: 'rgg',
      test_value: 'rrr',
      test_equal: 'ggr',
      test_needed: 'ggg',
      test_taken_apart: 'rrg',
      test_halves: 'rrr',
      test_length: 'rrg',
      test_at_least: 'rrg',
    },
  },
  {
    title: 'a call while the suite is loaded gives a wrong value on every stub, and counts for all tests',
    exports: ['def f(x: int) -> list[int]: ...', 'def g() -> str: ...'],
    suite: [
      'import pytest',
      'from shop.thing import f, g',
      'FOUND = f(1)',
      'class TestIt:',
      '    name = g()',
      '    def test_name(self): assert self.name == "a"',
      'def test_found(): assert FOUND == [1]',
      'def test_any(): assert FOUND',
      '@pytest.mark.parametrize("given, wanted", [(f(2)[0], 2)])',
      'def test_table(given, wanted): assert given == wanted',
      'def test_again(): assert f(1) == FOUND',
    ].join('\n'),
    colours: {
      'TestIt > test_name': 'rrr',
      test_found: 'rrr',
      test_any: 'ggg',
      test_table: 'rrr',
      test_again: 'rrg',
    },
    reached: { test_found: ['f', 'g'] },
  },
];

describe('Python stubs', () => {
  test.each(ROWS.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const contract = contractOf('python', 'shop/thing.py', {
      exports: row.exports,
      raises: row.raises ?? [],
    });
    const runs = await onStubs(contract, { 'tests/shop_thing/test_thing.py': row.suite });
    expect(colours(runs)).toEqual(row.colours);
    for (const [name, reached] of Object.entries(row.reached ?? {}))
      expect([name, reachedOf(runs, name)]).toEqual([name, reached]);
    if (row.refused === undefined) expect(runs.raise.refused).toEqual([]);
    else expect(runs.raise.refused.join('\n')).toMatch(row.refused);
    expect([runs.raise.ended, runs.none.ended, runs.wrong.ended]).toEqual([true, true, true]);
  });
});
