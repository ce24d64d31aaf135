/** Export statements that seed accepts, and those it refuses with the line, the reason and a suggestion (gate.md part 2). */
import { describe, expect, test } from '@jest/globals';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { textFile } from '../../adapters/stubs/stub-trees.ts';
import { contractOf, runLocally } from './run-locally.ts';

const ACCEPTED: readonly (readonly [string, readonly string[]])[] = [
  ['def parse(text: str) -> int: ...', ['parse:function']],
  ['def parse(text: str, /, base: int = 10, *, strict: bool = ...) -> int: ...', ['parse:function']],
  ['async def fetch(url: str) -> bytes: ...', ['fetch:function']],
  ['def items() -> Iterator[tuple[int, str]]: ...', ['items:function']],
  ['@contextmanager\ndef opened(path: str) -> Iterator[int]: ...', ['opened:function']],
  ['@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...', ['f:function']],
  ['MAX_SIZE: int', ['MAX_SIZE:constant']],
  ['MAX_SIZE: Final = 5', ['MAX_SIZE:constant']],
  ['NAMES = ("a", "b")', ['NAMES:constant']],
  ['T = TypeVar("T")', ['T:alias']],
  ['UserId = NewType("UserId", int)', ['UserId:alias']],
  ['Pair: TypeAlias = tuple[int, int]', ['Pair:alias']],
  ['class Empty: ...', ['Empty:class']],
  [
    'class Cache:\n    size: int\n    def get(self, key: str) -> int | None: ...\n    @property\n    def hits(self) -> int: ...',
    ['Cache:class', 'Cache.get:method', 'Cache.hits:method'],
  ],
  ['class Base(ABC):\n    @abstractmethod\n    def run(self) -> Self: ...', ['Base:class']],
  [
    '@dataclass(frozen=True)\nclass Money:\n    amount: int\n    tags: list[str] = field(default_factory=list)',
    ['Money:dataclass'],
  ],
  ['class Point(NamedTuple):\n    x: int\n    y: int = 0', ['Point:dataclass']],
  ['class Options(TypedDict, total=False):\n    a: int', ['Options:alias']],
  ['class Sized2(Protocol):\n    def size(self) -> int: ...', ['Sized2:alias']],
  ['class Color(Enum):\n    RED = "red"\n    BLUE = ...', ['Color:enum']],
  ['class Level(IntEnum):\n    LOW: int\n    HIGH: int', ['Level:enum']],
  [
    'class PriceError(ValueError):\n    code: int\n    def __init__(self, code: int) -> None: ...',
    ['PriceError:exception'],
  ],
  ['  def indented(x: "Any") -> None: ...\n', ['indented:function']],
  ['class Box(Generic[T2]):\n    def get(self) -> T2: ...', ['Box:class', 'Box.get:method', 'T2:alias']],
];

/** Statement, what the reason says, what the suggestion says. */
const REFUSED: readonly (readonly [string, RegExp, string | RegExp])[] = [
  ['def parse(text: str) -> int', /does not parse/, 'def parse(text: str) -> int: ...'],
  ['def parse(text: str) -> int:', /does not parse/, 'def parse(text: str) -> int: ...'],
  ['parse(text: str) -> int', /does not parse/, 'def parse(text: str) -> int: ...'],
  ['async fetch(url: str) -> bytes', /does not parse/, 'async def fetch(url: str) -> bytes: ...'],
  ['function parse(text: string): number', /does not parse/, 'def parse(text: str) -> float: ...'],
  ['export const MAX: number = 5;', /does not parse/, 'MAX: float = 5'],
  ['class Cache', /does not parse/, 'class Cache: ...'],
  [
    '@dataclass class Money: amount: int; currency: str',
    /does not parse/,
    '@dataclass\nclass Money:\n    amount: int\n    currency: str',
  ],
  [
    'class Money(amount: int, currency: str)',
    /does not parse/,
    '@dataclass\nclass Money:\n    amount: int\n    currency: str',
  ],
  ['parse(text)', /not a declaration/, 'def parse(text): ...'],
  ['MAX_SIZE', /not a declaration/, 'MAX_SIZE: int'],
  ['parse_money', /not a declaration/, 'def parse_money() -> None: ...'],
  ['parse_money: parses a text', /does not parse/, /Write one Python declaration/],
  ['from typing import Any', /not an export/, /Move it to 'imports': from typing import Any/],
  ['def f(): ...\ndef g(): ...', /declares f, g/, /entry of its own/],
  ['def f(x: int) -> int:\n    return x + 1', /holds code/, 'def f(x: int) -> int: ...'],
  ['class Config(BaseModel):\n    x: int', /'BaseModel' is not defined/, /import line/],
  ['def first(xs: list[T]) -> T: ...', /'T' is not defined/, 'Add the export T = TypeVar("T") before it'],
  [
    'def wait(seconds: float = DEFAULT_WAIT) -> None: ...',
    /'DEFAULT_WAIT' is not defined/,
    /Declare 'DEFAULT_WAIT'/,
  ],
  ['def f(x: Optinal[int]) -> int: ...', /'Optinal' is not defined/, /did you mean 'Optional'/],
  ['def f(x: int = int("a")) -> int: ...', /does not import: ValueError/, /default that is not part/],
  ['class C(int, str): ...', /does not import: TypeError/, /bases/],
];

