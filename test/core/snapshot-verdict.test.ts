/** Which runs the verdict on an order's snapshot asks for, and what they come to (decision 0102). */
import { describe, expect, test } from '@jest/globals';
import {
  type SnapshotAnswer,
  type SnapshotAsk,
  type SnapshotFacts,
  snapshotVerdict,
} from '../../core/order/snapshot-verdict.ts';
import type { AlteredRun, AlteredTest } from '../../core/repository/counter-proof.ts';
import { keyOf, outcomesOf } from '../../core/repository/counter-proof.ts';
import { tellsOfPlants } from '../../core/repository/planted-output.ts';
import { repositoryFinding } from '../../core/repository/finding.ts';
import { repositoryVerdict } from '../../core/repository/verdict.ts';
import type { RanTests, RepositoryOutcome } from '../../core/ports/repository-gate.ts';
import type { RepositoryFindingCode, RepositoryReport } from '../../schemas/repository-report.ts';

const FACTS: SnapshotFacts = {
  allowed: [],
  nameless: [],
  countsTests: true,
  alteredTests: 0,
  addedTests: 0,
  platformFaults: 0,
};
const NAMES = ['t.py::test_a', 't.py::test_b'];
const RAN: RanTests = { step: 'unit', names: NAMES, count: 2, passed: 2 };

function report(code?: RepositoryFindingCode): RepositoryReport {
  const findings = code === undefined ? [] : [repositoryFinding(code, 'L1', code, { step: 'unit' })];
  const commit = '0'.repeat(40);
  return {
    version: 1,
    ...repositoryVerdict(findings),
    tier: 'in_process',
    isolation: { backend: 'bubblewrap', level: 'hardened' },
    subject: {
      kind: 'commit',
      tree: commit,
      commit,
      planFrom: 'verify.yaml',
      files: 1,
      planHash: `sha256:${'0'.repeat(64)}`,
      image: 'i',
      verifierVersion: 'v',
    },
    levels: [{ level: 'L1', status: findings.length === 0 ? 'passed' : 'failed', checks: 1, findings }],
    commands: [],
    notes: [],
    timings: { totalMs: 1, sandboxMs: 1 },
    digest: `sha256:${'0'.repeat(64)}`,
  };
}

const outcome = (code?: RepositoryFindingCode, ran: readonly RanTests[] = [RAN]): RepositoryOutcome => {
  return { report: report(code), artifacts: [], ran };
};

/** A run in which the named tests were altered and these of them were red. */
function altered(
  how: AlteredRun['how'],
  red: readonly string[],
  passed = NAMES.length,
  told: readonly string[] = [],
): AlteredRun {
  const tests = NAMES.map((key): AlteredTest => {
    const [file = '', name = ''] = key.split('::');
    return { file, nesting: [], name, value: null, plant: [], neutral: [], isPlain: true };
  });
  return {
    tests: new Map(tests.map((each) => [keyOf(each), each])),
    how,
    outcomes: outcomesOf([{ step: 'unit', names: NAMES, red, count: 2 }]),
    green: new Set(red.length === 0 ? ['unit'] : []),
    passed: new Map([['unit', passed]]),
    told: new Set(told),
    problem: null,
    isLost: false,
  };
}

/** Honest answers, but for those that are given. */
function follow(
  facts: Partial<SnapshotFacts>,
  given: Readonly<Record<string, SnapshotAnswer>> = {},
): { readonly asked: readonly string[]; readonly said: string; readonly notes: readonly string[] } {
  const asked: string[] = [];
  const answer = (ask: SnapshotAsk): SnapshotAnswer => {
    const name = ask.kind === 'judge' ? ask.of : ask.kind === 'base' ? 'base' : `${ask.of}:${ask.name}`;
    asked.push(name);
    if (given[name] !== undefined) return given[name];
    if (ask.kind === 'judge') return { outcome: outcome() };
    if (ask.kind === 'base')
      return { base: { report: report(), ran: [{ step: 'unit', names: NAMES, count: 2, passed: 2 }] } };
    return { altered: altered(ask.how, ask.name.startsWith('altered') ? [] : NAMES) };
  };
  const steps = snapshotVerdict({ ...FACTS, ...facts });
  let step = steps.next();
  while (step.done !== true) step = steps.next(answer(step.value));
  const { outcome: first, amended } = step.value;
  const { verdict, fault, levels, notes } = amended ?? first.report;
  const codes = levels.flatMap(({ findings }) => findings.map(({ code }) => code));
  return { asked, said: [verdict, fault ?? '', ...codes].join(' ').trim(), notes };
}

