/** Rules of the mutation check, and the changes that sources offer. */
import { describe, expect, test } from '@jest/globals';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import {
  MUTANTS_MAX,
  mutationCheck,
  mutationText,
  readMutationReport,
  scoreFinding,
  selectMutants,
  survivorsOf,
  unmadeCheck,
  unmadeReason,
} from '../../core/gate/code/mutation.ts';
import type { Mutant } from '../../core/ports/mutants.ts';
import { gateContract } from '../support/gate-contract.ts';

const symbols = createSymbols();
const CONTRACT = gateContract();
const changes = (language: 'python' | 'javascript' | 'typescript', text: string) =>
  symbols.mutants(language, 'price/money.py', text).map((each) => `${String(each.line)} ${each.change}`);

function mutant(line: number, change: Partial<Mutant> = {}): Mutant {
  return {
    file: 'price/money.py',
    line,
    operator: 'comparison',
    change: '"<" to "<="',
    text: '',
    serves: ['parse_money'],
    raises: null,
    ...change,
  };
}

describe('mutants()', () => {
  test('leaves alone what nobody can observe', () => {
    const text = [
      '"""Doc 1."""',
      'import a',
      '__all__ = ["f"]',
      'def f(x: "int" = 1) -> "int":',
      '    "Doc 2"',
      '    logger.info("x %s", 1)',
      '    assert x > 1, "message"',
      '    return x',
      'if __name__ == "__main__":',
      '    f(3)',
    ].join('\n');
    expect(changes('python', text)).toEqual(['4 "1" to "2"', '8 "x" to "None"']);
    const typed =
      'import x from "y";\ntype A = 1 | 2;\nexport const f = (n: 3): n is 3 => n > 4;\nconsole.log(1);\n';
    expect(changes('typescript', typed)).toEqual([
      '3 "n > 4" to "true"',
      '3 "n > 4" to "false"',
      '3 ">" to ">="',
      '3 "4" to "5"',
    ]);
  });

  test('lets what is true or false always say yes, and always no', () => {
    const python =
      'class V:\n    def __eq__(self, o):\n        return isinstance(o, V) and self.k == o.k\n    def has(self, x):\n        return any(y == x for y in self.k)\n    def name(self):\n        return self.k or "none"\n';
    expect(changes('python', python).filter((each) => /to "(?:True|False)"/u.test(each))).toEqual([
      '3 "isinstance(o, V) and self.k == o.k" to "True"',
      '3 "isinstance(o, V) and self.k == o.k" to "False"',
      '5 "any(y == x for y in self.k)" to "True"',
      '5 "any(y == x for y in self.k)" to "False"',
    ]);
    const script =
      'export class V { equals(o) { return o instanceof V && this.k === o.k; } has(x) { return this.k.includes(x); } }\nexport const odd = (n) => n % 2 === 1;\nexport const low = (a) => a.filter((x) => x < 3);\n';
    expect(changes('javascript', script).filter((each) => /to "true"/u.test(each))).toEqual([
      '1 "o instanceof V && this.k === o.k" to "true"',
      '1 "this.k.includes(x)" to "true"',
      '2 "n % 2 === 1" to "true"',
    ]);
  });

  test('changes one place each, also behind characters outside the basic plane', () => {
    const all = symbols.mutants('javascript', 'a.js', "const s = f('😀ü'); export const g = () => 1 < 2;\n");
    expect(all.find((each) => each.operator === 'comparison')).toMatchObject({
      text: "const s = f('😀ü'); export const g = () => 1 <= 2;\n",
      line: 1,
    });
    expect(symbols.mutants('python', 'a.py', 'def f(:\n')).toEqual([]);
  });

  test('tells which names a line serves, through helpers and constants', () => {
    const text =
      'LIMIT = 3\ndef _low(x):\n    return x < LIMIT\ndef check(x):\n    return _low(x)\ndef other():\n    pass\n';
    expect(symbols.mutants('python', 'a.py', text).map((each) => each.serves)).toContainEqual([
      'LIMIT',
      '_low',
      'check',
    ]);
  });
});

