/** What is told of the counter-proof: how many tests were changed and red, and that there was none (core/gate/code/changed-suite.ts). */
import { describe, expect, test } from '@jest/globals';
import {
  countOf,
  counterProofNote,
  counterProofText,
  type ChangedTest,
} from '../../core/gate/code/changed-suite.ts';
import { compareReports } from '../../core/gate/report/compare-reports.ts';
import { digestText } from '../../core/gate/report/make-report.ts';
import { renderReportHtml } from '../../core/gate/report/render-report.ts';
import { reportHeadline } from '../../core/gate/report/report-headline.ts';
import { isToldByGate, toldOfPass } from '../../core/gate/report/told-of-pass.ts';
import { GateReport } from '../../schemas/report.ts';
import { gateReport } from '../support/gate-report.ts';
import { complete, locked, TEST_FILE, testLine } from '../support/gate-runs.ts';

const change = (name: string, ordinals: readonly number[] | null = null): ChangedTest => ({
  ...{ file: TEST_FILE, nesting: [], name, ordinals },
  ...{ edits: [], doubt: null, kind: 'value' },
});
const NONE = { tests: 9, changed: 0, red: 0 };

describe('countOf()', () => {
  test('counts tests as they are written, once for all rows, and only what was red', () => {
    const suite = locked('test_a', 'test_b', 'test_rows', 'test_rows', 'test_other');
    const rows = [0, 1, 2].map((ordinal) =>
      testLine('test_rows', ordinal === 2 ? 'passed' : 'failed', {
        id: { file: TEST_FILE, nesting: [], name: 'test_rows', ordinal },
      }),
    );
    const run = complete([testLine('test_a', 'failed'), testLine('test_b'), ...rows]);
    const changes = [change('test_a'), change('test_b'), change('test_rows', [0, 1])];
    expect(countOf([{ execution: run, changes }], suite)).toEqual({ tests: 4, changed: 3, red: 2 });
    // What is no test of the lock is not counted, and what did not run was not red.
    const others = [change('test_helper'), change('test_other')];
    expect(countOf([{ execution: run, changes: others }], suite)).toEqual({
      ...{ tests: 4, changed: 1, red: 0 },
    });
    expect(countOf([], suite)).toEqual({ tests: 4, changed: 0, red: 0 });
  });
});

describe('counterProofText()', () => {
  test.each([
    [{ tests: 9, changed: 7, red: 7 }, '7 of 9 tests changed, all red'],
    [{ tests: 9, changed: 7, red: 5 }, '7 of 9 tests changed, 5 red'],
    [{ tests: 9, changed: 7, red: 0 }, '7 of 9 tests changed, none red'],
    [NONE, 'none of 9 tests could be changed'],
  ])('%j', (count, text) => {
    expect(counterProofText(count)).toBe(text);
  });
});

describe('a PASS without a counter-proof', () => {
  const proven = { ...gateReport(), counterProof: { tests: 9, changed: 7, red: 7 } };
  const unproven = { ...gateReport(), counterProof: NONE };

  test('is a PASS, and says what was not shown: to a person, and to the manager', () => {
    expect(reportHeadline(unproven)).toContain('no counter-proof (none of 9 tests could be changed)');
    expect(renderReportHtml(unproven)).toContain('none of 9 tests could be changed');
    const told = toldOfPass(unproven);
    expect(told?.findings).toEqual([counterProofNote(unproven)]);
    expect(told !== null && isToldByGate(told)).toBe(true);
    const unended = { ...unproven, counterProof: { tests: 9, changed: 7, red: 0 } };
    expect(toldOfPass(unended)?.findings.join()).toContain('no changed test was seen red');
  });

  test('is told of no proven one, no FAIL, and no record of before', () => {
    expect(renderReportHtml(proven)).toContain('7 of 9 tests changed, all red');
    expect(reportHeadline(proven)).not.toContain('counter-proof');
    for (const report of [proven, gateReport(), { ...gateReport('FAIL'), counterProof: NONE }])
      expect([counterProofNote(report), toldOfPass(report)]).toEqual([null, null]);
  });

  test('has the digest of any other: what is changed is drawn', () => {
    expect(digestText(unproven)).toBe(digestText(proven));
    expect(digestText(gateReport())).toBe(digestText(proven));
    expect(compareReports(gateReport(), proven).differences).toEqual([]);
    expect(GateReport.parse(gateReport()).counterProof).toBeUndefined();
    expect(GateReport.parse(proven).counterProof).toEqual(proven.counterProof);
  });
});
