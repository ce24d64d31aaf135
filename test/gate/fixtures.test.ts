/** A contract's fixtures: L2 on code that passed its suite, told to the builder without what was expected. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { Fixture } from '../../schemas/contract.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, type GateWorld } from './gate-world.ts';

const SECRET = '98765';
const fixture = (part: object): Fixture => Fixture.parse(part);
const PRINTS = ['python3', '-c', 'from price.money import parse_money; print(parse_money(input()))'];
const CONTRACT = gateContract({
  wall: 'in_process',
  fixtures: [
    fixture({ name: 'secret-large', command: PRINTS, stdin: '987.65\n', expect: { stdout: `${SECRET}\n` } }),
    fixture({
      name: 'secret-file',
      command: [
        'python3',
        '-c',
        'import price.money as m; open("out.txt", "w").write(str(m.parse_money(open("in.txt").read())))',
      ],
      files: { 'in.txt': '1.00' },
      expect: { files: { 'out.txt': '100' }, files_absent: ['left.txt'] },
    }),
  ],
});
const SUITE = {
  'price/__init__.py': '',
  'tests/price_money/test_money.py':
    "import pytest\nfrom price.money import parse_money\n\ndef test_value():\n    assert parse_money('7.00') == 700\n\ndef test_refuses():\n    with pytest.raises(ValueError):\n        parse_money('x')\n",
};
const HONEST =
  "import re\ndef parse_money(text):\n    if not re.fullmatch(r'\\d+\\.\\d\\d', text):\n        raise ValueError(text)\n    return int(text.replace('.', ''))\n";

let world: GateWorld;
let locked: LockedSuite;
let plan: GatePlan;

beforeAll(async () => {
  world = await openGateWorld();
  locked = await world.lock(gateContract({ wall: 'in_process' }), SUITE, { G1: ['*'], R1: ['*'] });
  const whole = resolvePlan(CONTRACT);
  plan = {
    ...whole,
    steps: whole.steps.map((step) => (step.kind === 'suite' ? { ...step, repeats: 1 as const } : step)),
  };
});
afterAll(async () => {
  await world.close();
});

describe('fixtures of a contract', () => {
  test('are run on code that passes its suite, and their files are looked at', async () => {
    const { report } = await world.code(CONTRACT, { ...SUITE, 'price/money.py': HONEST }, locked, plan);
    expect([report.verdict, report.levels.map((level) => level.status)]).toEqual([
      'PASS',
      ['passed', 'passed', 'passed'],
    ]);
    expect(report.commands.map((command) => command.name)).toEqual(
      expect.arrayContaining(['fixture-1', 'fixture-2']),
    );
  });

  test('fail what the suite let through; the builder reads number and class, nothing else', async () => {
    const source = HONEST.replace('return int', 'return 0 if len(text) > 5 else int');
    const { report } = await world.code(CONTRACT, { ...SUITE, 'price/money.py': source }, locked, plan);
    expect([report.verdict, report.fault]).toEqual(['FAIL', 'builder']);
    expect(report.levels[2]).toMatchObject({
      status: 'failed',
      findings: [{ code: 'fixture_failed', outcome: 'wrong_value' }],
    });
    const text = builderText(builderFeedback(report, CONTRACT, locked));
    expect(text).toMatch(/Fixture 1 gives another result than the contract asks for/);
    expect(text).not.toMatch(new RegExp(`${SECRET}|secret|987|python3`));
  });

  test('are not run, and prove nothing, where the suite already failed', async () => {
    const { report } = await world.code(
      CONTRACT,
      { ...SUITE, 'price/money.py': 'def parse_money(text):\n    return 1\n' },
      locked,
      plan,
    );
    expect(report.levels.map((level) => level.status)).toEqual(['passed', 'failed', 'not_run']);
  });
});
