/** What rests on time: made again where the machine was busy, never the code's fault then (core/gate/code/starved.ts). */
import { describe, expect, test } from '@jest/globals';
import { lateAgain, stretched, stretchFor } from '../../core/gate/code/starved.ts';
import { DEFAULT_LIMITS, resolvePlan } from '../../core/gate/plan.ts';
import type { SandboxFacts } from '../../core/gate/execution.ts';
import { finding } from '../../core/gate/finding.ts';
import { gateContract } from '../support/gate-contract.ts';
import { complete, failure, testLine } from '../support/gate-runs.ts';

const LATE = failure({ assertion: false, exceptionType: 'A7TestTimeout' });
const late = complete([testLine('test_a', 'failed', { failure: LATE })]);
const red = complete([testLine('test_a', 'failed')]);
/** 0.7 s of work at a load of 25. */
const BUSY: SandboxFacts = {
  outcome: { kind: 'exited', exitCode: 1 },
  cpuMs: 1_500,
  durationMs: 31_000,
  waitedMs: 29_000,
  limitsHit: [],
};

describe('stretchFor()', () => {
  test('gives more time where a limit of time was hit and the room waited for a processor', () => {
    const factor = stretchFor(late, BUSY, DEFAULT_LIMITS) ?? 0;
    expect(factor).toBe(30);
    expect(stretched(DEFAULT_LIMITS, factor)).toMatchObject({
      wallMs: 400_000,
      testTimeoutMs: DEFAULT_LIMITS.testTimeoutMs * 30,
      processesMax: DEFAULT_LIMITS.processesMax,
    });
    const ended = { kind: 'unusable', finding: finding('platform_wall', 'L1', 'x') } as const;
    expect(stretchFor(ended, BUSY, DEFAULT_LIMITS)).not.toBeNull();
  });

  test('gives none for what does not rest on time, nor on a machine that was free, nor to code that had its time', () => {
    expect(stretchFor(red, BUSY, DEFAULT_LIMITS)).toBeNull();
    expect(stretchFor(late, { ...BUSY, waitedMs: 900 }, DEFAULT_LIMITS)).toBeNull();
    expect(stretchFor(late, { ...BUSY, waitedMs: null }, DEFAULT_LIMITS)).toBeNull();
    expect(stretchFor(late, { ...BUSY, cpuMs: 25_000 }, DEFAULT_LIMITS)).toBeNull();
  });

  test('is late again: the machine’s fault, unless the room had the limit for itself', () => {
    const { testTimeoutMs, wallMs } = DEFAULT_LIMITS;
    expect(lateAgain(late, BUSY, DEFAULT_LIMITS)).toMatchObject({
      finding: { code: 'platform_wall', limit: { name: 'test time', value: testTimeoutMs, used: 1_500 } },
    });
    const busy = { ...BUSY, cpuMs: testTimeoutMs };
    expect(lateAgain(late, busy, DEFAULT_LIMITS)).toBe(late);
    const asleep = { ...BUSY, durationMs: 60_000, waitedMs: 30_000 };
    expect(lateAgain(late, asleep, DEFAULT_LIMITS)).toBe(late);
    const lost = { kind: 'unusable', finding: finding('platform_wall', 'L1', 'x') } as const;
    expect(lateAgain(lost, { ...BUSY, cpuMs: wallMs }, DEFAULT_LIMITS)).toMatchObject({
      finding: { code: 'wall_limit', limit: { name: 'wall', value: wallMs } },
    });
  });
});

describe('resolvePlan()', () => {
  test('takes limits from the contract, up to named maxima', () => {
    const environment = { variables: {}, test_timeout_ms: 90_000, max_processes: 256, memory_mb: 1024 };
    const step = resolvePlan(gateContract({ environment })).steps.find((each) => each.kind === 'suite');
    expect(step).toMatchObject({
      limits: {
        testTimeoutMs: 90_000,
        wallMs: 180_000,
        processesMax: 256,
        memoryBytes: 1024 * 1024 * 1024,
      },
    });
  });
});
