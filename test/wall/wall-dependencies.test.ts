/** A node and what it depends on share the builder's process: neither reaches the suite's side, and neither patches the verdict. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LockedSuite } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { runSuite } from '../runner/run-runner.ts';
import { lockOf, SUITE_PATH, thingContract } from './wall-world.ts';

// A field of the class has the name of an export of the node above it.
const MONEY = thingContract(
  {
    exports: [
      'class Money:\n    cents: int\n    def __init__(self, cents: int) -> None: ...\n    def __eq__(self, other: object) -> bool: ...\n    def plus(self, other: Money) -> Money: ...',
    ],
    raises: ['Overdrawn(ValueError)'],
  },
  {
    id: 'shop.money',
    files: ['shop/money.py'],
    tests: ['tests/shop_money/**'],
    contentFile: 'shop/money.py',
    importLine: 'import shop.money',
  },
);
const THING = thingContract({
  imports: ['from shop.money import Money'],
  exports: [
    'def total(xs: list[Money]) -> Money: ...',
    'def cents(xs: list[Money]) -> int: ...',
    'class Coin(Money):\n    def __init__(self) -> None: ...',
  ],
  // Defined by the node below.
  raises: ['Overdrawn'],
});
const MONEY_CODE = [
  'class Overdrawn(ValueError): pass',
  'class Money:',
  '    def __init__(self, cents): self.cents = cents',
  '    def __eq__(self, other): return isinstance(other, Money) and other.cents == self.cents',
  '    def plus(self, other): return Money(self.cents + other.cents)',
  '',
].join('\n');
const THING_CODE = [
  'from shop.money import Money, Overdrawn',
  'def total(xs):',
  '    found = Money(0)',
  '    for each in xs: found = found.plus(each)',
  '    return found',
  'class Coin(Money):',
  '    def __init__(self): super().__init__(1)',
  'def cents(xs):',
  '    if any(each.cents < 0 for each in xs): raise Overdrawn("less than none")',
  '    return sum(each.cents for each in xs)',
  '',
].join('\n');
const WRONG = THING_CODE.replace('found = found.plus(each)', 'found = Money(99)');
const SUITE = [
  'import json',
  'import pytest',
  'from shop.thing import Coin, Overdrawn, cents, total',
  'from shop.money import Money',
  'def test_total(): assert total([Money(1), Money(2)]) == Money(3)',
  'def test_cents(): assert cents([Money(4)]) == 4',
  'def test_error_of_the_node_below():',
  '    with pytest.raises(Overdrawn): cents([Money(-1)])',
  'def test_class_derived_from_one_below():',
  '    assert isinstance(Coin(), Money) and Coin().plus(Money(2)) == Money(3)',
  'def test_own_side(): assert json.loads("[1]") == [1] and sorted([2, 1]) == [1, 2] and len("abcd") == 4',
  '',
].join('\n');

let world: GateWorld;
let locked: LockedSuite;
const treeOf = (money: string, thing: string): Record<string, string> => ({
  'shop/__init__.py': '',
  'shop/money.py': money,
  'shop/thing.py': thing,
  [SUITE_PATH]: SUITE,
});
async function verdictOn(money: string, thing: string): Promise<string> {
  const plan = quickPlan(THING, { testTimeoutMs: 2000, wallMs: 15_000 });
  const texts = treeOf(money, thing);
  const asked = { contract: THING, texts, kind: 'code', locked, plan, dependencies: [MONEY] } as const;
  const { report } = await world.verify(asked);
  return `${report.verdict} ${String(report.fault)}`;
}

beforeAll(async () => {
  world = await openGateWorld();
  const inside = await runSuite(treeOf(MONEY_CODE, THING_CODE), { testFiles: [SUITE_PATH] });
  locked = lockOf(
    SUITE,
    inside.tests.map((line) => line.id),
    'glass_wall',
  );
});
afterAll(async () => {
  await world.close();
});

test('honest code passes, also where a field has the name of an export above', async () => {
  expect(await verdictOn(MONEY_CODE, THING_CODE)).toBe('PASS null');
});

const FORGES = [
  'import json, os, threading, time',
  'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)',
  'def go():',
  '    while True: time.sleep(0.002); frame(json.dumps([1, 4, None, []]).encode())',
  'threading.Thread(target=go, daemon=True).start()',
].join('\n');
const PATCHES = [
  'import atexit, builtins, json, os, sys',
  'json.loads = lambda *rest: [1]',
  'builtins.sorted = lambda items: [1, 2]',
  'builtins.AssertionError = KeyError',
  'sys.modules["_pytest.assertion"] = None',
  'atexit.register(lambda: os._exit(0))',
].join('\n');
const SAYS_YES = '__eq__ = lambda self, other: True\n';

test.each([
  ['is wrong', MONEY_CODE, WRONG],
  ['makes the class below equal to everything', MONEY_CODE, `${WRONG}Money.${SAYS_YES}`],
  ['puts a class of its own in place', MONEY_CODE, `${WRONG}class Money(Money):\n    ${SAYS_YES}`],
  ['stands on code that patches builtins and modules', `${MONEY_CODE}${PATCHES}\n`, WRONG],
  [
    'stands on code that forges answers',
    `${MONEY_CODE}${FORGES}\n`,
    THING_CODE.replace('sum(each.cents for each in xs)', '5'),
  ],
  [
    'stands on a class whose class says yes',
    MONEY_CODE.replace(
      'class Money:',
      'class Yes(type):\n    __instancecheck__ = lambda cls, it: True\n    __eq__ = lambda cls, it: True\n    __hash__ = type.__hash__\nclass Money(metaclass=Yes):',
    ),
    WRONG,
  ],
])('fails code that %s', async (_name, money, thing) => {
  expect(await verdictOn(money, thing)).toBe('FAIL builder');
});