describe('the mutation check', () => {
  test('takes the strongest change of each line before any second one', () => {
    const all = [
      mutant(1, { operator: 'text' }),
      mutant(1),
      mutant(2, { operator: 'constant' }),
      mutant(3),
      mutant(3, { operator: 'return' }),
    ];
    expect(selectMutants(all, 3)).toEqual([all[1], all[2], all[3]]);
    expect(selectMutants(all, 2)).toEqual([all[1], all[2]]);
    expect(selectMutants(all, 9)).toEqual(all);
  });

  test('believes only a whole report of its own', () => {
    const lines = [
      { kind: 'start', nonce: 'n' },
      { kind: 'mutant', index: 0, outcome: 'survived' },
      { kind: 'mutant', index: 1, outcome: 'killed' },
      { kind: 'end', nonce: 'n' },
    ];
    const text = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join('\n');
    expect(readMutationReport(text(lines), 'n')?.changes.get(1)).toBe('killed');
    expect(readMutationReport(text(lines), 'other')).toBeNull();
    expect(readMutationReport(text(lines.slice(0, 3)), 'n')).toBeNull();
    expect(readMutationReport(text([...lines.slice(0, 3), ...lines.slice(2)]), 'n')).toBeNull();
    expect(readMutationReport(`${text(lines)}\nnoise`, 'n')).toBeNull();
  });

  test('counts only kills for the score, and names clause and line of survivors', () => {
    const tried = [mutant(1), mutant(2, { raises: 'ValueError' }), mutant(3), mutant(4), mutant(5)];
    const check = mutationCheck(
      CONTRACT,
      7,
      tried,
      new Map([
        [1, 'killed'],
        [2, 'survived'],
        [3, 'raised'],
        [4, 'timed_out'],
      ]),
    );
    expect(check).toMatchObject({
      score: 0.333,
      made: 7,
      killed: 1,
      survived: 1,
      raised: 1,
      timedOut: 1,
      notRun: 3,
    });
    expect(check.survivors).toMatchObject([{ code: 'mutant_survived', clauseId: 'R1', place: { line: 2 } }]);
    expect(mutationText(check)).toContain('score 0.33; of 7 changes 1 killed');
    expect(survivorsOf({ mutation: check })?.sources).toEqual(['mutation check']);
  });

  test('says how many of how many were tried, and why not all, to people and to the manager', () => {
    const tried = Array.from({ length: MUTANTS_MAX }, (_each, index) => mutant(index + 1));
    const killed = tried.map((_each, index) => [index + 1, 'killed'] as const);
    const whole = mutationCheck(CONTRACT, 40, tried, new Map(killed));
    const many = mutationCheck(CONTRACT, 55, tried, new Map(killed));
    const late = mutationCheck(CONTRACT, 55, tried, new Map(killed.slice(0, 39)));
    const unmade = unmadeCheck(55, unmadeReason(new Map([[0, 'raised']])) ?? '');
    expect([whole, many, late, unmade].map((check) => check.unfinished)).toEqual([
      undefined,
      '40 of 55 changes were tried: a check tries at most 40',
      '39 of 55 changes were tried: the time of the check was over',
      'none of 55 changes was tried: the suite is not green on the unchanged code where both share one process',
    ]);
    expect(mutationText(late)).toContain('16 not run (39 of 55 changes were tried');
    expect([whole, many].map((mutation) => survivorsOf({ mutation }))).toEqual([null, null]);
    expect(survivorsOf({ mutation: late })?.findings).toEqual([mutationText(late)]);
    expect(survivorsOf({ mutation: unmade })?.findings).toEqual([mutationText(unmade)]);
    expect([null, new Map([[0, 'not_run' as const]])].map(unmadeReason)).toEqual([
      'its report is not whole',
      'the suite did not end on the unchanged code within the time of the check',
    ]);
    expect(unmadeReason(new Map([[0, 'survived']]))).toBeNull();
  });

  test('asks for a score only where the contract does, and tells its author no code', () => {
    const check = mutationCheck(CONTRACT, 1, [mutant(1)], new Map([[1, 'survived']]));
    const strict = gateContract({ min_mutation_score: 0.5 });
    expect(scoreFinding(CONTRACT, check)).toBeNull();
    expect(scoreFinding(strict, mutationCheck(CONTRACT, 0, [], new Map()))).toBeNull();
    const lost = unmadeCheck(7, 'the sandbox was lost');
    expect(scoreFinding(strict, lost)?.text).toBe(
      'The mutation check came to no result, and the contract asks for a score: none of 7 changes was tried: the sandbox was lost',
    );
    expect(scoreFinding(strict, check)?.text).toBe(
      'The suite notices 0 of 1 small changes of the code by an assertion, the contract asks for a share of 0.5; what goes unnoticed belongs to E1',
    );
  });
});
