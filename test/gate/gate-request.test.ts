/** What `verifySnapshot()` does around the judges: examples, write sets, plans, cache, lost sandboxes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LockedSuite } from '../../schemas/report.ts';
import { gateContract } from '../support/gate-contract.ts';
import { openGateWorld, quickPlan, type GateWorld } from './gate-world.ts';

const CONTRACT = gateContract({
  wall: 'in_process',
  examples: [
    { call: "parse_money('12.30')", returns: 1230 },
    { call: "parse_money('1.2')", raises: 'ValueError' },
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

beforeAll(async () => {
  world = await openGateWorld();
  locked = await world.lock(CONTRACT, SUITE, { G1: ['*'], R1: ['*'] });
});
afterAll(async () => {
  await world.close();
});

describe('verifySnapshot()', () => {
  test('runs the examples of a person beside the suite', async () => {
    const { report } = await world.code(CONTRACT, { ...SUITE, 'price/money.py': HONEST }, locked);
    expect(report.verdict).toBe('PASS');
    expect(report.examples.map((example) => example.outcome)).toEqual(['passed', 'passed']);
    const wrong = await world.code(
      CONTRACT,
      { ...SUITE, 'price/money.py': 'def parse_money(text):\n    return 1\n' },
      locked,
    );
    expect(wrong.report.levels[1]?.findings.map((found) => found.code)).toContain('example_failed');
    expect(wrong.report.suspect).toBeNull();
  });

  test('suspects the suite when only it disagrees', async () => {
    const source = HONEST.replace('return int', "return 1 if text == '7.00' else int");
    const { report } = await world.code(CONTRACT, { ...SUITE, 'price/money.py': source }, locked);
    expect(report).toMatchObject({ verdict: 'FAIL', suspect: 'suite' });
  });

  test('gives the same digest without the cache, and never stores INVALID', async () => {
    const texts = { ...SUITE, 'price/money.py': `${HONEST}# again\n` };
    const first = await world.code(CONTRACT, texts, locked);
    const again = await world.verify({ contract: CONTRACT, texts, kind: 'code', locked, useCache: false });
    expect(again.cacheHit).toBe(false);
    expect(again.report.digest).toBe(first.report.digest);
    const quit = {
      ...SUITE,
      'price/money.py': 'import os\ndef parse_money(text):\n    os._exit(0)\n',
    };
    expect((await world.code(CONTRACT, quit, locked)).report.verdict).toBe('INVALID');
    expect((await world.code(CONTRACT, quit, locked)).cacheHit).toBe(false);
  });

  test('refuses a changed suite, foreign paths, an empty plan and a wall that it does not have', async () => {
    const texts = { ...SUITE, 'price/money.py': HONEST };
    const verdict = async (change: Partial<Parameters<GateWorld['verify']>[0]>) => {
      const { report } = await world.verify({ contract: CONTRACT, texts, kind: 'code', locked, ...change });
      return [report.verdict, report.fault, report.levels[0]?.findings[0]?.code];
    };
    const changed = { ...texts, 'tests/price_money/test_money.py': 'def test_value():\n    pass\n' };
    expect(await verdict({ texts: changed })).toEqual(['INVALID', 'manager', 'suite_changed']);
    expect(await verdict({ changedPaths: ['price/tax.py'] })).toEqual(['FAIL', 'builder', 'write_set']);
    expect(await verdict({ changedPaths: ['price/money/conftest.py'] })).toEqual([
      'FAIL',
      'builder',
      'scaffold_touched',
    ]);
    expect(await verdict({ plan: { ...quickPlan(CONTRACT), steps: [] } })).toEqual([
      'INVALID',
      'manager',
      'plan_empty',
    ]);
    expect(await verdict({ plan: { ...quickPlan(CONTRACT), wall: 'required' } })).toEqual([
      'INVALID',
      'manager',
      'tier_refused',
    ]);
    expect(await verdict({ locked: null })).toEqual(['INVALID', 'manager', 'plan_empty']);
  });

  test('a contract without tests is judged by L0 and its examples', async () => {
    const contract = gateContract({ tests: 'none', examples: CONTRACT.examples });
    const { report } = await world.verify({
      contract,
      texts: { 'price/__init__.py': '', 'price/money.py': HONEST },
      kind: 'examples',
    });
    expect(report).toMatchObject({ verdict: 'PASS', ids: { ran: [] } });
  });

  test('charges nobody when the sandbox cannot be used', async () => {
    const { report } = await world.verify({
      contract: CONTRACT,
      texts: { ...SUITE, 'price/money.py': HONEST },
      kind: 'code',
      locked,
      image: 'no-such:image',
    });
    expect(report).toMatchObject({ verdict: 'INVALID', fault: 'platform' });
  });

  test('throws the reason of an aborted signal', async () => {
    const signal = AbortSignal.abort(new Error('halted'));
    const texts = { ...SUITE, 'price/money.py': `${HONEST}# abort\n` };
    await expect(world.verify({ contract: CONTRACT, texts, kind: 'code', locked, signal })).rejects.toThrow(
      'halted',
    );
  });
});
