import { describe, expect, test } from '@jest/globals';
import { compareReports } from '../../core/gate/report/compare-reports.ts';
import { decidingRow } from '../../core/gate/verdict-table.ts';
import { finding } from '../../core/gate/finding.ts';
import { wallsOf } from '../../core/gate/code/walls.ts';
import { FindingCode } from '../../schemas/report.ts';
import { gateReport } from '../support/gate-report.ts';

const TEST_ID = { file: 'tests/price_money/test_secret.py', nesting: [], name: 'test_hidden', ordinal: 0 };
const failedTest = (exceptionType: string, message: string) => ({
  id: TEST_ID,
  outcome: 'failed' as const,
  durationMs: 1,
  failure: { exceptionType, message, assertion: false, frames: [] },
});

function decides(code: FindingCode): boolean {
  try {
    return decidingRow([finding(code, 'L1', 'x')], 'code') !== null;
  } catch {
    return false;
  }
}

describe('wallsOf()', () => {
  test.each(FindingCode.options.filter(decides))('has a name and words without the suite for %s', (code) => {
    const report = gateReport('FAIL', {
      findings: [finding(code, 'L1', 'The gate says so', { testId: TEST_ID })],
    });
    const [wall, ...others] = wallsOf(report);
    expect(others).toEqual([]);
    expect(wall?.name).toMatch(/^[a-zA-Z: ]+$/);
    expect(JSON.stringify(wall)).not.toMatch(/secret|hidden/);
  });

  test('tells what the glass wall saw, and only there', () => {
    const findings = [finding('test_failed', 'L1', 'A test failed', { testId: TEST_ID })];
    const tests = [
      failedTest('wall_bridge.BuilderFault', 'a value of the type Yes, which the contract does not declare'),
    ];
    const outside = gateReport('FAIL', { tier: 'glass_wall', findings, tests });
    expect(wallsOf(outside)[0]).toMatchObject({
      name: 'glass wall',
      words: 'a value of the type Yes, which the contract does not declare',
    });
    const inside = gateReport('FAIL', { tier: 'in_process', findings, tests });
    expect(wallsOf(inside)[0]).toMatchObject({
      name: 'locked suite',
      words: 'a test of the locked suite failed',
    });
  });

  test('counts equal findings once, and finds no wall in a PASS', () => {
    const same = finding('id_vanished', 'L1', 'A test of the locked suite did not run');
    expect(wallsOf(gateReport('FAIL', { findings: [same, same, same] }))).toMatchObject([
      { name: 'locked test ids', words: "the suite's locked ids did not all run", count: 3 },
    ]);
    expect(wallsOf(gateReport())).toEqual([]);
  });
});

describe('compareReports()', () => {
  test('names each field that differs, down to the level, and leaves times out', () => {
    const report = gateReport();
    expect(compareReports(report, gateReport('PASS', { totalMs: 99 })).differences).toEqual([]);
    const { compared, differences } = compareReports(report, gateReport('FAIL'));
    expect(compared).toEqual(
      expect.arrayContaining(['verdict', 'levels.L0.status', 'subject.projection', 'limits.wallMs']),
    );
    expect(differences.map((line) => line.split(':')[0])).toEqual([
      'fault',
      'levels.L0.findings',
      'levels.L0.status',
      'verdict',
    ]);
  });
});
