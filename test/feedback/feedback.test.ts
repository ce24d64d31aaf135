/**
 * Wrong builders repaired from the fields of the feedback alone (gate.md part 6). By default a few of them; with
 * A7_TEST_FEEDBACK=all the whole corpus on suites that passed their own gate, with a table (`npm run feedback`).
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import {
  ATTEMPTS_MAX,
  quickLock,
  repair,
  textsOf,
  wrongBuilders,
  type Repair,
  type WrongBuilder,
} from './corpus.ts';

const isWhole = process.env['A7_TEST_FEEDBACK'] === 'all';
const TIMEOUT_MS = isWhole ? 500_000 : 120_000;
/** One of each kind of evidence: an argument, an exception at a line, a missing name, a result. */
const FEW = ['inclusive-bound', 'js-null', 'missing-export', 'white-space', 'zero-slice'];

const all = wrongBuilders();
const chosen = isWhole ? all : all.filter((each) => FEW.includes(each.name));

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

describe('the corpus of wrong builders', () => {
  test('has at least twenty of two languages, each with a repair among other patches, and each patch fits', () => {
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(new Set(all.map((each) => each.contract.language))).toEqual(new Set(['python', 'javascript']));
    for (const { name, code, patches } of all) {
      expect([name, patches.length >= 3]).toEqual([name, true]);
      for (const patch of patches)
        expect([name, patch.name, code.includes(patch.from)]).toEqual([name, patch.name, true]);
    }
  });

  test('tells a repairer nothing of the suite but what its code was called with', async () => {
    const each = all.find((one) => one.name === 'zero-slice');
    if (each === undefined) throw new Error('The corpus lacks "zero-slice"');
    const locked = await quickLock(world, each, 'glass_wall');
    const { report } = await world.code(
      each.contract,
      textsOf(each, each.code),
      locked,
      quickPlan(each.contract),
    );
    expect(builderText(builderFeedback(report, each.contract, locked))).toBe(
      [
        'Verdict: FAIL.',
        '- last gives a wrong value [G1: The last n items; all if there are fewer]; seen: last([1, 2], 0) returns [1, 2]',
        'Change your own files so that each point above is met, then submit again.',
      ].join('\n'),
    );
  });
});

describe('the repair loop', () => {
  test(
    'repairs from the fields alone, and counterexamples never make it worse',
    async () => {
      const rows: Row[] = [];
      const unusable: string[] = [];
      for (const each of chosen) {
        try {
          rows.push(await measured(each));
        } catch (error) {
          unusable.push(`${each.name}: ${String(error).slice(0, 600)}`);
        }
      }
      expect(unusable).toEqual([]);
      const share = (tells: keyof Pick<Row, 'told' | 'untold'>): number =>
        rows.filter((row) => row[tells].passedAt !== null).length / rows.length;
      if (isWhole) report(rows, share('told'), share('untold'));
      expect(rows.filter((row) => row.untold.passedAt !== null).length).toBeGreaterThan(0);
      expect(share('told')).toBeGreaterThanOrEqual(share('untold'));
      expect(share('told')).toBeGreaterThanOrEqual(0.8);
    },
    TIMEOUT_MS,
  );
});

interface Row {
  readonly each: WrongBuilder;
  readonly tier: string;
  readonly told: Repair;
  readonly untold: Repair;
}

async function measured(each: WrongBuilder): Promise<Row> {
  const locked = isWhole
    ? await fullLock(each)
    : await quickLock(world, each, each.contract.language === 'python' ? 'glass_wall' : 'in_process');
  const told = await repair(world, each, locked, true);
  const untold = await repair(world, each, locked, false);
  return { each, tier: locked.wall?.tier ?? 'in_process', told, untold };
}

/** Behind the wall where contract and suite allow it. */
async function fullLock(each: WrongBuilder): Promise<LockedSuite> {
  const texts = textsOf(each, '');
  const { report } = await world.suite({ ...each.contract, wall: 'required' }, texts, each.covers);
  const wall = report.verdict === 'PASS' ? 'required' : 'default';
  return world.lock({ ...each.contract, wall }, texts, each.covers);
}

function report(rows: readonly Row[], told: number, untold: number): void {
  const shown = ({ passedAt, patches }: Repair): string =>
    `${passedAt === null ? 'not' : `at ${passedAt}`} (${patches.join(', ')})`;
  const lines = rows.map(({ each, tier, told: with_, untold: without }) =>
    [each.name.padEnd(20), tier.padEnd(11), `with: ${shown(with_)}`, `without: ${shown(without)}`].join('  '),
  );
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const walled = rows.filter((row) => row.tier === 'glass_wall');
  const passed = (tells: 'told' | 'untold'): number =>
    walled.filter((row) => row[tells].passedAt !== null).length;
  const first = (tells: 'told' | 'untold'): number => rows.filter((row) => row[tells].passedAt === 2).length;
  const text = [
    ...lines,
    `${rows.length} wrong builders, ${ATTEMPTS_MAX} attempts: ${percent(told)} repaired with counterexamples, ${percent(untold)} without`,
    `behind the wall: ${passed('told')} with, ${passed('untold')} without, of ${walled.length}`,
    `repaired by the first patch: ${first('told')} with, ${first('untold')} without, of ${rows.length}`,
  ].join('\n');
  const path = process.env['A7_TEST_FEEDBACK_TABLE'];
  if (path !== undefined) writeFileSync(path, `${text}\n`);
}