describe('buildStubs() for Python accepts', () => {
  test.each(ACCEPTED)('%s', async (statement, names) => {
    const extra = statement.includes('T2') ? ['T2 = TypeVar("T2")'] : [];
    const built = await buildStubs(
      contractOf('python', 'shop/thing.py', { exports: [statement, ...extra] }),
      runLocally,
    );
    expect(built.ok ? built.exports.map((item) => `${item.name}:${item.kind}`) : built).toEqual(names);
  });
});

describe('buildStubs() for Python refuses', () => {
  test.each(REFUSED)('%s', async (statement, reason, suggestion) => {
    const built = await buildStubs(
      contractOf('python', 'thing.py', { exports: ['MIN = 1', statement] }),
      runLocally,
    );
    if (built.ok) throw new Error('accepted');
    const [problem] = built.problems;
    expect(problem).toMatchObject({ where: 'exports', index: 1 });
    expect(problem?.reason).toMatch(reason);
    if (typeof suggestion === 'string') expect(problem?.suggestion).toBe(suggestion);
    else expect(problem?.suggestion).toMatch(suggestion);
  });

  test('an import that does not exist, by its place in imports', async () => {
    const declared = { exports: ['x: int'], imports: ['import json', 'from nowhere import a'] };
    const built = await buildStubs(contractOf('python', 'thing.py', declared), runLocally);
    expect(built).toMatchObject({ ok: false, problems: [{ where: 'imports', index: 1 }] });
  });

  test('a raise that is no exception name, and one whose base is unknown', async () => {
    const declared = {
      exports: [],
      raises: ['not a name', 'PriceError(MoneyError)', 'ValueError', { type: 'Odd' }],
    };
    const built = await buildStubs(contractOf('python', 'thing.py', declared), runLocally);
    expect(built).toMatchObject({
      ok: false,
      problems: [
        { where: 'raises', index: 0 },
        { where: 'raises', index: 1, reason: "The name 'MoneyError' is not defined" },
      ],
    });
  });
});

describe('buildStubs() for Python', () => {
  test('takes names from dependencies without an import line', async () => {
    const base = await buildStubs(
      contractOf('python', 'price/money.py', { exports: ['@dataclass\nclass Money:\n    cents: int'] }),
      runLocally,
    );
    if (!base.ok) throw new Error('refused');
    const contract = contractOf('python', 'price/tax.py', { exports: ['def tax(of: Money) -> Money: ...'] });
    const dependency = { module: 'price.money', names: ['Money'], files: base.stubs.raise };
    expect(await buildStubs(contract, runLocally, [dependency])).toMatchObject({ ok: true });
    expect(await buildStubs(contract, runLocally)).toMatchObject({ ok: false });
    const loud = { ...dependency, files: [textFile('price/money.py', 'print("{}")\nclass Money: pass\n')] };
    expect(await buildStubs(contract, runLocally, [loud])).toMatchObject({ ok: true });
  });

  test('gives clause ids and marks what is inert', async () => {
    const declared = {
      exports: ['def log(x: str) -> None: ...', 'async def f() -> int: ...'],
      raises: ['OddError'],
      inert: ['log'],
    };
    const built = await buildStubs(contractOf('python', 'thing.py', declared), runLocally);
    expect(built.ok && built.exports).toEqual([
      {
        name: 'log',
        kind: 'function',
        callable: true,
        async: false,
        inert: true,
        fixed: true,
        clauseId: 'E1',
      },
      {
        name: 'f',
        kind: 'function',
        callable: true,
        async: true,
        inert: false,
        fixed: false,
        clauseId: 'E2',
      },
      {
        name: 'OddError',
        kind: 'exception',
        callable: false,
        async: false,
        inert: false,
        fixed: false,
        clauseId: 'R1',
      },
    ]);
  });
});
