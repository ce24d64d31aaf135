/** Code that lies behind the glass wall: none of it gets PASS, and each fault is the builder's (gate.md part 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { judged, lockOf, runInside, thingContract } from './wall-world.ts';

const CONTRACT = thingContract({
  exports: [
    'def parse(text: str) -> int: ...',
    'def apply(f: Callable[[int], int], n: int) -> int: ...',
    'class Money:\n    def __init__(self, cents: int) -> None: ...\n    def __eq__(self, other: object) -> bool: ...\n    def plus(self, other: Money) -> Money: ...',
  ],
  raises: ['ValueError'],
});
const SUITE = [
  'import pytest',
  'from unittest.mock import Mock',
  'from shop.thing import Money, apply, parse',
  'def test_value(): assert parse("12.30") == 1230',
  'def test_refuses():',
  '    with pytest.raises(ValueError): parse("x")',
  'def test_any_error():',
  '    with pytest.raises(Exception): parse("")',
  'def test_apply(): assert apply(lambda n: n + 41, 1) == 42',
  'def test_mock():',
  '    seen = Mock()',
  '    apply(seen, 5)',
  '    seen.assert_called_once_with(5)',
  'def test_sum(): assert Money(1).plus(Money(2)) == Money(3)',
  'def test_swallowed():',
  '    try: found = parse("7.00")',
  '    except Exception: found = None',
  '    assert found == 700',
  '',
].join('\n');
const MONEY = [
  'class Money:',
  '    def __init__(self, cents): self.cents = cents',
  '    def __eq__(self, other): return isinstance(other, Money) and self.cents == other.cents',
  '    def plus(self, other): return Money(self.cents + other.cents)',
];
const PARSE = [
  'def parse(text):',
  '    if len(text) < 4 or text[-3] != ".": raise ValueError(text)',
  '    return int(text[:-3]) * 100 + int(text[-2:])',
];
const APPLY = ['def apply(f, n): return f(n)'];
const HONEST = [...MONEY, ...PARSE, ...APPLY].join('\n') + '\n';

/** The honest module with another `parse` (or whatever `lines` define last). */
function liar(...lines: readonly string[]): string {
  return `${HONEST}import os, sys, json, time, threading\n${lines.join('\n')}\n`;
}

/** Writes a frame of our own on the pipe to the suite. */
const FRAME = 'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)';

let world: GateWorld;
let locked: LockedSuite;

beforeAll(async () => {
  world = await openGateWorld();
  const inside = await runInside({ code: HONEST, suite: SUITE });
  locked = lockOf(SUITE, inside.ids, 'glass_wall');
});
afterAll(async () => {
  await world.close();
});

