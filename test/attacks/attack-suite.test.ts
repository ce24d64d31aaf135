/** The attack suite on both backends: nothing gets through, nothing of the host changes, the next honest run passes. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FAMILIES, type AttackResult } from './attack.ts';
import { ATTACKS } from './corpus/index.ts';
import { runAttacks } from './run-attacks.ts';

const MINUTES = 60_000;
let results: AttackResult[] = [];

beforeAll(async () => {
  results = await runAttacks();
}, 8 * MINUTES);

describe('npm run attack', () => {
  test('has at least sixty attacks under names of their own, and some in each family', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ATTACKS.map((attack) => attack.name)).size).toBe(ATTACKS.length);
    expect(new Set(ATTACKS.map((attack) => attack.family))).toEqual(new Set(FAMILIES));
  });

  test('carries out each attack on each backend', () => {
    expect(results.length).toBe(ATTACKS.length * 2);
  });

  test('lets none get through', () => {
    expect(results.filter((result) => result.outcome === 'got_through')).toEqual([]);
  });

  test('names a typed reason for each', () => {
    expect(results.filter((result) => !/^[A-Za-z_]+( \([a-z ]+\))?$/.test(result.reason))).toEqual([]);
  });
});
