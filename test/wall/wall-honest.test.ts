/** Honest suites of many shapes: the same verdict in both tiers, and how many of them cross (gate.md parts 10 and 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WallChoice } from '../../schemas/gate-wall.ts';
import type { GateReport } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { runSuite, type SuiteRun } from '../runner/run-runner.ts';
import { type WallCase, choicesOf, honestCases, lockOfFiles } from './wall-world.ts';

const CASES = honestCases();
const CROSSING = CASES.filter((each) => !each.name.startsWith('in-process'));
/** Cases in one room, one after the other: the wall keeps an eye on some live objects, not on those of all suites together. */
const TOGETHER = 3;

let world: GateWorld;
let choices: ReadonlyMap<string, WallChoice>;
let inside: SuiteRun;
/** By case. */
const reports = new Map<string, GateReport>();

beforeAll(async () => {
  world = await openGateWorld();
  const scans = await choicesOf(CASES.map(({ contract, suite, suitePath }) => [contract, suite, suitePath]));
  choices = new Map(CASES.map(({ name }, at) => [name, scans[at]!]));
  inside = await runSuite(treeOf(CROSSING), { testFiles: CROSSING.map((each) => each.suitePath) });
  for (let at = 0; at < CROSSING.length; at += TOGETHER) {
    const cases = CROSSING.slice(at, at + TOGETHER);
    const report = await behindWall(cases);
    for (const { name } of cases) reports.set(name, report);
  }
}, 300_000);
afterAll(async () => {
  await world.close();
});

/** The files of cases, for one tree. */
function treeOf(cases: readonly WallCase[]): Record<string, string> {
  const files = cases.flatMap((each): [string, string][] => [
    [each.codePath, each.code],
    [each.suitePath, each.suite],
  ]);
  return { 'shop/__init__.py': '', ...Object.fromEntries(files) };
}

async function behindWall(cases: readonly WallCase[]): Promise<GateReport> {
  const suites = Object.fromEntries(cases.map((each) => [each.suitePath, each.suite]));
  const ids = inside.tests.map((line) => line.id).filter((id) => id.file in suites);
  const [contract, ...dependencies] = cases.map((each) => each.contract);
  const { report } = await world.verify({
    contract: contract!,
    texts: treeOf(cases),
    kind: 'code',
    locked: lockOfFiles(suites, ids, 'glass_wall'),
    plan: quickPlan(contract!, { wallMs: 60_000 }),
    dependencies,
  });
  return report;
}

describe('verifySnapshot() behind the glass wall', () => {
  test('there are at least fifty honest suites', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(50);
  });

  test.each(CROSSING.map((each) => [each.name, each] as const))(
    'passes honest code as one process does: %s',
    (name, { suitePath }) => {
      expect(choices.get(name)).toEqual({ tier: 'glass_wall', reasons: [] });
      const own = inside.tests.filter((line) => line.id.file === suitePath);
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((line) => line.outcome !== 'passed')).toEqual([]);
      const { verdict, tier, levels, tests } = reports.get(name)!;
      const walled = tests.filter((result) => result.id.file === suitePath);
      // What a builder is never told of runs last there.
      expect(walled.map(({ id, outcome, failure }) => [id.name, outcome, failure]).sort()).toEqual(
        own.map((line) => [line.id.name, 'passed', null]).sort(),
      );
      expect({ verdict, tier, levels }).toEqual({ verdict: 'PASS', tier: 'glass_wall', levels });
    },
  );

  test('at least nine of ten suites cross, and the others say why not', () => {
    const all = [...choices.values()];
    const crossing = all.filter((choice) => choice.tier === 'glass_wall').length;
    expect(crossing / CASES.length).toBeGreaterThanOrEqual(0.9);
    for (const choice of all) expect(choice.reasons.length > 0).toBe(choice.tier === 'in_process');
  });
});
