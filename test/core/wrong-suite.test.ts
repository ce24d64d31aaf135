/** A wrong suite has an exit: what proves it wrong, whom a refusal blames, and how often a suspicion counts. */
import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { blameOf } from '../../core/gate/code/blame.ts';
import { deniedCall, deniedExample, type SuiteWords } from '../../core/gate/suite/contradiction.ts';
import { unstatedMessages, wantedMessage } from '../../core/gate/code/unstated-message.ts';
import type { Example } from '../../schemas/contract.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, failure, testLine } from '../support/gate-runs.ts';
import { finding } from '../../core/gate/finding.ts';
import { judgement } from '../../core/gate/judgement.ts';
import { whyNode } from '../../core/stage/why.ts';
import { emptyDoc } from '../../core/ledger/session-doc.ts';
import { world } from '../support/stage-actions.ts';
import { failed, gate } from '../support/stage-world.ts';

const symbols = createSymbols();
const EXAMPLES = [
  { call: "parse_money('12.30')", returns: 1230 },
  { call: 'total([1, 2]).cents', returns: 3 },
];
const NAMES = ['parse_money', 'total'];
const SUITE = [
  'def test_lie():',
  '    assert parse_money( "12.30" ) == 1231',
  'def test_stored():',
  "    value = parse_money('12.30')",
  '    assert value == 9',
  'def test_other():',
  "    assert parse_money('12.30') + parse_money('1.00') == 9",
  'def test_again():',
  "    assert parse_money('12.30') == 1230",
  "    assert parse_money('12.30') == 1231",
  'def test_raises():',
  '    with pytest.raises(ValueError):',
  "        parse_money('12.30')",
  'def test_member():',
  '    assert total([1, 2]).cents == 4',
  'def test_other_member():',
  '    assert total([1, 2]).name == 4',
].join('\n');

describe('deniedExample()', () => {
  test.each([
    ['an assertion on the very call', 2, "parse_money('12.30')"],
    ['one on its stored result', 5, "parse_money('12.30')"],
    ['one that also asks something else', 7, null],
    ['a second call of what may remember', 10, null],
    ['an error that the example does not raise', 12, "parse_money('12.30')"],
    ['a member of the result', 15, 'total([1, 2]).cents'],
    ['another member', 17, null],
  ])('of %s', (_name, line, example) => {
    expect(deniedExample(symbols.statementAt('python', SUITE, line), EXAMPLES, NAMES)).toBe(example);
  });

  test('of an assertion in JavaScript', () => {
    const text = "test('lie', () => {\n  assert.equal(parse_money('12.30'), 5);\n  other();\n});\n";
    expect(deniedExample(symbols.statementAt('javascript', text, 2), EXAMPLES, NAMES)).toBe(
      "parse_money('12.30')",
    );
  });
});

describe('deniedCall()', () => {
  const WITH = [
    '@pytest.mark.parametrize("text, value", [("12.30", 1231), ("1.00", 100)])',
    'def test_all(text, value):',
    '    assert parse_money(text) == value',
    'def test_twice(text, value):',
    '    parse_money(text)',
    '    assert parse_money(text) == value',
    'def test_effect(text, value):',
    '    parse_money(text)',
    '    assert text == value',
    'def test_kept(text, value):',
    '    found = parse_money(text)',
    '    assert found == value',
    'def test_list():',
    '    assert [parse_money(text) for text in TEXTS] == [100, 1231]',
  ].join('\n');
  const TABLES = [
    'for (const [text, cents] of TABLE)',
    '  test(text, () => assert.equal(parse_money(text), cents));',
    "test('all', () => {",
    '  for (const [text, cents] of TABLE) {',
    '    assert.equal(parse_money(text), cents);',
    '  }',
    '});',
    "test('list', () => {",
    '  assert.deepEqual(TEXTS.map((text) => parse_money(text)), CENTS);',
    '});',
  ].join('\n');
  const CALL = 'parse_money("12.30")';
  const denied = (language: 'python' | 'javascript', line: number, call: string, result: string) => {
    const words = symbols.statementAt(language, language === 'python' ? WITH : TABLES, line);
    return deniedCall(words, { call, result }, EXAMPLES, NAMES);
  };

  test.each([
    ['the only call of a test of many parameters', 3, CALL, 'returns 1230', true],
    ['another call than the example', 3, "parse_money('1.00')", 'returns 100', false],
    ['another answer than the example gives', 3, CALL, 'returns 1229', false],
    ['one of two calls', 6, CALL, 'returns 1230', false],
    ['an assertion on what was given', 9, CALL, 'returns 1230', false],
    ['an assertion on what was kept', 12, CALL, 'returns 1230', true],
    ['the last of a list', 14, CALL, 'returns 1230', false],
  ])('of %s', (_name, line, call, result, isDenied) => {
    expect(denied('python', line, call, result)).toBe(isDenied ? "parse_money('12.30')" : null);
  });

  test.each([
    ['tests that a loop makes', 2, true],
    ['a loop in a test', 5, true],
    ['the last of a list', 9, false],
  ])('of %s in JavaScript', (_name, line, isDenied) => {
    expect(denied('javascript', line, CALL, 'returns 1230')).toBe(isDenied ? "parse_money('12.30')" : null);
  });

  test('compares texts, truths and lists as both languages show them', () => {
    const words = { statement: 'assert f(x) == y', around: 'def test():\n    assert f(x) == y' };
    const shown = (returns: Extract<Example, { returns: unknown }>['returns'], result: string): boolean =>
      deniedCall(words, { call: 'f(1)', result }, [{ call: 'f(1)', returns }], ['f']) !== null;
    expect(shown({ a: [true, 'x'] }, "returns {'a': [True, 'x']}")).toBe(true);
    expect(shown({ a: [true, 'x'] }, 'returns {a: [true, "x"]}')).toBe(true);
    expect(shown('true', "returns 'true'")).toBe(true);
    expect(shown(true, 'returns 1')).toBe(false);
  });
});

