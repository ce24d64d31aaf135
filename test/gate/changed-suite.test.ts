/** Honest code fails every suite that expects something else; code that follows what is expected does not (core/gate/code/changed-suite.ts). */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { ownNames } from '../../core/contract/own-names.ts';
import { edited, isOf, type ChangedTest } from '../../core/gate/code/changed-suite.ts';
import { dealParts } from '../../core/gate/code/parts.ts';
import type { Dice } from '../../core/ports/expectations.ts';
import type { Language } from '../../schemas/ids.ts';
import type { TestId } from '../../schemas/runner-report.ts';
import type { RunnerProgram } from '../../core/stubs/runner-command.ts';
import { runSuite, type Files } from '../runner/run-runner.ts';
import { PYTHON_FORMS, SCRIPT_FORMS } from '../support/suite-forms.ts';
import { scriptCases } from '../wall/script-world.ts';
import { honestCases } from '../wall/wall-world.ts';

/** Changes of one test that are tried; the gate draws one of all. A higher `A7_TEST_VARIANTS` tries every one. */
const VARIANTS = Number(process.env['A7_TEST_VARIANTS'] ?? '1');

interface Case {
  readonly contract: { readonly interface: { readonly exports: readonly string[] } };
  readonly codePath: string;
  readonly code: string;
  readonly suitePath: string;
  readonly suite: string;
}

/**
 * Part by part, as where suite and code share a process: names of changed tests that are green, those that the class itself calls equal
 * left out, and of unchanged tests that are not green.
 */
async function greenOf(
  cases: readonly Case[],
  language: Language,
  program: RunnerProgram,
  around: Files,
): Promise<{
  readonly tried: number;
  readonly green: readonly string[];
  readonly missed: readonly string[];
}> {
  const suites = cases.map((each) => ({ ...each, changes: changesOf(each, language) }));
  const code = Object.fromEntries(cases.map(({ codePath, code: text }) => [codePath, text]));
  let tried = 0;
  const green: string[] = [];
  const missed: string[] = [];
  for (let variant = 0; variant < VARIANTS; variant += 1) {
    const drawn = suites.flatMap(({ changes }) => firstOf(changes, variant));
    if (drawn.length === 0) break;
    tried += drawn.length;
    const runOf = async (
      changes: readonly ChangedTest[],
      editsOf: (change: ChangedTest) => ChangedTest['edits'] | ChangedTest['doubt'],
      only?: TestId,
    ): Promise<{ readonly ids: readonly TestId[]; readonly passed: readonly TestId[] }> => {
      const files = suites.map(({ suitePath, suite }) => {
        const edits = changes.filter(({ file }) => file === suitePath).flatMap((each) => editsOf(each) ?? []);
        return [suitePath, edited(suite, edits)];
      });
      const tree = { ...around, ...code, ...(Object.fromEntries(files) as Files) };
      const testFiles = suites.map(({ suitePath }) => suitePath);
      const { tests } = await runSuite(tree, {
        program,
        testFiles: only === undefined ? testFiles : [only.file],
        testTimeoutMs: 3_000,
        ...(only !== undefined && { extra: { each: [only] } }),
      });
      const passed = tests.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : []));
      return { ids: tests.map(({ id }) => id), passed };
    };
    const greenIn = (changes: readonly ChangedTest[], passed: readonly TestId[]): ChangedTest[] =>
      changes.filter((change) => passed.some((id) => isOf(id, change)));
    const again = async (
      changes: readonly ChangedTest[],
      editOf: (change: ChangedTest) => ChangedTest['doubt'],
    ): Promise<ChangedTest[]> =>
      changes.length === 0 ? [] : greenIn(changes, (await runOf(changes, editOf)).passed);
    if (variant === 0)
      expect(greenIn(drawn, (await runOf([], () => [])).passed).map(keyOf)).toEqual(drawn.map(keyOf));
    const followed: ChangedTest[] = [];
    for (const part of dealParts(drawn, diceOf(`part ${String(variant)}`))) {
      const { ids, passed } = await runOf(part, ({ edits }) => edits);
      followed.push(...greenIn(part, passed));
      const isAsItWas = (id: TestId): boolean => !part.some((change) => isOf(id, change));
      // As the gate asks: what another test has left is not there.
      for (const id of ids.filter((each) => isAsItWas(each) && !passed.includes(each))) {
        const alone = await runOf(part, ({ edits }) => edits, id);
        if (!alone.passed.some((each) => keyOf(each) === keyOf(id))) missed.push(keyOf(id));
      }
    }
    const doubted = followed.filter(({ doubt }) => doubt !== null);
    const same = await again(doubted, ({ doubt }) => doubt);
    const vague = same.filter(({ far }) => far !== undefined && far !== null);
    const blind = await again(vague, ({ far }) => far ?? null);
    green.push(...followed.filter((each) => !same.includes(each) || blind.includes(each)).map(keyOf));
  }
  return { tried, green, missed };
}