const ATTACKS: readonly (readonly [string, string])[] = [
  ['os._exit(0) in a call', liar('def parse(text): os._exit(0)')],
  ['os._exit(0) at import', liar('os._exit(0)')],
  ['os._exit(137) in a call', liar('def parse(text): os._exit(137)')],
  ['SystemExit', liar('def parse(text): sys.exit(0)')],
  ['SystemExit at import', liar('sys.exit(0)')],
  ['KeyboardInterrupt', liar('def parse(text): raise KeyboardInterrupt')],
  ['SkipTest', liar('import unittest', 'def parse(text): raise unittest.SkipTest("no")')],
  [
    'an outcome of pytest',
    liar('import pytest', 'def parse(text): pytest.skip("no", allow_module_level=True)'),
  ],
  ['a forged answer that is no JSON', liar(FRAME, 'def parse(text): frame(b"garbage")')],
  [
    'a forged frame of four gigabytes',
    liar('def parse(text):', '    os.write(4, b"\\xff" * 4096)', '    time.sleep(9)'),
  ],
  [
    'a forged pass beside the answer',
    liar(FRAME, 'def parse(text):', '    frame(json.dumps([1, 1230, None, []]).encode())', '    return 1'),
  ],
  ['brackets without end', liar(FRAME, 'def parse(text): frame(b"[" * 500000)')],
  [
    'the handle of an object that the suite never gave',
    liar(FRAME, 'def parse(text): frame(json.dumps([1, ["R", 12345], None, []]).encode())'),
  ],
  [
    'unknown tags and wrong shapes',
    liar(FRAME, 'def parse(text): frame(json.dumps([1, ["eval", "1230"], None, {}]).encode())'),
  ],
  [
    'the insides of a callback',
    liar(
      FRAME,
      'def apply(f, n):',
      '    frame(json.dumps([0, "get", 1, "__globals__", [], {}, None, []]).encode())',
      '    return 0',
    ),
  ],
  [
    'a mock whose assertion is another',
    liar('def apply(f, n):', '    f.assert_called_once_with = lambda *a: None', '    return n + 41'),
  ],
  [
    'a mock whose record is written',
    liar(
      'def apply(f, n):',
      '    f.called, f.call_count, f.call_args = True, 1, ((5,), {})',
      '    return n + 41',
    ),
  ],
  [
    'a named tuple with names that are code',
    liar(
      FRAME,
      'def parse(text): frame(json.dumps([1, ["nt", "P", ["x=print(1)"], 1230], None, []]).encode())',
    ),
  ],
  ['a value of fifty megabytes', liar('def parse(text): return "x" * 50_000_000')],
  [
    'a value that is nested for ever',
    liar('def parse(text):', '    t = ()', '    for _ in range(100000): t = (t,)', '    return t'),
  ],
  [
    'a number that equals everything',
    liar(
      'class Magic(int):',
      '    def __eq__(self, other): return True',
      '    __hash__ = int.__hash__',
      'def parse(text): return Magic(1)',
    ),
  ],
  [
    'an object that equals everything',
    liar(
      'class Magic:',
      '    def __eq__(self, other): return True',
      '    @property',
      '    def __class__(self): return int',
      'def parse(text): return Magic()',
    ),
  ],
  [
    'a class that calls everything equal',
    liar('Money.__eq__ = lambda self, other: True', 'Money.plus = lambda s, o: s'),
  ],
  [
    'an answer to == that is no boolean',
    liar('class Yes:', '    def __bool__(self): return True', 'Money.__eq__ = lambda self, other: Yes()'),
  ],
  ['sleep in a call', liar('def parse(text): time.sleep(60)')],
  ['an endless loop', liar('def parse(text):', '    while True: pass')],
  [
    'a loop that swallows every deadline',
    liar(
      'def parse(text):',
      '    while True:',
      '        try: time.sleep(1)',
      '        except BaseException: pass',
    ),
  ],
  ['sleep at import', liar('time.sleep(60)')],
  [
    'reading the suite',
    liar(
      'def parse(text):',
      '    for folder, _, names in os.walk("/"):',
      '        for name in names:',
      '            if name.startswith("test_it"):',
      '                return int(open(os.path.join(folder, name)).read().split("== ")[1].split()[0])',
      '    return 0',
    ),
  ],
  [
    'reading the memory of the other process',
    liar(
      'def parse(text):',
      '    for pid in filter(str.isdigit, os.listdir("/proc")):',
      '        if int(pid) != os.getpid():',
      '            for name in ("environ", "maps", "mem"):',
      '                try: open(f"/proc/{pid}/{name}", "rb").read(10)',
      '                except OSError: continue',
      '                if name != "maps": return {"12.30": 1230, "7.00": 700}.get(text, 0)',
      '    return 0',
    ),
  ],
  [
    'patching pytest and builtins in its own process',
    liar(
      'import builtins, _pytest.runner, _pytest.python',
      '_pytest.runner.call_and_report = lambda *a, **k: None',
      'builtins.AssertionError = KeyError',
      'builtins.int.__eq__ if False else None',
      'def parse(text): return 1',
    ),
  ],
  [
    'writing and deleting reports',
    liar(
      'def parse(text):',
      '    for path in ("/out/report.jsonl", "/out/second.jsonl", "/work/conftest.py"):',
      '        try: open(path, "w").write("{}")',
      '        except OSError: pass',
      '        try: os.remove(path)',
      '        except OSError: pass',
      '    return 1',
    ),
  ],
  ['killing everything', liar('def parse(text):', '    os.kill(-1, 9)', '    return 1')],
  [
    'a thread that survives and answers',
    liar(
      FRAME,
      'def spam():',
      '    while True:',
      '        time.sleep(0.01)',
      '        frame(json.dumps([1, 1230, None, []]).encode())',
      'threading.Thread(target=spam, daemon=True).start()',
      'def parse(text): return 1',
    ),
  ],
  [
    'a child that answers later',
    liar(
      FRAME,
      'if os.fork() == 0:',
      '    while True:',
      '        time.sleep(0.02)',
      '        frame(json.dumps([1, 700, None, []]).encode())',
      'def parse(text): return 1',
    ),
  ],
  [
    'walking frames and the garbage collector',
    liar(
      'import gc',
      'def parse(text):',
      '    for thing in gc.get_objects():',
      '        if type(thing) is dict and "test_value" in thing: return 1230',
      '    return 0',
    ),
  ],
  ['closing the pipes', liar('def parse(text):', '    os.close(4)', '    os.close(3)', '    return 1')],
  ['a wrong value', liar('def parse(text): return 1')],
];

describe('verifySnapshot() of lying code behind the glass wall', () => {
  test('passes the honest code', async () => {
    const { report } = await judged(world, CONTRACT, { code: HONEST, suite: SUITE }, locked);
    expect(report.verdict).toBe('PASS');
  });

  test.each(ATTACKS)('sees through %s', async (_name, code) => {
    const limits = { testTimeoutMs: 1500, wallMs: 15_000 };
    const { report, logs } = await judged(world, CONTRACT, { code, suite: SUITE }, locked, limits);
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, fault: report.fault, codes, logs }).toEqual({
      verdict: codes.includes('early_exit') ? 'INVALID' : 'FAIL',
      fault: 'builder',
      codes,
      logs,
    });
  });

  test('tells the builder one counterexample a clause and nothing of the suite', async () => {
    const code = liar('def parse(text): return 1 if text else 0');
    const { report } = await judged(world, CONTRACT, { code, suite: SUITE }, locked);
    const feedback = builderFeedback(report, CONTRACT, locked);
    const examples = feedback.items.flatMap((item) => item.counterexample ?? []);
    // The test of '12.30' is among those that are never told.
    expect(examples).toEqual([{ call: "parse('x')", result: 'returns 1' }]);
    expect(JSON.stringify(feedback)).not.toMatch(/test_|1230|700/u);
  });

  test('tells no earlier call in place of one that had no end', async () => {
    const code = liar('Money.plus = lambda self, other: sys.exit(0)');
    const { report } = await judged(world, CONTRACT, { code, suite: SUITE }, locked);
    const { items } = builderFeedback(report, CONTRACT, locked);
    expect(items.length).toBeGreaterThan(0);
    expect(items.map((item) => item.counterexample ?? null)).toEqual(items.map(() => null));
  });
});
