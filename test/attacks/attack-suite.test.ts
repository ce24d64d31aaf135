/**
 * The attack suite: nothing gets through, nothing of the host changes, the next honest run passes. What attacks rooms meets both
 * backends, what attacks the judging meets one of them, in turn; `npm run attack` tries all on both.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FAMILIES, isOnJudging, type AttackResult } from './attack.ts';
import { ATTACKS } from './corpus/index.ts';
import { runAttacks } from './run-attacks.ts';

const MINUTES = 60_000;
let results: AttackResult[] = [];

beforeAll(async () => {
  results = await runAttacks({ spread: true });
}, 8 * MINUTES);

describe('npm run attack', () => {
  test('has at least sixty attacks under names of their own, and some in each family', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ATTACKS.map((attack) => attack.name)).size).toBe(ATTACKS.length);
    expect(new Set(ATTACKS.map((attack) => attack.family))).toEqual(new Set(FAMILIES));
  });

  test('carries out each attack, and those on rooms on each backend', () => {
    const once = ATTACKS.filter(isOnJudging).length;
    expect(new Set(results.map((result) => result.attack)).size).toBe(ATTACKS.length);
    expect(results.length).toBe(ATTACKS.length * 2 - once);
  });

  test('lets none get through', () => {
    expect(results.filter((result) => result.outcome === 'got_through')).toEqual([]);
  });

  test('names a typed reason for each', () => {
    expect(results.filter((result) => !/^[A-Za-z_]+( \([a-z ]+\))?$/.test(result.reason))).toEqual([]);
  });
});
