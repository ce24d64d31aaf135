/** Honest suites of many shapes: the same verdict in both tiers, and how many of them cross (gate.md parts 10 and 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { choiceOf, honestCases, judged, lockOf, runInside } from './wall-world.ts';

const CASES = honestCases();
const CROSSING = CASES.filter((each) => !each.name.startsWith('in-process'));

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

describe('verifySnapshot() behind the glass wall', () => {
  test('there are at least forty honest suites', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(40);
  });

  test.each(CROSSING.map((each) => [each.name, each] as const))(
    'passes honest code as one process does: %s',
    async (_name, each) => {
      const inside = await runInside(each);
      expect(inside.outcomes.filter((outcome) => outcome !== 'passed')).toEqual([]);
      expect(await choiceOf(each.contract, each.suite)).toEqual({ tier: 'glass_wall', reasons: [] });
      const { report } = await judged(
        world,
        each.contract,
        each,
        lockOf(each.suite, inside.ids, 'glass_wall'),
      );
      expect({ verdict: report.verdict, levels: report.levels, tier: report.tier }).toEqual({
        verdict: 'PASS',
        levels: report.levels,
        tier: 'glass_wall',
      });
      expect(report.ids.ran).toHaveLength(inside.ids.length);
    },
  );

  test('at least nine of ten suites cross, and the others say why not', async () => {
    const choices = await Promise.all(CASES.map((each) => choiceOf(each.contract, each.suite)));
    const crossing = choices.filter((choice) => choice.tier === 'glass_wall').length;
    expect(crossing / CASES.length).toBeGreaterThanOrEqual(0.9);
    for (const choice of choices) expect(choice.reasons.length > 0).toBe(choice.tier === 'in_process');
  });
});
