/** The verdict table of gate.md part 5, row by row, on the judge of code. */
import { describe, expect, test } from '@jest/globals';
import { readExecution, type SandboxFacts } from '../../core/gate/execution.ts';
import { finding } from '../../core/gate/finding.ts';
import { judgeCode, type CodeFacts } from '../../core/gate/code/judge-code.ts';
import { DEFAULT_LIMITS, resolvePlan } from '../../core/gate/plan.ts';
import type { ReportReading } from '../../core/gate/runner-reading.ts';
import type { FindingCode } from '../../schemas/report.ts';
import { decidingRow } from '../../core/gate/verdict-table.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, failure, locked, run, testId, testLine, TEST_FILE } from '../support/gate-runs.ts';

const CONTRACT = gateContract();
const OWN = new Map([['price/money.py', 10]]);

function judged(change: Partial<CodeFacts>) {
  return judgeCode({
    contract: CONTRACT,
    contractFindings: [],
    warnings: [],
    locked: locked('test_a', 'test_b'),
    runs: [complete([testLine('test_a'), testLine('test_b')])],
    examples: null,
    ownFiles: OWN,
    ...change,
  });
}

function verdictOf(change: Partial<CodeFacts>) {
  const { levels, verdict, fault } = judged(change);
  const codes = levels.flatMap((level) => level.findings.map((found) => found.code));
  return { verdict, fault, codes: [...new Set(codes)] };
}

const PASSED: ReportReading = { kind: 'complete', run: run([testLine('test_a'), testLine('test_b')]) };
const NO_REPORT: ReportReading = { kind: 'broken', reason: 'missing', detail: 'no report was written' };
const EXITED: SandboxFacts = {
  outcome: { kind: 'exited', exitCode: 0 },
  cpuMs: 10,
  durationMs: 10,
  limitsHit: [],
};

function executed(facts: Partial<SandboxFacts>, reading: ReportReading = NO_REPORT) {
  return { runs: [readExecution({ ...EXITED, ...facts }, reading, DEFAULT_LIMITS, null)] };
}

