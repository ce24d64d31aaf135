/** A failed assertion of the suite that the code catches: it fails its test, unless the contract is about assertions. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mayKeepAssertions } from '../../core/gate/code/wall.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { judged, lockOf, runInside, thingContract } from './wall-world.ts';

const CODE = [
  'def outcome(test):',
  '    try: test()',
  '    except AssertionError as error: return f"failed: {error.args[0]}"',
  '    return "passed"',
  '',
].join('\n');
const SUITE = [
  'from shop.thing import outcome',
  'def test_failed():',
  '    def wrong(): raise AssertionError("no")',
  '    assert outcome(wrong).startswith("failed: ")',
  'def test_passed(): assert outcome(lambda: None) == "passed"',
  '',
].join('\n');
const declared = { exports: ['def outcome(test: Callable[[], None]) -> str: ...'] };
const SILENT = thingContract(declared);
const SPEAKING = thingContract({
  ...declared,
  guarantees: ['A test that raises AssertionError has failed.'],
});

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

test('mayKeepAssertions() reads what the contract says', () => {
  expect(mayKeepAssertions(SILENT)).toBe(false);
  expect(mayKeepAssertions(SPEAKING)).toBe(true);
  expect(mayKeepAssertions(thingContract({ ...declared, raises: ['AssertionError'] }))).toBe(true);
  expect(mayKeepAssertions(thingContract({ ...declared, guarantees: ['It is assertive.'] }))).toBe(false);
});

test('code may keep a failed assertion where its contract speaks of them, and nowhere else', async () => {
  const { ids } = await runInside({ code: CODE, suite: SUITE });
  const locked = lockOf(SUITE, ids, 'glass_wall');
  const verdictOf = async (contract: typeof SILENT): Promise<string> =>
    (await judged(world, contract, { code: CODE, suite: SUITE }, locked)).report.verdict;
  expect(await verdictOf(SPEAKING)).toBe('PASS');
  expect(await verdictOf(SILENT)).toBe('FAIL');
});
