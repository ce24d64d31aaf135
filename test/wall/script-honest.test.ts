/** Honest JavaScript and TypeScript suites of many shapes: the same verdict in both tiers, and how many of them cross (gate.md parts 10 and 11). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GateReport } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { runSuite, type SuiteRun } from '../runner/run-runner.ts';
import { scriptCases, scriptChoice, treeOf } from './script-world.ts';
import { lockOfFiles } from './wall-world.ts';

const CASES = scriptCases();
const CROSSING = CASES.filter((each) => !each.name.startsWith('in-process'));
const [FIRST] = CROSSING.filter((each) => each.codePath.endsWith('.ts'));

let world: GateWorld;
let inside: SuiteRun;
let report: GateReport;
let logs: string;

beforeAll(async () => {
  world = await openGateWorld();
  const files = treeOf(CROSSING);
  const testFiles = CROSSING.map((each) => each.suitePath);
  inside = await runSuite(files, { program: 'node', testFiles });
  const contract = FIRST!.contract;
  const locked = lockOfFiles(
    Object.fromEntries(CROSSING.map((each) => [each.suitePath, each.suite])),
    inside.tests.map((line) => line.id),
    'glass_wall',
  );
  const dependencies = CROSSING.map((each) => each.contract).filter((other) => other.id !== contract.id);
  const plan = quickPlan(contract, { wallMs: 150_000 });
  const outcome = await world.verify({ contract, texts: files, kind: 'code', locked, plan, dependencies });
  report = outcome.report;
  logs = outcome.artifacts.map((item) => new TextDecoder().decode(item.bytes)).join('\n');
}, 200_000);
afterAll(async () => {
  await world.close();
});

describe('verifySnapshot() of JavaScript behind the glass wall', () => {
  test('there are at least twenty-five honest suites', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(25);
  });

  test.each(CROSSING.map((each) => [each.name, each] as const))(
    'passes honest code as one process does: %s',
    (_name, each) => {
      expect(scriptChoice(each.contract, each.suite)).toEqual({ tier: 'glass_wall', reasons: [] });
      const own = inside.tests.filter((line) => line.id.file === each.suitePath);
      expect(own.map((line) => [line.id.name, line.outcome])).toEqual(
        own.map((line) => [line.id.name, 'passed']),
      );
      expect(own.length).toBeGreaterThan(0);
      const walled = report.tests.filter((result) => result.id.file === each.suitePath);
      expect(walled.map(({ id, outcome, failure }) => [id.name, outcome, failure])).toEqual(
        own.map((line) => [line.id.name, 'passed', null]),
      );
    },
  );

  test('gives PASS for all of them in one room', () => {
    const findings = report.levels.flatMap((level) => level.findings);
    expect({ verdict: report.verdict, tier: report.tier, findings, logs }).toEqual({
      verdict: 'PASS',
      tier: 'glass_wall',
      findings,
      logs,
    });
  });

  test('at least nine of ten suites cross, and the others say why not', () => {
    const choices = CASES.map((each) => scriptChoice(each.contract, each.suite));
    expect(
      choices.filter((choice) => choice.tier === 'glass_wall').length / CASES.length,
    ).toBeGreaterThanOrEqual(0.9);
    for (const choice of choices) expect(choice.reasons.length > 0).toBe(choice.tier === 'in_process');
  });
});
