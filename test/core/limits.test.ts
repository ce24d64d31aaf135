/** Limits of a contract (gate.md part 12). */
import { describe, expect, test } from '@jest/globals';
import { resolvePlan } from '../../core/gate/plan.ts';
import { gateContract } from '../support/gate-contract.ts';

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