describe('judgeCode()', () => {
  test('passes when every locked id ran and passed', () => {
    expect(verdictOf({})).toEqual({ verdict: 'PASS', fault: null, codes: [] });
  });

  test('row 1: assertion, set-up, tear-down and late uncaught errors are FAIL', () => {
    const fail = { verdict: 'FAIL', fault: 'builder' };
    expect(verdictOf({ runs: [complete([testLine('test_a', 'failed'), testLine('test_b')])] })).toEqual({
      ...fail,
      codes: ['test_failed'],
    });
    for (const phase of ['setup', 'teardown'] as const) {
      const runs = [complete([testLine('test_a', 'error', { phase }), testLine('test_b')])];
      expect(verdictOf({ runs })).toEqual({ ...fail, codes: ['test_failed'] });
    }
    const late = complete([testLine('test_a'), testLine('test_b')], {
      lateErrors: [{ reason: 'uncaught', failure: failure() }],
    });
    expect(verdictOf({ runs: [late] })).toEqual({ ...fail, codes: ['late_error'] });
  });

  test('row 2: XPASS anywhere is INVALID author', () => {
    expect(verdictOf({ runs: [complete([testLine('test_a', 'xpassed'), testLine('test_b')])] })).toEqual({
      verdict: 'INVALID',
      fault: 'author',
      codes: ['xpassed'],
    });
  });

  test('a callable that no test called is listed: by the run where it tells of calls, else by what the stubs told', () => {
    const uncalled = (...called: readonly (readonly string[] | undefined)[]) => {
      const lines = called.map((names, at) =>
        testLine(at === 0 ? 'test_a' : 'test_b', 'passed', names && { called: [...names] }),
      );
      const [first, ...others] = locked('test_a', 'test_b').tests;
      const suite = {
        ...locked('test_a', 'test_b'),
        tests: [{ ...first!, reached: ['parse_money'] }, ...others],
        callables: ['parse_money', 'Purse.add', 'Purse.__len__'],
      };
      const result = judged({ locked: suite, runs: [complete(lines)] });
      return [result.verdict, ...(result.uncalled ?? [])];
    };
    expect(uncalled(['parse_money'], ['Purse'])).toEqual(['PASS', 'Purse.add']);
    expect(uncalled(['parse_money', 'Purse.add'], [])).toEqual(['PASS']);
    expect(uncalled(['Purse.add'], undefined)).toEqual(['PASS', 'Purse.add', 'Purse.__len__']);
  });

  test('row 3: a skip or an added id only with real code goes to the manager, nobody charged', () => {
    const manager = { verdict: 'INVALID', fault: 'manager' };
    for (const outcome of ['skipped', 'xfailed', 'todo'] as const) {
      expect(verdictOf({ runs: [complete([testLine('test_a', outcome), testLine('test_b')])] })).toEqual({
        ...manager,
        codes: ['skipped'],
      });
    }
    const added = complete([testLine('test_a'), testLine('test_b'), testLine('test_c')]);
    expect(verdictOf({ runs: [added] })).toEqual({ ...manager, codes: ['id_added'] });
  });

  test('row 4: a collection error with real code only, and an export that is missing or wrong, are FAIL', () => {
    const collectErrors = [
      { file: TEST_FILE, failure: failure({ assertion: false, exceptionType: 'ImportError' }) },
    ];
    expect(verdictOf({ runs: [complete([], { collectErrors })] })).toEqual({
      verdict: 'FAIL',
      fault: 'builder',
      codes: ['collection_error'],
    });
    const endless = [
      { file: TEST_FILE, failure: failure({ assertion: false, exceptionType: 'A7TestTimeout' }) },
    ];
    const slow = judged({ runs: [complete([], { collectErrors: endless })] });
    expect(slow.levels.flatMap((level) => level.findings)).toMatchObject([
      { code: 'collection_error', outcome: 'timed_out', text: expect.stringContaining('takes longer') },
    ]);
    const codes: FindingCode[] = [
      'export_missing',
      'export_kind',
      'export_arity',
      'export_async',
      'export_annotation',
      'export_deleted',
      'export_member',
    ];
    for (const code of codes) {
      expect(verdictOf({ contractFindings: [finding(code, 'L0', 'x')] })).toEqual({
        verdict: 'FAIL',
        fault: 'builder',
        codes: [code],
      });
    }
  });

  test('row 5: extra exports and warnings are PASS, listed', () => {
    const warnings = [finding('export_extra', 'L0', 'x')];
    expect(verdictOf({ warnings })).toEqual({ verdict: 'PASS', fault: null, codes: [] });
  });

  test('row 6: a vanished id, an early exit, no report or a second one is INVALID builder', () => {
    const builder = { verdict: 'INVALID', fault: 'builder' };
    expect(verdictOf({ runs: [complete([testLine('test_a')])] })).toEqual({
      ...builder,
      codes: ['id_vanished'],
    });
    const unran = complete([testLine('test_a')], { collected: [testId('test_a'), testId('test_b')] });
    expect(verdictOf({ runs: [unran] })).toEqual({ ...builder, codes: ['id_vanished'] });
    expect(verdictOf(executed({}))).toEqual({ ...builder, codes: ['report_missing'] });
    expect(verdictOf(executed({ outcome: { kind: 'signaled', signal: 'SIGKILL' } }))).toEqual({
      ...builder,
      codes: ['report_missing'],
    });
    expect(verdictOf(executed({}, { kind: 'broken', reason: 'second', detail: 'x' }))).toEqual({
      ...builder,
      codes: ['report_second'],
    });
    expect(verdictOf(executed({}, { kind: 'broken', reason: 'broken', detail: 'x' }))).toEqual({
      ...builder,
      codes: ['report_broken'],
    });
    expect(verdictOf(executed({ outcome: { kind: 'exited', exitCode: 3 } }, PASSED))).toEqual({
      ...builder,
      codes: ['early_exit'],
    });
    expect(verdictOf(executed({ outcome: { kind: 'signaled', signal: 'SIGSEGV' } }, PASSED))).toEqual({
      ...builder,
      codes: ['early_exit'],
    });
  });

  test('row 6: code that ends its process behind the wall, also where that makes two runs differ', () => {
    const ended = { failure: failure({ exceptionType: 'wall_bridge.BuilderEnded', assertion: false }) };
    const run = (red: string, green: string) =>
      complete([testLine(red, 'failed', ended), testLine(green)], {
        collected: [testId('test_a'), testId('test_b')],
      });
    const runs = [run('test_a', 'test_b'), run('test_b', 'test_a')];
    expect(verdictOf({ tier: 'glass_wall', runs })).toEqual({
      verdict: 'INVALID',
      fault: 'builder',
      codes: ['early_exit', 'flaky'],
    });
    // In process the code itself could have written that name.
    expect(verdictOf({ tier: 'in_process', runs: [runs[0]!, runs[0]!] })).toMatchObject({
      verdict: 'FAIL',
      codes: ['test_failed'],
    });
  });

  test('row 7: who slept until the wall limit is charged, who was starved of processor or had not begun is not', () => {
    const outcome = { kind: 'timed_out', limitMs: 1000 } as const;
    const begun = { text: 'a7: the run begins\n' };
    const slept = { outcome, cpuMs: 100, durationMs: 1500, waitedMs: 20, stdout: begun };
    const charged = { verdict: 'FAIL', fault: 'builder', codes: ['wall_limit'] };
    const nobody = { verdict: 'INVALID', fault: 'platform', codes: ['platform_wall'] };
    expect(verdictOf(executed(slept))).toEqual(charged);
    expect(verdictOf(executed({ ...slept, waitedMs: 500 }))).toEqual(charged);
    expect(verdictOf(executed({ ...slept, waitedMs: 502 }))).toEqual(nobody);
    expect(verdictOf(executed({ ...slept, waitedMs: null }))).toEqual(nobody);
    expect(verdictOf(executed({ ...slept, stdout: { text: '' } }))).toEqual(nobody);
  });

  test('row 7: the wall limit is FAIL with processor time of at least half of it, else INVALID platform', () => {
    const outcome = { kind: 'timed_out', limitMs: 1000 } as const;
    expect(verdictOf(executed({ outcome, cpuMs: 500 }))).toEqual({
      verdict: 'FAIL',
      fault: 'builder',
      codes: ['wall_limit'],
    });
    for (const cpuMs of [499, null]) {
      expect(verdictOf(executed({ outcome, cpuMs }))).toEqual({
        verdict: 'INVALID',
        fault: 'platform',
        codes: ['platform_wall'],
      });
    }
  });

  test('row 8: a proven limit of output, memory, processes or disk is FAIL, named', () => {
    const cases: [Partial<SandboxFacts>, FindingCode][] = [
      [{ outcome: { kind: 'output_limit', limitBytes: 5 } }, 'output_limit'],
      [{ outcome: { kind: 'out_of_memory', limitBytes: 5 } }, 'memory_limit'],
      [{ limitsHit: ['processes'] }, 'process_limit'],
      [{ limitsHit: ['disk'] }, 'disk_limit'],
    ];
    for (const [facts, code] of cases) {
      expect(verdictOf(executed(facts, PASSED))).toEqual({
        verdict: 'FAIL',
        fault: 'builder',
        codes: [code],
      });
    }
  });

  test("row 9: a lost runner or engine is INVALID platform; the guest's own exit 137 is its own", () => {
    expect(verdictOf(executed({ outcome: { kind: 'lost', reason: 'x' } }))).toEqual({
      verdict: 'INVALID',
      fault: 'platform',
      codes: ['platform_lost'],
    });
    expect(verdictOf(executed({ outcome: { kind: 'exited', exitCode: 137 } }))).toMatchObject({
      verdict: 'INVALID',
      fault: 'builder',
    });
  });

  test('row 10: two runs that differ are INVALID flaky, whichever comes first', () => {
    const green = complete([testLine('test_a'), testLine('test_b')]);
    const red = complete([testLine('test_a', 'failed'), testLine('test_b')]);
    expect(verdictOf({ runs: [green, red] })).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
    expect(verdictOf({ runs: [red, green] })).toMatchObject({ verdict: 'INVALID', fault: 'manager' });
    expect(verdictOf({ runs: [green, green] })).toMatchObject({ verdict: 'PASS' });
  });

  test('certain contract failures outweigh a lost sandbox, and a lost sandbox a red test', () => {
    const lost = executed({ outcome: { kind: 'lost', reason: 'x' } });
    expect(verdictOf({ ...lost, contractFindings: [finding('export_missing', 'L0', 'x')] })).toMatchObject({
      verdict: 'FAIL',
    });
  });

  test('never passes a locked suite that did not run', () => {
    expect(() => verdictOf({ runs: [] })).toThrow('was not run');
  });

  test('suspects the suite when the code passes every example and fails only tests', () => {
    const contract = gateContract({ examples: [{ call: "parse_money('1.00')", returns: 100 }] });
    const examples = complete([testLine('example 0')]);
    const runs = [complete([testLine('test_a', 'failed'), testLine('test_b')])];
    const facts = {
      contract,
      contractFindings: [],
      warnings: [],
      locked: locked('test_a', 'test_b'),
      runs,
      ownFiles: OWN,
    };
    expect(judgeCode({ ...facts, examples })).toMatchObject({ verdict: 'FAIL', suspect: 'suite' });
    expect(judgeCode({ ...facts, examples: complete([testLine('example 0', 'failed')]) })).toMatchObject({
      verdict: 'FAIL',
      suspect: null,
    });
    expect(judgeCode({ ...facts, examples: complete([]) })).toMatchObject({ verdict: 'FAIL', suspect: null });
  });

  test('keeps only a source that the language imported but our parser refused as a warning', () => {
    const contractFindings = [finding('source_unparsable', 'L0', 'x')];
    expect(verdictOf({ contractFindings })).toMatchObject({ verdict: 'PASS' });
    const runs = [complete([], { collectErrors: [{ file: TEST_FILE, failure: failure() }] })];
    expect(verdictOf({ contractFindings, runs })).toMatchObject({ verdict: 'FAIL' });
  });
});