const base = (code: RepositoryFindingCode | undefined, ran: RanTests = RAN): SnapshotAnswer => {
  const names = ran.names === null ? null : [...ran.names];
  return {
    base: { report: report(code), ran: [{ step: ran.step, count: ran.count, passed: ran.passed, names }] },
  };
};

test('tellsOfPlants() finds both numbers of a planted assertion close together', () => {
  const [test1] = altered(() => 'plant', []).tests.values();
  const planted = { ...(test1 as AlteredTest), plant: [{ from: 0, to: 0, by: 'assert 482 == 913; ' }] };
  const tells = (output: string): boolean => tellsOfPlants(output, [planted]);
  expect([tells('AssertionError: 913 != 482\n'), tells('E  assert 482 == 913')]).toEqual([true, true]);
  expect([
    tells('Ran 482 tests in 0.913s'.replace(' tests in 0.', ' 7 ')),
    tells('482'),
    tells('1482 != 9139'),
  ]).toEqual([false, false, false]);
});

describe('snapshotVerdict()', () => {
  test('asks for the base and two altered runs after a PASS, and for the old tests where some were touched', () => {
    expect(follow({})).toEqual({
      asked: ['change', 'base', 'change:to-fail', 'change:altered'],
      said: 'PASS',
      notes: ['Counter-proof: 2 of 2 tests made to fail, all red'],
    });
    expect(follow({ addedTests: 1 }).asked.at(-1)).toBe('old_tests');
    expect(follow({ countsTests: false }).asked).toEqual(['change']);
  });

  test('asks for nothing more after a FAIL', () => {
    expect(follow({}, { change: { outcome: outcome('test_failed') } })).toMatchObject({
      asked: ['change'],
      said: 'FAIL builder test_failed',
    });
  });

  test('wants each test that ran on the base, red ones too, and those of commands without names by number', () => {
    const less = { ...RAN, names: ['t.py::test_b'], count: 1 };
    const lost = 'FAIL builder tests_removed';
    expect(
      follow({}, { base: base('test_failed'), change: { outcome: outcome(undefined, [less]) } }).said,
    ).toBe(lost);
    const counted = { ...RAN, names: null };
    const fewer = {
      change: { outcome: outcome(undefined, [{ ...counted, count: 1 }]) },
      base: base(undefined, counted),
    };
    expect(follow({}, fewer).said).toBe(lost);
    expect(follow({ allowed: ['t.py'] }, fewer).said).not.toBe(lost);
  });

  test('blames the change for what hinders the gate, where the base is judged', () => {
    const skipped = { outcome: outcome('skipped') };
    expect(follow({}, { change: skipped }).said).toBe('INVALID builder skipped');
    expect(follow({}, { change: skipped, base: base('skipped') }).said).toBe('INVALID manager skipped');
    expect(follow({}, { change: skipped, base: { base: null } }).said).toBe('INVALID manager skipped');
  });

  test('blames the change for a room that is lost again and again, where the base has one', () => {
    const change = { outcome: outcome('platform_lost') };
    expect(follow({ platformFaults: 1 }, { change })).toMatchObject({
      asked: ['change'],
      said: 'INVALID platform platform_lost',
    });
    expect(follow({ platformFaults: 2 }, { change }).said).toBe('INVALID builder platform_lost');
    expect(follow({ platformFaults: 2 }, { change, base_now: change }).said).toBe(
      'INVALID platform platform_lost',
    );
  });

  test('refuses a red base that is green by added files alone, and only tells where more was altered', () => {
    const old = { base: base('test_failed'), old_tests: { outcome: outcome('test_failed') } };
    expect(follow({ addedTests: 1 }, old).said).toBe('FAIL builder answered_beside');
    const honest = follow({ addedTests: 1 }, { ...old, beside: { outcome: outcome('test_failed') } });
    expect([honest.said, honest.notes[0]]).toEqual([
      'PASS',
      'The tests as they were before the change: FAIL at L1: test_failed',
    ]);
    const fresh_tests = { outcome: outcome('test_failed', [{ ...RAN, red: NAMES }]) };
    expect(follow({ addedTests: 1, alteredTests: 1 }, { ...old, fresh_tests }).said).toBe('PASS');
    expect(follow({ addedTests: 1 }, { ...old, base: base(undefined) })).toMatchObject({ said: 'PASS' });
  });

  test('refuses tests that were altered until they are green on the base, too, unless they are allowed by name', () => {
    const [one = '', two = ''] = NAMES;
    const red = (...names: string[]): SnapshotAnswer => {
      return { outcome: outcome(names.length === 0 ? undefined : 'test_failed', [{ ...RAN, red: names }]) };
    };
    const gone = { outcome: outcome('collection_error', [{ ...RAN, names: [two], count: 1 }]) };
    const weak = 'FAIL builder tests_weakened';
    const on = (
      old: SnapshotAnswer,
      fresh: SnapshotAnswer,
      more: Readonly<Record<string, SnapshotAnswer>> = {},
    ) => follow({ alteredTests: 1 }, { old_tests: old, old_again: old, fresh_tests: fresh, ...more });
    expect(on(red(one), red())).toMatchObject({ said: weak });
    // Whatever made it red: also a file that cannot be loaded any more, and a base where it was red before.
    expect(on(gone, red()).said).toBe(weak);
    expect(on(red(one), red(), { base: base('test_failed') }).said).toBe(weak);
    // It expects what the change gives now.
    expect(on(red(one), red(one))).toMatchObject({
      said: 'PASS',
      notes: ['The tests as they were before the change: FAIL at L1: test_failed', expect.any(String)],
    });
    // Red by chance, or unknown, or meant.
    expect(on(red(one), red(), { old_again: red() }).said).toBe('PASS');
    expect(on(red(one), { outcome: outcome('platform_lost', []) }).said).toBe('PASS');
    const meant = { old_tests: red(one), old_again: red(one), fresh_tests: red() };
    expect(follow({ alteredTests: 1, allowed: ['t.py'] }, meant).said).toBe('PASS');
    // Where a command gives no names, it speaks as a whole.
    const counted = [{ ...RAN, names: null }];
    const silent = {
      base: base(undefined, { ...RAN, names: null }),
      change: { outcome: outcome(undefined, counted) },
      old_tests: { outcome: outcome('command_failed', counted) },
      old_again: { outcome: outcome('command_failed', counted) },
      fresh_tests: { outcome: outcome(undefined, counted) },
    };
    expect(follow({ alteredTests: 1 }, silent).said).toBe(weak);
  });

  test('believes a silent command only where it reacts as the base does, also where that was red', () => {
    const silent = { 'change:to-fail': { altered: altered(() => 'plant', []) } };
    const counted = { ...RAN, names: null, passed: 1 };
    const change = { change: { outcome: outcome(undefined, [{ ...RAN, names: null }]) } };
    const on = (passed: number, told: readonly string[] = []): string =>
      follow(
        { nameless: ['unit'] },
        {
          ...change,
          ...silent,
          base: base('command_failed', counted),
          'base:base': { altered: altered(() => 'plant', NAMES, passed, told) },
        },
      ).said;
    const lie = 'FAIL builder follows_suite';
    expect([on(0), on(1), on(1, ['unit'])]).toEqual([lie, 'PASS', lie]);
  });

  test('tells of a test that was red once and green once', () => {
    const once = { 'change:altered': { altered: altered(() => 'neutral', NAMES) } };
    expect(follow({}, once)).toMatchObject({
      asked: ['change', 'base', 'change:to-fail', 'change:altered', 'change:altered-again'],
      said: 'PASS',
      notes: ['No counter-proof: 2 tests ("t.py::test_a" first) came out red once and green once'],
    });
  });
});
