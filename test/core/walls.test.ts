import { describe, expect, test } from '@jest/globals';
import { compareReports } from '../../core/gate/report/compare-reports.ts';
import { verifyText } from '../../client/render/verify.ts';
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

  test('says when only the verifier is another', () => {
    const report = gateReport();
    const subject = { ...report.subject, verifierVersion: '999' };
    const newer = { ...report, key: `sha256:${'f'.repeat(64)}`, subject };
    expect(compareReports(report, newer).otherVerifier).toBe(report.subject.verifierVersion);
    expect(compareReports(report, report).otherVerifier).toBeNull();
    expect(compareReports(report, { ...newer, verdict: 'FAIL' }).otherVerifier).toBeNull();
    expect(compareReports(report, { ...report, key: newer.key }).otherVerifier).toBeNull();
  });
});

describe('verifyText()', () => {
  test('says plainly that the verifier is another and all else is equal', () => {
    const value = {
      commit: 'a'.repeat(40),
      nodeId: 'sum.add',
      kind: 'code',
      tree: 'b'.repeat(40),
      verdict: 'PASS',
      recordedDigest: 'sha256:1',
      digest: 'sha256:2',
      same: false,
      compared: ['fault', 'key', 'subject.verifierVersion', 'verdict'],
      verifier: '7',
      otherVerifier: '6',
      differences: ['key: recorded 1, now 2', 'subject.verifierVersion: recorded "6", now "7"'],
      record: [],
      withdrawal: 'none' as const,
    };
    expect(verifyText(value).split('\n')).toEqual([
      'sum.add code, commit aaaaaaaaaaaa: PASS, equal to the record but for the verifier',
      'recorded by verifier 6, this one is 7: the same work was judged by its rules, with the same verdict',
      'recorded sha256:1',
      'now      sha256:2',
      'what it brings along differs with it (key, subject.verifierVersion); all other 2 fields are equal',
    ]);
    expect(verifyText({ ...value, otherVerifier: null })).toContain(
      'differs from the record in 2 of 4 fields',
    );
  });
});