describe('decidingRow()', () => {
  test('refuses a finding that the table does not have', () => {
    expect(() => decidingRow([finding('test_never_red', 'L1', 'x')], 'code')).toThrow('no row');
    expect(decidingRow([], 'code')).toBeNull();
  });
});

describe('resolvePlan()', () => {
  test('has a suite and examples where the contract has them', () => {
    const kinds = (change: Parameters<typeof gateContract>[0]) =>
      resolvePlan(gateContract(change)).steps.map((step) => step.kind);
    expect(kinds({})).toEqual(['write_set', 'exports', 'suite_lock', 'suite']);
    expect(kinds({ tests: 'none' })).toEqual(['write_set', 'exports']);
    expect(kinds({ examples: [{ call: 'f()', returns: 1 }] })).toContain('examples');
  });

  test('takes limits and time zone from the contract', () => {
    const environment = { variables: { A: 'b' }, time_zone: 'Asia/Tokyo', wall_ms: 500, memory_mb: 64 };
    const plan = resolvePlan(gateContract({ environment }));
    expect(plan.environment).toMatchObject({
      timeZone: 'Asia/Tokyo',
      locale: 'C.UTF-8',
      variables: { A: 'b' },
    });
    const suite = plan.steps.find((step) => step.kind === 'suite');
    expect(suite?.limits).toMatchObject({ wallMs: 500, testTimeoutMs: 500, memoryBytes: 64 * 1024 * 1024 });
  });
});
