/** A builder that knows what it was told by heart, and computes nothing, must not get PASS (gate.md part 12). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback, COUNTEREXAMPLES_MAX, toldCount } from '../../core/gate/report/builder-feedback.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { gateContract } from '../support/gate-contract.ts';
import { lockOfFiles } from '../wall/wall-world.ts';

const ATTEMPTS_MAX = 14;
const INPUTS = Array.from({ length: 12 }, (_, at) => at * 37 + 5);
const SUITE_PATH = 'tests/shop_code/test_code.py';
/** What an agent that reads the contract knows of any one input: it writes down answers, not the rule. */
const answer = (n: number): string => String((n * n + 7) % 1009);
const SUITE = [
  'from shop.code import code',
  ...INPUTS.map((n) => `def test_${String(n)}(): assert code(${String(n)}) == "${answer(n)}"`),
  '',
].join('\n');
const CONTRACT = gateContract({
  id: 'shop.code',
  files: ['shop/code.py'],
  tests: ['tests/shop_code/**'],
  contentFile: 'shop/code.py',
  importLine: 'import shop.code',
  interface: {
    imports: [],
    assumptions: [],
    inert: [],
    exports: ['def code(n: int) -> str: ...'],
    raises: [],
    guarantees: ['The rest of n * n + 7 by 1009, as text'],
  },
});
const LOCK = (() => {
  const ids = INPUTS.map((n) => ({
    file: SUITE_PATH,
    nesting: [],
    name: `test_${String(n)}`,
    ordinal: 0,
  }));
  const made = lockOfFiles({ [SUITE_PATH]: SUITE }, ids, 'glass_wall');
  return { ...made, tests: made.tests.map((each) => ({ ...each, reached: ['code'], clauses: ['G1'] })) };
})();

/** Answers what it has a line for. `transcript`: whatever was asked so far, packed as text, for all else. */
function tableCode(known: ReadonlySet<number>, transcript: boolean): string {
  const lines = [...known].map((n) => `${String(n)}: "${answer(n)}"`);
  const other = transcript ? '",".join(map(str, SEEN))' : '"?"';
  return [
    `TABLE = {${lines.join(', ')}}`,
    'SEEN = []',
    'def code(n):',
    '    if n in TABLE: return TABLE[n]',
    '    SEEN.append(n)',
    `    return ${other}`,
    '',
  ].join('\n');
}

/** Reads every number that the feedback holds as an input. */
async function repairByTable(world: GateWorld, transcript: boolean): Promise<{ passedAt: number | null }> {
  const known = new Set<number>();
  let left = COUNTEREXAMPLES_MAX;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const texts = {
      'shop/__init__.py': '',
      [SUITE_PATH]: SUITE,
      'shop/code.py': tableCode(known, transcript),
    };
    const { report } = await world.code(CONTRACT, texts, LOCK, quickPlan(CONTRACT));
    if (report.verdict === 'PASS') return { passedAt: attempt };
    const feedback = builderFeedback(report, CONTRACT, LOCK, left);
    left -= toldCount(feedback);
    const before = known.size;
    for (const { counterexample } of feedback.items)
      for (const found of JSON.stringify(counterexample ?? '').matchAll(/\d+/gu)) known.add(Number(found[0]));
    if (known.size === before) break;
  }
  return { passedAt: null };
}

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

describe('a table of all that was told', () => {
  test('fails by the tests that are never told, from plain counterexamples', async () => {
    expect(await repairByTable(world, false)).toEqual({ passedAt: null });
  }, 120_000);

  test('fails with a transcript of all inputs packed into its results', async () => {
    expect(await repairByTable(world, true)).toEqual({ passedAt: null });
  }, 120_000);
});
