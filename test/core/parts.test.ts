/** In which suites a test expects something else is told by no other test (core/gate/code/parts.ts). */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ChangedTest } from '../../core/gate/code/changed-suite.ts';
import { diceOf } from '../../core/gate/code/dice.ts';
import { askedFinding, dealParts, drawMissed, missedIn, type Parts } from '../../core/gate/code/parts.ts';
import type { Dice } from '../../core/ports/expectations.ts';
import { complete, locked, TEST_FILE, testLine } from '../support/gate-runs.ts';

const dice = (seed: string): Dice => diceOf(seed, (text) => createHash('sha256').update(text).digest('hex'));
const change = (name: string, at: number): ChangedTest => ({
  ...{ file: TEST_FILE, nesting: [], name, ordinals: null, doubt: null, kind: 'value' },
  edits: [{ from: at, to: at + 1, by: '7' }],
});
const changesOf = (count: number): ChangedTest[] =>
  Array.from({ length: count }, (_, at) => change(`test_${String(at)}`, at * 2));
/** In which of the suites the test is changed. */
const patternOf = (parts: Parts, name: string): string =>
  parts.map((part) => (part.some((each) => each.name === name) ? '1' : '0')).join('');

describe('dealParts()', () => {
  test('changes few tests one by one', () => {
    const parts = dealParts(changesOf(5), dice('few'));
    expect(parts.map((part) => part.length)).toEqual([1, 1, 1, 1, 1]);
    expect(dealParts(changesOf(1), dice('one')).map((part) => part.length)).toEqual([1, 0]);
  });

  /** Three more things that each test expects. */
  const rich = (count: number): ChangedTest[] =>
    changesOf(count).map((each, number) => ({
      ...each,
      others: [1, 2, 3].map((at) => change(each.name, 1_000 * at + number * 2)),
    }));
  const placesOf = (parts: Parts, name: string): number[] =>
    parts.flatMap((part) =>
      part.filter((each) => each.name === name).map(({ edits }) => edits[0]?.from ?? 0),
    );

  test('changes each thing that one test expects', () => {
    const places = placesOf(dealParts(rich(1), dice('rich')), 'test_0');
    expect(places.toSorted((a, b) => a - b)).toEqual([0, 1_000, 2_000, 3_000]);
  });

  test('changes no thing of a test again before all others, in no more suites than before', () => {
    for (const count of [2, 4, 6, 13]) {
      const parts = dealParts(rich(count), dice(`rich ${String(count)}`));
      expect(parts.length).toBe(6);
      for (const { name } of rich(count)) {
        const places = placesOf(parts, name);
        expect(new Set(places).size).toBe(Math.min(4, places.length));
      }
    }
  });

  test('changes each of many tests in some suites and not in others', () => {
    const parts = dealParts(changesOf(40), dice('many'));
    expect(parts).toHaveLength(6);
    for (const { name } of changesOf(40)) expect(patternOf(parts, name)).toMatch(/1/u);
    for (const { name } of changesOf(40)) expect(patternOf(parts, name)).toMatch(/0/u);
  });

  test('lets nobody who does all but one test know where that one is changed', () => {
    const games = 600;
    // Each rule foresees the pattern of the forged test from those of the others, which code that does them can see.
    const rules: Readonly<Record<string, (others: readonly string[]) => string>> = {
      'the one that is rarest': (others) =>
        [...others].sort(
          (a, b) => others.filter((o) => o === a).length - others.filter((o) => o === b).length,
        )[0] ?? '',
      'where most are unchanged': (others) =>
        [0, 1, 2, 3, 4, 5]
          .map((at) => (others.filter((o) => o[at] === '1').length * 2 < others.length ? '1' : '0'))
          .join(''),
      'where most are changed': (others) =>
        [0, 1, 2, 3, 4, 5]
          .map((at) => (others.filter((o) => o[at] === '1').length * 2 > others.length ? '1' : '0'))
          .join(''),
      'always the same': () => '101010',
    };
    const right = Object.fromEntries(Object.keys(rules).map((rule) => [rule, 0]));
    for (let game = 0; game < games; game += 1) {
      const parts = dealParts(changesOf(13), dice(`game ${String(game)}`));
      const [forged = '', ...others] = changesOf(13).map(({ name }) => patternOf(parts, name));
      for (const [rule, guess] of Object.entries(rules))
        if (guess(others) === forged) right[rule] = (right[rule] ?? 0) + 1;
    }
    // One in 62 by chance.
    for (const count of Object.values(right)) expect(count).toBeLessThan(games / 20);
  });
});

describe('what was red as it was', () => {
  const suite = locked('test_0', 'test_1');
  const [zero, one] = changesOf(2);
  const runOf = (
    changes: readonly ChangedTest[],
    ...outcomes: ('passed' | 'failed')[]
  ): Parameters<typeof missedIn>[0][number] => ({
    changes,
    execution: complete(outcomes.map((outcome, at) => testLine(`test_${String(at)}`, outcome))),
  });

  test('is found once, and asked whole', () => {
    const runs = [runOf([zero!], 'failed', 'failed'), runOf([], 'passed', 'failed')];
    const missed = missedIn(runs, suite);
    expect(missed.map(({ name }) => name)).toEqual(['test_1']);
    expect(drawMissed(missed, dice('all'))).toEqual(missed);
  });

  test('has to be green by itself as it was, and red where it is changed', () => {
    const ids = suite.tests.map(({ id }) => id);
    const whole = [runOf([zero!], 'failed', 'passed'), runOf([one!], 'passed', 'failed')];
    expect(askedFinding(whole, ids, suite)).toBeNull();
    const red = askedFinding([runOf([zero!], 'failed', 'failed')], ids, suite);
    expect(red).toMatchObject({ code: 'follows_suite', testId: { name: 'test_1' } });
    const green = askedFinding([runOf([zero!], 'passed', 'passed')], ids, suite);
    expect(green).toMatchObject({ code: 'follows_suite', testId: { name: 'test_0' } });
  });
});
