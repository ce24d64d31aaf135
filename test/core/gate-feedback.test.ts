/** What each role is told of a report: known values only (gate.md parts 6 and 11). */
import { describe, expect, test } from '@jest/globals';
import { authorFeedback } from '../../core/gate/report/author-feedback.ts';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { authorText, builderText } from '../../core/gate/report/feedback-text.ts';
import { finding } from '../../core/gate/finding.ts';
import { judgeCode } from '../../core/gate/code/judge-code.ts';
import { judgement, type Judgement } from '../../core/gate/judgement.ts';
import { lockedSuiteOf } from '../../core/gate/suite/locked-suite.ts';
import { digestText, permits, reportKeyText, unsealedReport } from '../../core/gate/report/make-report.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { renderReportHtml } from '../../core/gate/report/render-report.ts';
import { reportHeadline } from '../../core/gate/report/report-headline.ts';
import { FindingCode } from '../../schemas/finding-code.ts';
import { GateReport } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { expectGolden } from '../support/golden.ts';
import { complete, failure, locked, testId, testLine } from '../support/gate-runs.ts';

const CONTRACT = gateContract();
const CANARY = 'CANARY_7f3a';
const HASH = `sha256:${'a'.repeat(64)}`;
const OWN = new Map([['price/money.py', 10]]);

function reportOf(judged: Judgement, kind: 'code' | 'suite' = 'code'): GateReport {
  const report = unsealedReport({
    judgement: judged,
    plan: resolvePlan(CONTRACT),
    subject: {
      node: CONTRACT.id,
      kind,
      tree: '1'.repeat(40),
      projection: '2'.repeat(40),
      suiteHash: HASH,
      planHash: HASH,
      image: 'image:1',
      verifierVersion: '1',
    },
    key: HASH,
    tier: 'in_process',
    isolation: { backend: 'bubblewrap', level: 'hardened' },
    commands: [],
    totalMs: 12,
  });
  return GateReport.parse({ ...report, digest: HASH });
}

/** Every text that a hostile process controls holds the canary. */
const HOSTILE = failure({
  exceptionType: CANARY,
  message: `${CANARY} expected 1230`,
  assertion: false,
  frames: [
    { file: 'price/money.py', line: 3 },
    { file: `${CANARY}.py`, line: 1 },
    { file: 'price/money.py', line: 9999 },
  ],
});

function failed(names: readonly string[], change = {}) {
  const suite = locked(...names);
  const judged = judgeCode({
    contract: CONTRACT,
    contractFindings: [],
    warnings: [],
    locked: suite,
    runs: [
      complete(
        names.map((name) => testLine(name, 'failed', { failure: HOSTILE })),
        change,
      ),
    ],
    examples: null,
    ownFiles: OWN,
  });
  return { report: reportOf(judged), suite };
}

