/** Code that is handed an object of the suite's own class, derived from one of the contract's, and lies about it (decision 0022). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LockedSuite } from '../../schemas/report.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { choiceOf, judged, lockOf, runInside, thingContract } from './wall-world.ts';

const CONTRACT = thingContract({
  exports: [
    'class Observer(ABC):\n    @abstractmethod\n    def update(self, value: int) -> bool: ...',
    'class Subject:\n    def __init__(self) -> None: ...\n    def attach(self, o: Observer) -> None: ...\n    def emit(self, value: int) -> int: ...',
  ],
  imports: ['from abc import ABC, abstractmethod'],
});
const SUITE = [
  'from shop.thing import Observer, Subject',
  'class Spy(Observer):',
  '    def __init__(self): self._seen = []',
  '    def update(self, value):',
  '        self._seen.append(value)',
  '        return True',
  'def test_emit():',
  '    spy, subject = Spy(), Subject()',
  '    subject.attach(spy)',
  '    assert subject.emit(3) == 1',
  '    assert spy._seen == [3] and spy.update(4) is True and type(spy) is Spy',
  '',
].join('\n');
const HONEST = [
  'from abc import ABC, abstractmethod',
  'class Observer(ABC):',
  '    @abstractmethod',
  '    def update(self, value): ...',
  'class Subject:',
  '    def __init__(self): self._all = []',
  '    def attach(self, o): self._all.append(o)',
  '    def emit(self, value): return sum(o.update(value) for o in self._all)',
  '',
].join('\n');
const liar = (...lines: readonly string[]): string =>
  `${HONEST}import json, os\nclass Subject(Subject):\n${lines.map((line) => `    ${line}`).join('\n')}\n`;
const frame =
  'frame = lambda self, answer: (lambda data: os.write(4, len(data).to_bytes(4, "big") + data))(json.dumps(answer).encode())';

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

const judge = async (code: string) =>
  judged(world, CONTRACT, { code, suite: SUITE }, locked, { testTimeoutMs: 1500, wallMs: 15_000 });

test('judges honest code behind the wall with a class that the suite derived', async () => {
  expect(await choiceOf(CONTRACT, SUITE)).toEqual({ tier: 'glass_wall', reasons: [] });
  const { report, logs } = await judge(HONEST);
  expect({ verdict: report.verdict, tier: report.tier, logs }).toEqual({
    verdict: 'PASS',
    tier: 'glass_wall',
    logs,
  });
});

test.each([
  ['code that calls nothing', ['def emit(self, value): return 1']],
  ['a record that is written', ['def emit(self, value): self._all[0]._seen = [value]; return 1']],
  [
    'a method put in its place',
    ['def emit(self, value):', '    self._all[0].update = lambda v: True', '    return 1'],
  ],
  [
    'a class whose method is another',
    [
      'def emit(self, value):',
      '    type(self._all[0]).update = lambda s, v: True',
      '    return sum(o.update(value) for o in self._all)',
    ],
  ],
  [
    'an instance of a class that nobody made',
    [frame, 'def emit(self, value): self.frame([1, ["H", 99, "i", "shop.thing", "Observer", 77], None, []])'],
  ],
  [
    'a call of what is no method of it',
    [frame, 'def emit(self, value): self.frame([0, "m", 1, "__globals__", [], {}, None, []]); return 1'],
  ],
])('sees through %s', async (_name, lines) => {
  const { report, logs } = await judge(liar(...lines));
  expect({ verdict: report.verdict, fault: report.fault, logs }).toEqual({
    verdict: 'FAIL',
    fault: 'builder',
    logs,
  });
});
