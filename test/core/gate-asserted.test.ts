/** Which exports a suite asserts, and does not merely call: the judge's part of it (decision 0019). */
import { describe, expect, test } from '@jest/globals';
import { finding } from '../../core/gate/finding.ts';
import { clausesOf } from '../../core/gate/suite/clauses.ts';
import { doubtsOfSuite, judgeSuite } from '../../core/gate/suite/judge-suite.ts';
import type { SuiteFacts } from '../../core/gate/suite/suite-facts.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, failure, testLine, TEST_FILE } from '../support/gate-runs.ts';

const CONTRACT = gateContract();
const PARSE = { name: 'parse_money', callable: true, declaration: false, answers: true, clauseIds: ['E1'] };

function factsOf(run: SuiteFacts['stubRuns']['wrong']): SuiteFacts {
  return {
    contract: CONTRACT,
    clauses: clausesOf(CONTRACT.interface),
    exports: [PARSE, { ...PARSE, name: 'limit' }],
    covers: { R1: [TEST_FILE], G1: [TEST_FILE] },
    testFiles: [TEST_FILE],
    collections: [],
    stubRuns: { raise: run, none: run, wrong: run },
    onRealCode: null,
    ownFiles: new Map([[TEST_FILE, 20]]),
  };
}

describe('a test of two exports', () => {
  test('follows the values of exports that no red test has to itself, and names those that none asserts', () => {
    const both = { reached: ['parse_money', 'limit'] };

    const run = complete([testLine('test_a', 'failed', { ...both, failure: failure({}) })]);
    const facts = factsOf(run);
    expect(doubtsOfSuite(facts)).toMatchObject([
      { about: 'asserted', variant: { followed: ['parse_money', 'limit'] } },
    ]);
    const asked = (...reached: string[]) => ({
      asserted: complete([testLine('test_a', 'passed', { reached })]),
    });
    const found = (doubtRuns: SuiteFacts['doubtRuns']) =>
      judgeSuite({ ...facts, ...(doubtRuns === undefined ? {} : { doubtRuns }) }).levels[1]?.findings;
    expect(found(asked('parse_money', 'limit'))).toEqual([]);
    expect(found(asked('limit'))).toMatchObject([
      {
        code: 'unasserted',
        exportName: 'parse_money',
        text: `No test asserts what "parse_money" gives back or changes: "${TEST_FILE}::test_a" calls it, and what it asserts is about other exports. Compare its result with the value that you expect`,
      },
    ]);
    const late = { kind: 'unusable', finding: finding('platform_wall', 'L1', 'late') } as const;
    expect(found({ asserted: late })).toEqual([]);
  });

  test('says nothing of exports that were too many to be followed', () => {
    const names = Array.from({ length: 15 }, (_, at) => `f${String(at)}`);
    const run = complete([testLine('test_a', 'failed', { reached: names, failure: failure({}) })]);
    const facts = { ...factsOf(run), exports: names.map((name) => ({ ...PARSE, name })) };
    const followed = doubtsOfSuite(facts).flatMap(({ variant }) => variant.followed);
    expect(followed).toEqual(names.slice(0, 12));
    const asserted = complete([testLine('test_a', 'passed', { reached: followed })]);
    expect(judgeSuite({ ...facts, doubtRuns: { asserted } }).levels[1]?.findings).toEqual([]);
  });
});
