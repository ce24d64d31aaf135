/** Identity of tests, and what `covers` entries name (gate.md parts 3 and 4). */
import { describe, expect, test } from '@jest/globals';
import { clausesOf } from '../../core/gate/suite/clauses.ts';
import { clauseLinks } from '../../core/gate/suite/covers.ts';
import { coversRank, idText, sameIds } from '../../core/gate/test-id.ts';
import { gateContract } from '../support/gate-contract.ts';
import { testId, TEST_FILE } from '../support/gate-runs.ts';

describe('test ids', () => {
  test('have one text each and compare as sets', () => {
    const id = { ...testId('test_a'), nesting: ['Group'], ordinal: 2 };
    expect(idText(id)).toBe(`${TEST_FILE}::Group::test_a#2`);
    expect(sameIds([testId('a'), testId('b')], [testId('b'), testId('a')])).toBe(true);
    expect(sameIds([testId('a')], [testId('a'), testId('b')])).toBe(false);
  });

  test('coversRank() takes the forms that people write', () => {
    const id = { file: 'tests/shop/cart.test.ts', nesting: ['cart', 'totals'], name: 'adds [1]', ordinal: 0 };
    const rank = (entry: string) => coversRank(entry, id);
    expect(
      [
        'totals > adds [1]',
        'cart::totals::adds',
        'cart › totals › adds',
        'tests/shop/cart.test.ts > cart > totals > adds',
        'adds',
      ]
        .map((entry) => rank(entry) ?? 0)
        .every((found) => found >= 2),
    ).toBe(true);
    expect(
      ['cart', 'cart > totals', 'totals', 'cart.test.ts', './tests/shop/cart.test.ts'].map(rank),
    ).toEqual([1, 1, 1, 1, 1]);
    expect(['adds 2', 'totals > other', 'art.test.ts', 'totals > cart', ''].map(rank)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    const covers = { R1: ['adds'], G1: ['nothing'] };
    expect(clauseLinks([id], covers, clausesOf(gateContract().interface)).unknown).toEqual([
      'covers names "nothing" for G1, which the suite does not have: name a test, its group or its file, or "*". It has "tests/shop/cart.test.ts::cart::totals::adds [1]"',
    ]);
  });

  test('coversRank() ranks test, parameters, file and suite', () => {
    const id = { ...testId('test_a'), ordinal: 1 };
    const entries = [`${TEST_FILE}::test_a#1`, 'test_a', `${TEST_FILE}::test_a`, TEST_FILE, '*', 'test_b'];
    expect(entries.map((entry) => coversRank(entry, id))).toEqual([3, 3, 2, 1, 0, null]);
  });
});
