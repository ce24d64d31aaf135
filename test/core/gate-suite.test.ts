/** The judge of suites, and who owns which file (gate.md parts 1, 3 and 4). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clausesOf } from '../../core/gate/suite/clauses.ts';
import type { Execution } from '../../core/gate/execution.ts';
import { finding } from '../../core/gate/finding.ts';
import { entryFileOf, isTestFile, writeSetFindings } from '../../core/gate/gate-files.ts';
import { doubtsOfSuite, judgeSuite } from '../../core/gate/suite/judge-suite.ts';
import type { SuiteFacts } from '../../core/gate/suite/suite-facts.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, failure, testId, testLine, TEST_FILE } from '../support/gate-runs.ts';

const CONTRACT = gateContract();
const REACHED = { reached: ['parse_money'] };
const PARSE = { name: 'parse_money', callable: true, declaration: false, answers: true, clauseIds: ['E1'] };

function red(...names: string[]): Execution {
  return complete(names.map((name) => testLine(name, 'failed', REACHED)));
}

function factsOf(change: Partial<SuiteFacts> = {}): SuiteFacts {
  const all = red('test_a', 'test_b');
  return {
    contract: CONTRACT,
    clauses: clausesOf(CONTRACT.interface),
    exports: [PARSE],
    covers: { R1: ['test_a'], G1: [TEST_FILE] },
    testFiles: [TEST_FILE],
    collections: [],
    stubRuns: { raise: all, none: all, wrong: all },
    onRealCode: null,
    ownFiles: new Map([[TEST_FILE, 20]]),
    ...change,
  };
}

function judged(change: Partial<SuiteFacts> = {}) {
  const result = judgeSuite(factsOf(change));
  const findings = result.levels.flatMap((level) => level.findings);
  const codes = findings.map((found) => found.code);
  const texts = findings.map((found) => found.text);
  return { verdict: result.verdict, fault: result.fault, codes, texts, suiteTests: result.suiteTests };
}

function stubs(change: Partial<SuiteFacts['stubRuns']>): Partial<SuiteFacts> {
  const all = red('test_a', 'test_b');
  return { stubRuns: { raise: all, none: all, wrong: all, ...change } };
}

describe('judgeSuite()', () => {
  test('passes, and links each test to its closest clauses', () => {
    const result = judged();
    expect(result).toMatchObject({ verdict: 'PASS', fault: null, codes: [] });
    expect(result.suiteTests.map((entry) => [entry.id.name, entry.clauses])).toEqual([
      ['test_a', ['R1']],
      ['test_b', ['G1']],
    ]);
  });

  test('says nothing else of a suite that was too large to be run', () => {
    const message = 'the suite has 12000 tests, at most 3000 are judged';
    const failure = { exceptionType: 'TooManyTests', message, assertion: false, frames: [] };
    const none = {
      collected: [],
      collectErrors: [],
      tests: [],
      lateErrors: [{ reason: 'refused', failure }],
    } as const;
    const run: Execution = { kind: 'complete', run: none };
    expect(judged(stubs({ raise: run, none: run, wrong: run }))).toMatchObject({
      verdict: 'INVALID',
      fault: 'author',
      texts: [`Refused on the stub "raise": ${message}`],
    });
  });

  test('wants each callable red on raise, none and wrong', () => {
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
    expect(judged(stubs({ raise: green }))).toMatchObject({
      verdict: 'FAIL',
      fault: 'author',
      codes: ['not_red'],
    });
    expect(judged(stubs({ none: green }))).toMatchObject({ verdict: 'FAIL', codes: ['not_red'] });
    expect(judged(stubs({ wrong: green }))).toMatchObject({ verdict: 'FAIL', codes: ['not_red'] });
    const fixed = { exports: [{ ...PARSE, answers: false }] };
    expect(judged({ ...fixed, ...stubs({ wrong: green }) })).toMatchObject({ verdict: 'PASS' });
  });

  test('tells which test only touches an export, and what to assert', () => {
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
    expect(judged(stubs({ wrong: green })).texts).toEqual([
      `No test of "parse_money" is red on the stub "wrong" (right shape, wrong values; equality, frozenness, defaults and bases dropped): write one that compares what it gives back with the value that you expect; its type, that there is one, or an error that it raises elsewhere say nothing of the value. Only touched by "${TEST_FILE}::test_a", "${TEST_FILE}::test_b"`,
    ]);
  });

  test('wants a second run where none or wrong leave a doubt, and believes what is red in it', () => {
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
    const doubtful = factsOf(stubs({ none: green, wrong: green }));
    expect(doubtsOfSuite(factsOf())).toEqual([]);
    expect(doubtsOfSuite(doubtful)).toEqual([
      {
        about: 'none',
        variant: {
          second: false,
          loose: false,
          closed: false,
          silent: ['parse_money'],
          raising: [],
          through: false,
        },
      },
      {
        about: 'wrong',
        variant: { second: true, loose: false, closed: false, silent: [], raising: [], through: false },
      },
    ]);
    const all = red('test_a', 'test_b');
    expect(judgeSuite({ ...doubtful, doubtRuns: { none: all, wrong: all } })).toMatchObject({
      verdict: 'PASS',
    });
    const stillGreen = judgeSuite({ ...doubtful, doubtRuns: { none: green, wrong: all } });
    expect(stillGreen.levels[1]?.findings).toMatchObject([{ code: 'not_red', stub: 'none' }]);
  });

  test.each([
    'Failed: DID NOT RAISE <class ValueError>',
    'ValueError not raised by parse',
    'Missing expected exception.',
    'Missing expected rejection (RangeError).',
  ])(
    'an error that did not come says nothing of a value that another test is content with: %s',
    (message) => {
      const missing = testLine('test_a', 'failed', { ...REACHED, failure: failure({ message }) });
      const wrong = complete([missing, testLine('test_b', 'passed', REACHED)]);
      expect(judged(stubs({ wrong })).codes).toEqual(['not_red']);
      const fixed = { exports: [{ ...PARSE, answers: false }] };
      expect(judged({ ...fixed, ...stubs({ wrong, none: wrong }) }).codes).toEqual([]);
      // Where all that a suite asks of an export is an error, it is asked for.
      const onlyErrors = complete([missing, { ...missing, id: testId('test_b') }]);
      expect(judged(stubs({ wrong: onlyErrors })).codes).toEqual([]);
      const unreached = complete([missing, testLine('test_b', 'passed')]);
      const raise = complete([missing, testLine('test_b', 'failed')]);
      expect(judged({ stubRuns: { raise, none: raise, wrong: unreached } }).codes).toEqual([]);
    },
  );

  test('believes a loose run of a test that is green on every stub, and of a callable that gives nothing', () => {
    const lines = (outcome: 'passed' | 'failed') =>
      complete([testLine('test_a', outcome, REACHED), testLine('test_b', 'failed', REACHED)]);
    const all = { raise: lines('passed'), none: lines('passed'), wrong: lines('passed') };
    const facts = factsOf({ stubRuns: all });
    expect(doubtsOfSuite(facts).map(({ about }) => about)).toEqual(['all']);
    expect(judged({ stubRuns: all, doubtRuns: { all: lines('failed') } }).codes).toEqual([]);
    expect(judged({ stubRuns: all, doubtRuns: { all: lines('passed') } }).codes).toEqual(['test_never_red']);
    const effect = { exports: [{ ...PARSE, answers: false }] };
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
    const quiet = { ...effect, ...stubs({ none: green }), doubtRuns: { none: green, all: lines('failed') } };
    expect(judged(quiet).codes).toEqual([]);
    expect(judged({ ...quiet, exports: [PARSE] }).codes).toEqual(['not_red']);
  });

  test('believes another end of the call where the contract names any error, and only of a callable without result', () => {
    const named = (error: string, answers: boolean) => {
      const contract = { ...CONTRACT, interface: { ...CONTRACT.interface, raises: [error] } };
      const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
      return { contract, exports: [{ ...PARSE, answers }], ...stubs({ raise: green }) };
    };
    const doubtful = (error: string, answers: boolean) => doubtsOfSuite(factsOf(named(error, answers)));
    expect(doubtful('Exception', false).map(({ about, variant }) => [about, variant.raising])).toEqual([
      ['raise', ['parse_money']],
    ]);
    expect(doubtful('ValueError', false)).toEqual([]);
    expect(doubtful('Exception', true)).toEqual([]);
    const ended = (run: Execution) =>
      judgeSuite(factsOf({ ...named('Exception', false), doubtRuns: { raise: run } })).levels.flatMap(
        (level) => level.findings.map((found) => found.code),
      );
    const swallowed = complete([
      testLine('test_a', 'passed', REACHED),
      testLine('test_b', 'passed', REACHED),
    ]);
    expect(ended(red('test_a', 'test_b'))).toEqual([]);
    expect(ended(swallowed)).toEqual(['not_red']);
  });

  test('believes a run with constructors that fail of a test that only builds objects', () => {
    const money = { ...PARSE, name: 'Money', callable: false, answers: false };
    const facts = (names: readonly string[], built?: 'passed' | 'failed') => {
      const test = (outcome: 'passed' | 'failed') => testLine('test_a', outcome, { reached: [...names] });
      const run = (outcome: 'passed' | 'failed') =>
        complete([test(outcome), testLine('test_b', 'failed', REACHED)]);
      const green = { raise: run('passed'), none: run('passed'), wrong: run('passed') };
      const further = built === undefined ? {} : { doubtRuns: { all: run('passed'), built: run(built) } };
      return { exports: [PARSE, money], stubRuns: green, ...further };
    };
    const built = doubtsOfSuite(factsOf(facts(['Money', 'Money.__len__'])));
    expect(built.map(({ about, variant }) => [about, variant.closed])).toEqual([
      ['all', false],
      ['built', true],
    ]);
    expect(doubtsOfSuite(factsOf(facts(['Money', 'Money.add']))).map(({ about }) => about)).toEqual(['all']);
    expect(judged(facts(['Money'], 'failed')).codes).toEqual([]);
    expect(judged(facts(['Money'], 'passed')).codes).toEqual(['test_never_red']);
    expect(judged(facts(['Money', 'parse_money'], 'failed')).codes).toEqual(['test_never_red']);
  });

  test('believes no loose run of a test that reaches nothing', () => {
    const unreached = testLine('test_a', 'passed');
    const run = complete([unreached, testLine('test_b', 'failed', REACHED)]);
    const red = complete([testLine('test_a', 'failed'), testLine('test_b', 'failed', REACHED)]);
    const stubRuns = { raise: run, none: run, wrong: run };
    expect(judged({ stubRuns, doubtRuns: { all: red } }).codes).toEqual(['test_never_red']);
  });

  test('takes no word of a further run that is lost, and none of one that broke off', () => {
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'passed', REACHED)]);
    const lost: Execution = { kind: 'unusable', finding: finding('platform_lost', 'L1', 'x') };
    const late: Execution = { kind: 'unusable', finding: finding('wall_limit', 'L1', 'x') };
    const facts = factsOf(stubs({ wrong: green }));
    expect(judgeSuite({ ...facts, doubtRuns: { wrong: lost } })).toMatchObject({ fault: 'platform' });
    expect(judgeSuite({ ...facts, doubtRuns: { wrong: late } })).toMatchObject({
      verdict: 'FAIL',
      fault: 'author',
    });
  });

  test('asks for no further run where all is red, and never accepts less than it asks for', () => {
    const outcome = fc.constantFrom('passed' as const, 'failed' as const, 'error' as const);
    const line = fc.record({ raise: outcome, none: outcome, wrong: outcome, again: outcome, other: outcome });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), fc.boolean(), (tests, answers) => {
        const on = (stub: keyof (typeof tests)[number]): Execution =>
          complete(tests.map((test, at) => testLine(`test_${at}`, test[stub], REACHED)));
        const isRed = (stub: keyof (typeof tests)[number]): boolean =>
          tests.some((test) => test[stub] !== 'passed');
        const facts = factsOf({
          exports: [{ ...PARSE, answers }],
          covers: { R1: ['*'], G1: ['*'] },
          stubRuns: { raise: on('raise'), none: on('none'), wrong: on('wrong') },
        });
        const doubts = doubtsOfSuite(facts).map(({ about }) => about);
        expect(doubts.includes('none')).toBe(!isRed('none'));
        expect(doubts.includes('wrong')).toBe(answers && !isRed('wrong'));
        const codes = judgeSuite({ ...facts, doubtRuns: { none: on('again'), wrong: on('other') } })
          .levels.flatMap((level) => level.findings)
          .filter((found) => found.code === 'not_red')
          .map((found) => found.stub);
        expect(codes).toEqual([
          ...(isRed('raise') ? [] : ['raise']),
          ...(isRed('none') || isRed('again') ? [] : ['none']),
          ...(!answers || isRed('wrong') || isRed('other') ? [] : ['wrong']),
        ]);
      }),
    );
  });

  test('a red test that does not reach the export does not count for it', () => {
    const unreached = complete([testLine('test_a', 'failed'), testLine('test_b', 'failed')]);
    const result = judged({ stubRuns: { raise: unreached, none: unreached, wrong: unreached } });
    expect(result.codes).toEqual(['red_without_reach', 'red_without_reach', 'export_unreached']);
    expect(result.texts.at(-1)).toBe(
      'No test reaches "parse_money": write one that calls it and asserts what it gives back or changes',
    );
  });

  test('asks of a method that no test calls only that its class is used', () => {
    const exports = ['Box', 'Box.add'].map((name) => ({ ...PARSE, name, callable: name !== 'Box' }));
    const run = (name: string) => complete([testLine('test_a', 'failed', { reached: [name] })]);
    const on = (name: string) => ({ stubRuns: { raise: run(name), none: run(name), wrong: run(name) } });
    const codes = (name: string) => judged({ exports, ...on(name) }).codes;
    expect(codes('Other').filter((code) => code === 'export_unreached')).toHaveLength(2);
    expect(codes('Box')).not.toContain('export_unreached');
  });

  test('wants each declaration read by a test that is red on wrong, whatever the author says of it', () => {
    const exports = [
      { name: 'LIMIT', callable: false, declaration: true, answers: false, clauseIds: ['E1'] },
    ];
    const covers = { R1: ['*'], G1: ['*'], E1: ['test_a'] };
    expect(judged({ exports, covers }).codes).toEqual(['export_unreached']);
    const read = { reached: ['LIMIT'] };
    const on = (outcome: 'passed' | 'failed') =>
      complete([testLine('test_a', outcome, read), testLine('test_b', 'failed', read)]);
    const green = complete([testLine('test_a', 'passed', read), testLine('test_b', 'passed', read)]);
    expect(judged({ exports, ...stubs({ raise: green, none: green, wrong: on('failed') }) })).toMatchObject({
      verdict: 'PASS',
    });
    const facts = { exports, ...stubs({ raise: on('failed'), none: green, wrong: green }) };
    expect(judged(facts).codes).toEqual(['not_red']);
  });

  test('leaves inert exports out', () => {
    const green = complete([testLine('test_a', 'passed', REACHED), testLine('test_b', 'failed', REACHED)]);
    const exports = [{ ...PARSE, callable: false, answers: false }];
    expect(judged({ exports, ...stubs({ raise: green, none: green }) })).toMatchObject({ verdict: 'PASS' });
  });

  test('a collection error is never red', () => {
    const broken = complete([], { collectErrors: [{ file: TEST_FILE, failure: failure() }] });
    expect(judged({ stubRuns: { raise: broken, none: broken, wrong: broken } })).toMatchObject({
      verdict: 'INVALID',
      fault: 'author',
    });
  });

  test('wants equal ids on both stubs under both seeds', () => {
    expect(
      judged({ collections: [{ stub: 'none', execution: complete([testLine('test_a')]) }] }),
    ).toMatchObject({ verdict: 'INVALID', codes: ['ids_differ'] });
  });

  test('lets declared values make another number of tests on wrong', () => {
    const more = red('test_a', 'test_b', 'test_c');
    expect(judged(stubs({ wrong: more }))).toMatchObject({ verdict: 'PASS' });
    expect(judged(stubs({ none: more }))).toMatchObject({ verdict: 'INVALID', codes: ['ids_differ'] });
  });

  test.each(['skipped', 'xfailed', 'todo'] as const)('refuses a test that is %s on a stub', (outcome) => {
    const run = complete([testLine('test_a', outcome), testLine('test_b', 'failed', REACHED)]);
    expect(judged(stubs({ none: run }))).toMatchObject({
      verdict: 'INVALID',
      fault: 'author',
      codes: ['forbidden_outcome'],
    });
  });

  test('wants a suite of a test node green on the real code of its targets', () => {
    const green = complete([testLine('test_a'), testLine('test_b')]);
    expect(judged({ exports: [], onRealCode: green })).toMatchObject({ verdict: 'PASS' });
    expect(judged({ exports: [], onRealCode: red('test_a', 'test_b') })).toMatchObject({
      verdict: 'FAIL',
      fault: 'author',
      codes: ['not_green', 'not_green'],
    });
  });

  test('a lost sandbox charges nobody', () => {
    const lost: Execution = { kind: 'unusable', finding: finding('platform_lost', 'L1', 'x') };
    expect(judged(stubs({ none: lost }))).toMatchObject({ verdict: 'INVALID', fault: 'platform' });
  });

  test('judges a suite of 2,000 tests without quadratic work', () => {
    const many = red(...Array.from({ length: 2000 }, (_, index) => `test_${index}`));
    const startedMs = performance.now();
    judged({ stubRuns: { raise: many, none: many, wrong: many }, covers: { R1: ['*'], G1: ['*'] } });
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});

describe('writeSetFindings()', () => {
  const codes = (role: 'builder' | 'test_author', ...paths: string[]) =>
    writeSetFindings(CONTRACT, role, paths).map((found) => found.code);

  test('allows own files and nothing else', () => {
    expect(codes('builder', 'price/money.py', 'price/money/parts.py')).toEqual([]);
    expect(codes('builder', 'price/tax.py', 'tests/price_money/test_x.py', '../x')).toEqual([
      'write_set',
      'write_set',
      'write_set',
    ]);
    expect(codes('test_author', 'tests/price_money/test_x.py', 'tests/price_money/conftest.py')).toEqual([]);
    expect(codes('test_author', 'price/money.py')).toEqual(['write_set']);
  });

  test.each([
    'conftest.py',
    'sitecustomize.py',
    'x.pth',
    'package.json',
    'pytest.ini',
    '.gitattributes',
    'setup.cfg',
  ])('refuses %s even below own folders', (name) => {
    expect(codes('builder', `price/money/${name}`)).toEqual(['scaffold_touched']);
    expect(codes('test_author', `tests/price_money/${name}`)).toEqual(
      name === 'conftest.py' ? [] : ['scaffold_touched'],
    );
  });
});

describe('files of a node', () => {
  test('isTestFile() knows tests from helpers', () => {
    expect(
      ['a/test_x.py', 'x_test.py', 'helper.py', 'conftest.py'].map((path) => isTestFile(path, 'python')),
    ).toEqual([true, true, false, false]);
    expect(['x.test.js', 'x.spec.mts', 'x.js'].map((path) => isTestFile(path, 'typescript'))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('entryFileOf() accepts a package for a module', () => {
    expect(entryFileOf(CONTRACT, ['price/money/__init__.py', 'price/money/x.py'])).toBe(
      'price/money/__init__.py',
    );
    expect(entryFileOf(CONTRACT, ['price/tax.py'])).toBeNull();
  });
});