describe('unstatedMessages()', () => {
  const SAYS = [
    'def test_value():',
    '    assert str(caught.value) == "negative amount"',
    'def test_except():',
    '    except ValueError as error:',
    '        assert "negative" in str(error)',
    'def test_other():',
    '    assert str(amount) == "negative amount"',
  ].join('\n');
  const wanted = (message: string, words: SuiteWords | null = null) =>
    wantedMessage({ exceptionType: 'AssertionError', message, assertion: true, frames: [] }, words);
  const throwing = {
    statement: 'assert.throws(() => f(), check)',
    around: '() => assert.throws(() => f(), check)',
  };

  test.each([
    [
      "Regex pattern did not match.\n  Expected regex: 'negative amount'\n  Actual message: 'x'",
      'negative amount',
    ],
    ["assert 'Expected regex: ' == 'x'", null],
  ])('reads what pytest says: %j', (message, text) => expect(wanted(message)).toBe(text));

  test.each([
    ['The input did not match the regular expression /negative/. Input:\n\n', 'negative'],
    [
      "+ actual - expected\n\n  Comparison {\n+   message: 'x',\n-   message: 'negative',\n    name: 'E'\n",
      'negative',
    ],
    [
      "+ actual - expected\n\n  Comparison {\n+   message: 'x',\n-   message: 'negative',\n-   name: 'E'\n",
      null,
    ],
  ])('reads what node:assert says of an error: %j', (message, text) => {
    expect(wanted(message, throwing)).toBe(text);
    expect(wanted(message, { statement: 'assert.match(text, /x/)', around: '' })).toBeNull();
  });

  test('reads literals beside the words of a caught error, and of nothing else', () => {
    const at = (line: number) => wanted('assert', symbols.statementAt('python', SAYS, line));
    expect([at(2), at(7)]).toEqual(['negative amount', null]);
  });

  test('names the suite only where every red test wants what the contract does not state', () => {
    const message =
      "Regex pattern did not match.\n Expected regex: '^negative \\\\w+$'\n Actual message: 'x'";
    const found = [finding('test_failed', 'L1', 'x')];
    const red = testLine('test_a', 'failed', { failure: failure({ message }) });
    const other = testLine('test_b', 'failed', { failure: failure({ message: 'assert 1 == 2' }) });
    const judged = (change: Parameters<typeof gateContract>[0], ...lines: (typeof red)[]) =>
      unstatedMessages(
        { contract: gateContract(change), runs: [complete(lines)], suiteWords: () => null },
        found,
      );
    expect(judged({}, red, testLine('test_c')).map(({ code }) => code)).toEqual(['message_unstated']);
    expect(judged({}, red, other)).toEqual([]);
    expect(judged({ description: 'A Negative amount raises' }, red)).toEqual([]);
    expect(judged({ structural_deps: ['price.other'] }, red)).toEqual([]);
  });
});

describe('blameOf()', () => {
  const before = { withdrawn: 0, isRepeated: false };
  const red = { ...judgement('code', [finding('test_failed', 'L1', 'x')], [], { L0: true, L1: true }) };
  const suspected = { ...red, suspect: 'suite' as const };

  test('ends a builder’s task at once where the suite is proven wrong', () => {
    const found = finding('suite_contradicts_example', 'L1', 'The suite denies f(1)');
    const proven = judgement('code', [found], [], { L0: true, L1: true });
    expect(blameOf(proven, { ...before, withdrawn: 5 })).toEqual({
      suspect: 'suite',
      suiteFault: 'The suite denies f(1)',
      isFinal: true,
    });
  });

  test('lets a builder repair while the suite is only suspected, once a node', () => {
    expect(blameOf(red, before)).toMatchObject({ suspect: 'code', isFinal: false });
    expect(blameOf(suspected, before)).toMatchObject({ suspect: 'suite', isFinal: false });
    expect(blameOf(suspected, { ...before, isRepeated: true })).toMatchObject({ isFinal: true });
    expect(blameOf(suspected, { withdrawn: 1, isRepeated: true })).toMatchObject({
      suspect: 'code',
      isFinal: false,
    });
  });
});

describe('decide() on a suspect suite', () => {
  test('withdraws it by a forced move, tells its author why, and spends no turn', () => {
    const it = world();
    it.writeSuite();
    it.returns(failed({ suspect: 'suite', suiteFault: 'The suite denies f(1)' }));
    expect(it.last('action')).toMatchObject({ by: 'harness', forced: true });
    const note = it.last('dispatched')?.record.parameters.managerNote;
    expect(note).toContain('The suite was withdrawn: The suite denies f(1)');
    expect(it.state.run?.turn).toBe(0);
    expect(it.state.nodes['a']).toMatchObject({ withdrawn: 1 });
    expect(it.state.nodes['a']).not.toHaveProperty('suspect');
  });

  test('keeps code that a second suite is to blame for, and ends with the author’s budget', () => {
    const it = world();
    it.writeSuite();
    for (let round = 0; round < 5 && it.state.nodes['a']?.reason !== 'void'; round += 1) {
      if (round === 0) it.returns(failed({ suspect: 'suite' }));
      it.writeSuite();
      it.finishGate(gate({ verdict: 'INVALID', fault: 'author' }));
    }
    expect(it.state.nodes['a']).toMatchObject({
      status: 'suspended',
      reason: 'void',
      suiteRetries: 3,
      withdrawn: 3,
    });
    expect(whyNode({ ...emptyDoc, state: it.state }, 'a').reasons.join(' ')).toContain(
      'the suite is the suspect',
    );
  });
});
