/** The mutation check: only a failed assertion of the suite kills (gate.md part 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { survivorsOf } from '../../core/gate/code/mutation.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

const PATH = 'tests/price_money/test_money.py';
const COVERS = { R1: ['*'], G1: ['*'] };
const HEAD = 'import pytest\nfrom price.money import parse_money\n\n';
const VALUE = "def test_value():\n    assert parse_money('12.30') == 1230\n\n";
/** Less than the value, but more than type and sign: a suite of those alone is sent back before any code is judged. */
const SIZE = "def test_size():\n    assert parse_money('12.30') > 1000\n\n";
const REFUSES = "def test_refuses():\n    with pytest.raises(ValueError):\n        parse_money('1.2')\n\n";
const CODE = [
  'import logging',
  'def parse_money(text):',
  '    """Whole cents of a text."""',
  "    whole, dot, cents = text.partition('.')",
  '    if len(cents) != 2:',
  '        raise ValueError(text)',
  "    logging.debug('read %s', 1)",
  '    return int(whole) * 100 + int(cents)',
  '',
].join('\n');
const SELF_CHECKING = CODE.replace(
  '    return int(whole) * 100 + int(cents)',
  '    result = int(whole) * 100 + int(cents)\n    assert str(result) == whole + cents\n    return result',
);

/** Not what a run gives the check, but enough for all changes on a busy machine. */
const AMPLE_MS = 60_000;

let world: GateWorld;

beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

async function checked(suite: string, code: string, change: Parameters<typeof gateContract>[0] = {}) {
  const contract = gateContract(change);
  const texts = { 'price/__init__.py': '', [PATH]: HEAD + suite };
  const covers = contract.interface.inert.length === 0 ? COVERS : { ...COVERS, E2: ['*'] };
  const locked = await world.lock(contract, texts, covers);
  const asked = { contract, kind: 'code', locked, texts: { ...texts, 'price/money.py': code } } as const;
  return { asked, ...(await world.verify({ ...asked, mutationMs: AMPLE_MS })) };
}

describe('the mutation check of Python', () => {
  test('kills every change that an assertion notices, and is kept beside the report', async () => {
    const { report, asked } = await checked(VALUE + REFUSES, CODE, { min_mutation_score: 0.5 });
    expect(report.verdict).toBe('PASS');
    expect(report.mutation).toMatchObject({ score: expect.any(Number), timedOut: 0, notRun: 0 });
    expect(report.mutation?.score).toBeGreaterThan(0.7);
    expect(report.mutation?.survivors.every((each) => each.place?.line !== 3)).toBe(true);
    const again = await world.verify({ ...asked, mutationMs: AMPLE_MS });
    expect([again.cacheHit, again.report.mutation, again.report.digest]).toEqual([
      true,
      report.mutation,
      report.digest,
    ]);
    const plain = await world.verify(asked);
    expect(plain.artifacts.filter((artifact) => artifact.name.includes('mutation'))).toEqual([]);
  });

  test('names clause and line of what a weak suite lets through, and stays PASS', async () => {
    const { report } = await checked(SIZE + REFUSES, CODE);
    expect(report.verdict).toBe('PASS');
    expect(report.mutation?.survivors).toContainEqual(
      expect.objectContaining({
        code: 'mutant_survived',
        clauseId: 'E1',
        exportName: 'parse_money',
        place: { file: 'price/money.py', line: 8 },
      }),
    );
  });

  test('takes self-checking code for no kill, and sends the suite back where a score is asked for', async () => {
    const { report } = await checked(SIZE + REFUSES, SELF_CHECKING, { min_mutation_score: 0.5 });
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'author', suspect: 'suite' });
    expect(report.mutation?.raised).toBeGreaterThan(1);
    expect(report.mutation?.score).toBeLessThan(0.5);
    expect(report.levels.flatMap((level) => level.findings.map((each) => each.code))).toEqual([
      'mutation_score',
    ]);
    const told = builderText(builderFeedback(report, gateContract(), null));
    expect(told).toMatch(/Your code passed; the suite notices too few changes of it/);
    expect(told).not.toMatch(/example/);
  });

  test('says so where the suite is red in its room: nothing could be tried, and only an asked score sends it back', async () => {
    const suite = `import os\n\n${VALUE}${REFUSES}def test_place():\n    assert parse_money('1.00') == (0 if os.getcwd().startswith('/tmp/a7-lane') else 100)\n`;
    const { report, asked } = await checked(suite, CODE);
    expect(report.verdict).toBe('PASS');
    expect(report.mutation?.score).toBeNull();
    expect(report.mutation?.survivors.map((each) => each.code)).toEqual(['mutation_unmade']);
    expect(survivorsOf(report)?.findings.join('\n')).toContain('No change of the code could be tried');
    const contract = { ...asked.contract, min_mutation_score: 0.5 };
    const scored = await world.verify({ ...asked, contract, mutationMs: AMPLE_MS });
    expect([scored.report.verdict, scored.report.fault]).toEqual(['INVALID', 'author']);
  });

  test('makes no change in what serves inert exports alone', async () => {
    const exports = ['def parse_money(text: str) -> int: ...', 'def main() -> None: ...'];
    const contract = { interface: { ...gateContract().interface, exports, inert: ['main'] } };
    const main =
      "\ndef main():\n    if input():\n        print(parse_money(input()))\n\nif __name__ == '__main__':\n    main()\n";
    const { report } = await checked(VALUE + REFUSES, CODE + main, contract);
    const plain = await checked(VALUE + REFUSES, CODE);
    expect(report.mutation?.made).toBe(plain.report.mutation?.made);
  });
});

describe('the mutation check of TypeScript', () => {
  test('runs a suite of node:test against each change', async () => {
    const contract = gateContract({
      language: 'typescript',
      min_mutation_score: 0.1,
      interface: {
        ...gateContract().interface,
        exports: ['export function parseMoney(text: string): number;'],
        raises: [],
        guarantees: [],
      },
      files: ['price/money.ts'],
      contentFile: 'price/money.ts',
      importLine: "import { parseMoney } from './price/money.ts'",
    });
    const suite = [
      "import test from 'node:test';",
      "import assert from 'node:assert/strict';",
      "import { parseMoney } from '../../price/money.ts';",
      "test('value', () => assert.equal(parseMoney('12.30'), 1230));",
      '',
    ].join('\n');
    const code = [
      'export function parseMoney(text: string): number {',
      "  const [whole = '', cents = ''] = text.split('.');",
      "  if (cents.length !== 2) throw new RangeError('two decimals');",
      '  return Number(whole) * 100 + Number(cents);',
      '}',
      '',
    ].join('\n');
    const texts = { 'tests/price_money/money.test.ts': suite };
    const locked = await world.lock(contract, texts);
    const asked = { contract, kind: 'code', locked, texts: { ...texts, 'price/money.ts': code } } as const;
    const { report } = await world.verify({ ...asked, mutationMs: AMPLE_MS });
    expect(report.verdict).toBe('PASS');
    expect(report.mutation?.killed).toBeGreaterThan(2);
    expect(report.mutation?.survivors.map((each) => each.place?.line)).toContain(3);
  });
});
