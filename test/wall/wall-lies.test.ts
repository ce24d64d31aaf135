/** Code that has no answers of its own and asks the suite's values, operators or types for them (gate.md part 12). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GateReport } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import {
  judged,
  lieCases,
  lockOf,
  lockOfFiles,
  SUITE_PATH,
  thingContract,
  type WallCase,
} from './wall-world.ts';

const CASES = lieCases();
/** Cases in one room: none of them ends the process. */
const TOGETHER = 12;

let world: GateWorld;
const reports = new Map<string, GateReport>();

beforeAll(async () => {
  world = await openGateWorld();
  for (let at = 0; at < CASES.length; at += TOGETHER) {
    const cases = CASES.slice(at, at + TOGETHER);
    const report = await judgedTogether(cases);
    for (const { name } of cases) reports.set(name, report);
  }
}, 300_000);
afterAll(async () => {
  await world.close();
});

async function judgedTogether(cases: readonly WallCase[]): Promise<GateReport> {
  const texts = cases.flatMap((each) => [
    [each.codePath, each.code],
    [each.suitePath, each.suite],
  ]);
  const suites = Object.fromEntries(cases.map((each) => [each.suitePath, each.suite]));
  const ids = cases.flatMap((each) =>
    [...each.suite.matchAll(/^def (test_\w+)/gmu)].map(([, name = '']) => ({
      ...{ file: each.suitePath, nesting: [], name, ordinal: 0 },
    })),
  );
  const [contract, ...dependencies] = cases.map((each) => each.contract);
  const { report } = await world.verify({
    contract: contract!,
    texts: { 'shop/__init__.py': '', ...(Object.fromEntries(texts) as Record<string, string>) },
    kind: 'code',
    locked: lockOfFiles(suites, ids, 'glass_wall'),
    plan: quickPlan(contract!, { wallMs: 60_000 }),
    dependencies,
  });
  return report;
}

describe('verifySnapshot() behind the glass wall', () => {
  test.each(CASES.map((each) => [each.name, each] as const))('%s', (name, each) => {
    const report = reports.get(name)!;
    const own = report.tests.filter(({ id }) => id.file === each.suitePath);
    const red = own.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id.name);
    const early = report.levels
      .flatMap(({ findings }) => findings)
      .filter((found) => JSON.stringify(found).includes(each.suitePath));
    expect({ name, isRefused: red.length + early.length > 0 || own.length === 0 }).toEqual({
      name,
      isRefused: !name.endsWith(': honest'),
    });
  });

  test('tells nothing of what other tests asked, and of a callback its arity', async () => {
    const contract = thingContract({
      exports: ['def ask(text: str) -> str: ...', 'def look(f: Callable[..., int]) -> str: ...'],
      imports: ['from collections.abc import Callable'],
    });
    const suite = [
      'from shop.thing import ask, look',
      'def test_first(): assert ask("first") == ""',
      'def test_second(): assert ask("second") == ""',
      'def test_callback():',
      '    def answers_seven(wanted=7):',
      '        "gives seven"',
      '        return wanted',
      '    assert look(answers_seven) == ""',
      '',
    ].join('\n');
    const code = [
      'import inspect',
      'SEEN = []',
      'def ask(text):',
      '    SEEN.append(text)',
      '    return "|".join(SEEN)',
      'def look(f): return f"{f.__name__} {f.__doc__} {inspect.signature(f)}"',
      '',
    ].join('\n');
    const ids = ['test_first', 'test_second', 'test_callback'].map((name) => ({
      ...{ file: SUITE_PATH, nesting: [], name, ordinal: 0 },
    }));
    const { report } = await judged(world, contract, { code, suite }, lockOf(suite, ids, 'glass_wall'));
    const told = report.levels
      .flatMap(({ findings }) => findings)
      .flatMap(({ counterexample }) => counterexample?.result ?? []);
    expect(told.toSorted()).toEqual([
      "returns 'first'",
      "returns 'function None (p0=None)'",
      "returns 'second'",
    ]);
  });
});
