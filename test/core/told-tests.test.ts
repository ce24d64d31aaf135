/** What is told must not be enough to cheat: hidden tests, a budget of counterexamples, short results (gate.md part 12). */
import { describe, expect, test } from '@jest/globals';
import { finding } from '../../core/gate/finding.ts';
import { judgement } from '../../core/gate/judgement.ts';
import { builderFeedback, toldCount } from '../../core/gate/report/builder-feedback.ts';
import { hiddenTests } from '../../core/gate/report/hidden-tests.ts';
import { shortCounterexample } from '../../core/gate/report/short-counterexample.ts';
import { idKey } from '../../core/gate/test-id.ts';
import type { GateReport, LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { locked, testId } from '../support/gate-runs.ts';

const CONTRACT = gateContract();
const SUITE = locked(...Array.from({ length: 9 }, (_, at) => `test_${String(at)}`));
const HIDDEN = hiddenTests(SUITE);
const isHidden = ({ id }: LockedSuite['tests'][number]): boolean => HIDDEN.has(idKey(id));

function reportOn(tests: readonly LockedSuite['tests'][number][]): GateReport {
  const findings = tests.map(({ id }, at) =>
    finding('test_failed', 'L1', 'A test failed', {
      testId: id,
      outcome: 'wrong_value',
      counterexample: { call: `parse_money(${String(at)})`, result: 'returns 0' },
    }),
  );
  return { ...judgement('code', findings, [], { L0: true, L1: true }) } as unknown as GateReport;
}

describe('hiddenTests()', () => {
  test('are a quarter at most, the same for the same suite and others for another one', () => {
    expect(HIDDEN.size).toBe(2);
    expect([...hiddenTests(SUITE)]).toEqual([...HIDDEN]);
    const other = hiddenTests({ ...SUITE, suiteHash: `sha256:${'1'.repeat(64)}` });
    expect([...other].sort()).not.toEqual([...HIDDEN].sort());
  });

  test('leave every clause and export a test that is told', () => {
    const tests = ['a', 'b', 'c', 'd'].map((name) => ({
      id: testId(name),
      reached: [name],
      clauses: [name],
    }));
    expect(hiddenTests({ ...SUITE, tests }).size).toBe(0);
  });
});

describe('builderFeedback()', () => {
  test('tells of a hidden test that one fails, and nothing else', () => {
    const { items } = builderFeedback(reportOn(SUITE.tests.filter(isHidden)), CONTRACT, SUITE);
    expect(items).toMatchObject([
      { exportName: null, clauseId: null, outcome: null, place: null, exceptionType: null },
    ]);
    expect(items[0]?.note).toContain('A test that is never told fails');
    expect(JSON.stringify(items)).not.toContain('parse_money(');
  });

  test('spends a budget of counterexamples', () => {
    const report = reportOn(SUITE.tests.filter((each) => !isHidden(each)));
    expect(toldCount(builderFeedback(report, CONTRACT, SUITE, 1))).toBe(1);
    expect(toldCount(builderFeedback(report, CONTRACT, SUITE, 0))).toBe(0);
    expect(builderFeedback(report, CONTRACT, SUITE, 0).items).toMatchObject([{ outcome: 'wrong_value' }]);
  });
});

describe('shortCounterexample()', () => {
  test('cuts what the code made to its shape and 40 characters, also where it comes back as an argument', () => {
    const long = 'x'.repeat(200);
    const cut = shortCounterexample({ call: `f('${long}', 3)`, result: `returns '${long}'` });
    expect(cut.result).toBe(`returns '${'x'.repeat(39)}… (a text, 202 characters)`);
    expect(cut.call).toBe(`f('${'x'.repeat(39)}…, 3)`);
    const numbers = shortCounterexample({ call: 'f()', result: `returns [${'1, '.repeat(60)}1]` });
    expect(numbers.result.length).toBeLessThan(90);
    const short = { call: "f('a')", result: 'returns [1, 2]' };
    expect(shortCounterexample(short)).toEqual(short);
  });
});