function keyOf({ file, nesting, name }: Pick<ChangedTest, 'file' | 'nesting' | 'name'>): string {
  return [file, ...nesting, name].join(' > ');
}

function changesOf({ contract, suitePath, suite }: Case, language: Language): readonly ChangedTest[] {
  const own = ownNames(language, contract.interface.exports);
  const found = createSymbols().expectations(language, suitePath, suite, own, diceOf(suitePath));
  return found.map((each) => ({ ...each, file: suitePath }));
}

/** The same for each run of this test. */
function diceOf(seed: string): Dice {
  let thrown = 0;
  return (count) => {
    const digest = createHash('sha256')
      .update(`${seed} ${String((thrown += 1))}`)
      .digest();
    return digest.readUInt32BE(0) % count;
  };
}

/** Of each test its change number `at`. */
function firstOf(changes: readonly ChangedTest[], at: number): ChangedTest[] {
  const keys = [...new Set(changes.map(keyOf))];
  return keys.flatMap((key) => changes.filter((each) => keyOf(each) === key)[at] ?? []);
}

const FORMS: Readonly<Record<'python' | 'typescript', Case>> = {
  python: {
    ...{
      contract: {
        interface: {
          exports: ['class Pair:\n    one: int\n    two: int', 'def pair(one: int, two: int) -> Pair: ...'],
        },
      },
      ...PYTHON_FORMS,
    },
    ...{ codePath: 'shop/forms.py', suitePath: 'tests/shop_thing/test_forms.py' },
  },
  typescript: {
    ...{
      contract: {
        interface: {
          exports: [
            'export class Pair { one: number; two: number }',
            'export function pair(one: number, two: number): Pair;',
          ],
        },
      },
      ...SCRIPT_FORMS,
    },
    ...{ codePath: 'shop/forms.mjs', suitePath: 'tests/shop_thing/forms.test.mjs' },
  },
};