describe('builderFeedback()', () => {
  test('tells clause, class and an existing own line, and nothing that a test process wrote', () => {
    const { report, suite } = failed([`${CANARY}_one`, `${CANARY}_two`], {
      lateErrors: [{ reason: 'uncaught', failure: HOSTILE }],
    });
    const feedback = builderFeedback(report, CONTRACT, suite);
    expect(feedback.items).toEqual([
      {
        exportName: null,
        clauseId: null,
        clauseText: null,
        outcome: 'raised',
        exceptionType: 'other',
        place: { file: 'price/money.py', line: 3 },
        note: 'An error came where no caller can catch it: from a callback, a timer or a thread of your code, or from a promise that was rejected before anything waited for it',
      },
      {
        exportName: 'parse_money',
        clauseId: 'G1',
        clauseText: 'Exactly two decimals, else ValueError',
        outcome: 'raised',
        exceptionType: 'other',
        place: { file: 'price/money.py', line: 3 },
        note: null,
      },
    ]);
    const told = `${JSON.stringify(feedback)}${builderText(feedback)}`;
    expect(told).not.toContain(CANARY);
    expect(told).not.toMatch(/1230|tests\/|test_money/u);
  });

  test('is the same for one and for many hidden tests of one clause', () => {
    const one = failed(['a']);
    const many = failed(['b', 'c', 'd']);
    expect(builderFeedback(one.report, CONTRACT, one.suite)).toEqual(
      builderFeedback(many.report, CONTRACT, many.suite),
    );
  });

  test.each([
    ['id_vanished', complete([])],
    ['skipped', complete([testLine(CANARY, 'skipped')])],
    ['id_added', complete([testLine(CANARY), testLine(`${CANARY}_more`)])],
    ['xpassed', complete([testLine(CANARY, 'xpassed')])],
  ])('rewords %s without naming the test', (_code, execution) => {
    const suite = locked(CANARY);
    const judged = judgeCode({
      contract: CONTRACT,
      contractFindings: [],
      warnings: [],
      locked: suite,
      runs: [execution],
      examples: null,
      ownFiles: OWN,
    });
    const feedback = builderFeedback(reportOf(judged), CONTRACT, suite);
    expect(feedback.items).toHaveLength(1);
    expect(JSON.stringify(feedback) + builderText(feedback)).not.toContain(CANARY);
  });

  test('text is whole: verdict, each clause, and what to do', () => {
    const { report, suite } = failed(['a']);
    expect(builderText(builderFeedback(report, CONTRACT, suite))).toBe(
      [
        'Verdict: FAIL.',
        '- parse_money raises where it must not, or the wrong error (other) at price/money.py:3 [G1: Exactly two decimals, else ValueError]',
        'Change your own files so that each point above is met, then submit again.',
      ].join('\n'),
    );
  });

  test('one line for what differs in the clause alone', () => {
    const item = {
      exportName: 'parse_money',
      outcome: 'wrong_value' as const,
      exceptionType: null,
      place: null,
      note: null,
      counterexample: { call: "parse_money('1')", result: 'returns 1' },
    };
    const clauses = [
      { clauseId: 'E1', clauseText: 'def parse_money(text: str) -> int: ...' },
      { clauseId: 'G1', clauseText: 'Exactly two decimals' },
    ];
    const items = clauses.map((clause) => ({ ...item, ...clause }));
    const other = {
      ...item,
      clauseId: 'G2',
      clauseText: 'First line\nsecond',
      outcome: 'timed_out' as const,
    };
    const feedback = { role: 'builder' as const, verdict: 'FAIL' as const, charged: true, suspect: null };
    const lines = builderText({ ...feedback, items: [...items, other], moreItems: 0 }).split('\n');
    expect(lines.slice(1, 3)).toEqual([
      "- parse_money gives a wrong value [E1, G1]; seen: parse_money('1') returns 1",
      "- parse_money does not end in time [G2: First line]; seen: parse_money('1') returns 1",
    ]);
  });

  test('says what to do to who is not charged: nothing, unless the code was seen to fail as well', () => {
    const item = { exportName: null, clauseId: null, clauseText: null, exceptionType: null, place: null };
    const told = { ...item, outcome: null, note: 'Two runs differ' };
    const failing = { ...item, outcome: 'raised' as const, note: null };
    const feedback = { role: 'builder' as const, verdict: 'INVALID' as const, charged: false, suspect: null };
    const last = (items: (typeof told | typeof failing)[]) =>
      builderText({ ...feedback, items, moreItems: 0 })
        .split('\n')
        .at(-1);
    expect(last([told])).toBe('Nothing is known against your files: leave them as they are.');
    expect(last([told, failing])).toBe('Mend what is seen to fail above, if it is yours, and submit again.');
  });

  test('outcome classes come from known shapes only', () => {
    const classes = [
      failure(),
      failure({ exceptionType: 'Failed', message: "DID NOT RAISE <class 'ValueError'>" }),
      failure({ exceptionType: 'A7TestTimeout', assertion: false }),
      failure({ exceptionType: 'KeyError', assertion: false }),
      failure({ message: 'The error is expected to be an instance of "RangeError". Received "KeyError"' }),
      failure({ message: `The error is expected to be an instance of "A". Received "${CANARY}"` }),
    ].map((entry) => {
      const judged = judgeCode({
        contract: CONTRACT,
        contractFindings: [],
        warnings: [],
        locked: locked('a'),
        runs: [complete([testLine('a', 'failed', { failure: entry })])],
        examples: null,
        ownFiles: OWN,
      });
      const item = builderFeedback(reportOf(judged), CONTRACT, locked('a')).items[0];
      return [item?.outcome, item?.exceptionType];
    });
    expect(classes).toEqual([
      ['wrong_value', null],
      ['did_not_raise', null],
      ['timed_out', null],
      ['raised', 'KeyError'],
      ['raised', 'KeyError'],
      ['raised', 'other'],
    ]);
  });
});

describe('authorFeedback()', () => {
  test('names own tests, stubs and clauses', () => {
    const findings = [
      finding('test_never_red', 'L1', 'Test "x" is green on every stub: it proves nothing', {
        testId: testId('x'),
      }),
      finding('clause_uncovered', 'L1', 'Clause G1 has no test', { clauseId: 'G1' }),
    ];
    const feedback = authorFeedback(
      reportOf(judgement('suite', findings, [], { L0: true, L1: true }), 'suite'),
      CONTRACT,
    );
    expect(feedback).toMatchObject({ verdict: 'FAIL', charged: true });
    expect(feedback.items.map((item) => [item.code, item.test, item.clauseText])).toEqual([
      ['test_never_red', 'tests/price_money/test_money.py::x', null],
      ['clause_uncovered', null, 'Exactly two decimals, else ValueError'],
    ]);
    expect(authorText(feedback)).toContain('Change the suite');
  });

  test('refuses a report on code: it would tell of an implementation', () => {
    expect(() => authorFeedback(failed(['a']).report, CONTRACT)).toThrow('only reports on suites');
  });
});

describe('report', () => {
  test('locks only a suite that passed', () => {
    expect(() => lockedSuiteOf(failed(['a']).report)).toThrow('must be a PASS on a suite');
  });

  test('permits grounded only when tests ran', () => {
    const passed = judgeCode({
      contract: CONTRACT,
      contractFindings: [],
      warnings: [],
      locked: locked('a'),
      runs: [complete([testLine('a')])],
      examples: null,
      ownFiles: OWN,
    });
    expect(permits(reportOf(passed))).toBe('grounded');
    expect(permits(reportOf(passed, 'suite'))).toBeNull();
    expect(permits(reportOf(judgement('code', [], [], { L0: true, L1: false })))).toBe('provisional');
    expect(permits(failed(['a']).report)).toBeNull();
  });

  test('digest and key ignore times and the candidate tree', () => {
    const report = failed(['a']).report;
    const other = {
      ...report,
      timings: { totalMs: 99, sandboxMs: 1 },
      subject: { ...report.subject, tree: '9'.repeat(40) },
    };
    expect(digestText(other)).toBe(digestText(report));
    const { subject, tier, isolation } = report;
    const key = { subject, tier, isolation, inputsHash: HASH };
    expect(reportKeyText({ ...key, subject: other.subject })).toBe(reportKeyText(key));
    expect(reportKeyText({ ...key, isolation: { ...isolation, level: 'none' } })).not.toBe(
      reportKeyText(key),
    );
  });

  test('page escapes everything and loads nothing', () => {
    const { report } = failed(['<script>alert(1)</script>']);
    const page = renderReportHtml(report);
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/https?:|src=|href=/u);
    expect(page).toContain('FAIL');
    expect(reportHeadline(report)).toContain('the builder is charged');
  });
});

test('what each finding tells builder and author is as the golden file has it', () => {
  // A finding that nobody may meet there has no row in the table of verdicts.
  const told = (judged: 'code' | 'suite', code: FindingCode): string[] => {
    const found = finding(code, 'L1', "<the gate's own words>", {
      exportName: 'parse_money',
      clauseId: 'G1',
      ...(code === 'impure_run' ? { impurity: 'clock' as const } : {}),
    });
    try {
      const report = reportOf(judgement(judged, [found], [], { L0: true, L1: true }), judged);
      return judged === 'code'
        ? [`builder: ${builderText(builderFeedback(report, CONTRACT, null))}`]
        : [`author: ${authorText(authorFeedback(report, CONTRACT))}`];
    } catch {
      return [];
    }
  };
  const texts = FindingCode.options.flatMap((code) => [
    `## ${code}`,
    ...told('code', code),
    ...told('suite', code),
  ]);
  expect(texts.length).toBeGreaterThan(FindingCode.options.length * 2);
  expectGolden('agent/gate-texts.out.txt', `${texts.join('\n')}\n`);
});