test.each(['python', 'typescript'] as const)('in %s each form of what is expected is changed', (language) => {
  const form = FORMS[language];
  const changes = changesOf(form, language);
  const named = [...form.suite.matchAll(/(?:def test|\b(?:test|it)\(')(?:_| )?(\w[\w ]*)/gu)].map(
    ([, name = '']) => name,
  );
  const kindOf = (name: string): string => {
    const own = changes.filter((each) => each.name.replace(/^test_/u, '') === name);
    return own.some(({ kind }) => kind === 'value') ? 'value' : own.length > 0 ? 'truth' : 'none';
  };
  const wanted = (name: string): string =>
    name.startsWith('only') ? 'truth' : name.startsWith('never') ? 'none' : 'value';
  expect(named.length).toBeGreaterThan(15);
  expect(named.map((name) => [name, kindOf(name)])).toEqual(named.map((name) => [name, wanted(name)]));
  const rows = changes.filter(({ nesting, name }) => nesting.length > 0 || name.startsWith('up '));
  expect(new Set(rows.map(keyOf)).size).toBe(language === 'python' ? 3 : 8);
});

test('honest Python fails whatever is changed in what its suites expect', async () => {
  const { tried, green, missed } = await greenOf([...honestCases(), FORMS.python], 'python', 'pytest', {
    'shop/__init__.py': '',
  });
  expect({ green, missed }).toEqual({ green: [], missed: [] });
  expect(tried).toBeGreaterThan(400);
}, 120_000);

test('honest JavaScript and TypeScript fail whatever is changed in what their suites expect', async () => {
  const around = { 'package.json': '{"type":"module"}\n' };
  const { tried, green, missed } = await greenOf(
    [...scriptCases(), FORMS.typescript],
    'typescript',
    'node',
    around,
  );
  expect({ green, missed }).toEqual({ green: [], missed: [] });
  expect(tried).toBeGreaterThan(120);
}, 120_000);

/** What `equals` and `==` say is the class's own affair: a sum becomes what it is compared with. */
const ADOPTING: Readonly<Record<'python' | 'javascript', Case>> = {
  python: {
    contract: { interface: { exports: ['class Money:\n    def __init__(self, cents: int) -> None: ...'] } },
    codePath: 'shop/thing.py',
    code: [
      'class Money:',
      '    def __init__(self, cents): self.cents = cents',
      '    def equals(self, other): return self == other',
      '    def __eq__(self, other):',
      '        if self.cents is None: self.cents = other.cents',
      '        return self.cents == other.cents',
      '    def plus(self, other): return Money(None)',
    ].join('\n'),
    suitePath: 'tests/test_it.py',
    suite: [
      'from shop.thing import Money',
      'def test_operator(): assert Money(1).plus(Money(2)) == Money(3)',
      'def test_method(): assert Money(1).plus(Money(2)).equals(Money(3))',
      'def test_built(): assert Money(1) == Money(1)',
    ].join('\n'),
  },
  javascript: {
    contract: { interface: { exports: ['export class Money { constructor(cents: number); }'] } },
    codePath: 'shop/thing.mjs',
    code: [
      'export class Money {',
      '  #cents;',
      '  constructor(cents) { this.#cents = cents; }',
      '  plus() { return new Money(undefined); }',
      '  equals(other) { this.#cents ??= other.#cents; return this.#cents === other.#cents; }',
      '}',
    ].join('\n'),
    suitePath: 'tests/it.test.mjs',
    suite: [
      "import { test } from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { Money } from '../shop/thing.mjs';",
      "test('ok', () => assert.ok(new Money(1).plus(new Money(2)).equals(new Money(3))));",
      "test('true', () => assert.equal(new Money(1).plus(new Money(2)).equals(new Money(3)), true));",
      "test('private', () => assert.deepEqual(new Money(1).plus(new Money(2)), new Money(3)));",
    ].join('\n'),
  },
};

/** A sum that is no sum, of a class of which any two are equal; a class that clamps is not blamed. */
const ALIKE: Case = {
  ...ADOPTING.python,
  codePath: 'shop/alike.py',
  code: [
    'class Money:',
    '    def __init__(self, cents): self.cents = cents',
    '    def __eq__(self, other): return isinstance(other, Money)',
    '    def plus(self, other): return Money(0)',
    'class Percent:',
    '    def __init__(self, value): self.value = min(value, 100)',
    '    def __eq__(self, other): return isinstance(other, Percent) and self.value == other.value',
    '    def plus(self, other): return Percent(self.value + other.value)',
  ].join('\n'),
  contract: {
    interface: {
      exports: ['Money', 'Percent'].map(
        (name) => `class ${name}:\n    def __init__(self, cents: int) -> None: ...`,
      ),
    },
  },
  suitePath: 'tests/test_alike.py',
  suite: [
    'from shop.alike import Money, Percent',
    'def test_alike(): assert Money(1).plus(Money(2)) == Money(3)',
    'def test_clamped(): assert Percent(150).plus(Percent(2)) == Percent(250)',
  ].join('\n'),
};

test('code that becomes what it is compared with is seen; a class that calls both values equal is not blamed', async () => {
  const [python, script] = await Promise.all([
    greenOf([ADOPTING.python, ALIKE], 'python', 'pytest', { 'shop/__init__.py': '' }),
    greenOf([ADOPTING.javascript], 'javascript', 'node', { 'package.json': '{"type":"module"}\n' }),
  ]);
  expect(python.green.map((name) => name.split(' > ').at(-1)).toSorted()).toEqual([
    'test_alike',
    'test_method',
    'test_operator',
  ]);
  expect(script.green.map((name) => name.split(' > ').at(-1)).toSorted()).toEqual(['ok', 'true']);
}, 60_000);
