/** The plan that judges a node (design part 8): the default of its language, and what its contract adds. */
import { fixtureSteps } from './code/fixtures.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateLimits, GatePlan, PlanStep, SuiteRunner } from '../../schemas/gate-plan.ts';
import { freeDimensions } from './code/two-runs.ts';

const MIB = 1024 * 1024;

/** Limits of one command unless the contract's `environment` says otherwise. */
export const DEFAULT_LIMITS: GateLimits = {
  wallMs: 60_000,
  testTimeoutMs: 10_000,
  memoryBytes: 512 * MIB,
  diskBytes: 256 * MIB,
  filesMax: 20_000,
  processesMax: 64,
  outputBytes: 4 * MIB,
  reportBytes: 8 * MIB,
  cpus: 1,
};

/** The plan of a node. A contract without tests is judged at L0 and by its examples only. */
export function resolvePlan(contract: ResolvedContract): GatePlan {
  const limits = limitsOf(contract);
  const runner = suiteRunnerOf(contract);
  const steps: PlanStep[] = [
    { kind: 'write_set', level: 'L0' },
    { kind: 'exports', level: 'L0' },
  ];
  if (contract.pure === true) steps.push({ kind: 'pure', level: 'L0' });
  if (contract.tests !== 'none' && runner !== null) {
    steps.push(
      { kind: 'suite_lock', level: 'L0' },
      { kind: 'suite', level: 'L1', runner, limits, repeats: 2 },
    );
  }
  if (contract.examples.length > 0 && runner !== null) {
    steps.push({ kind: 'examples', level: 'L1', runner, limits });
  }
  steps.push(...fixtureSteps(contract, limits));
  return {
    version: 1,
    language: contract.language,
    sources: [
      { kind: 'language_default', detail: contract.language },
      { kind: 'contract', detail: contract.id },
    ],
    environment: {
      timeZone: contract.environment.time_zone ?? 'UTC',
      locale: 'C.UTF-8',
      hashSeeds: ['0', '1729'],
      variables: contract.environment.variables,
      free: freeDimensions(contract.language, contract.environment),
    },
    wall: contract.wall,
    ...(contract.isolation === undefined ? {} : { isolation: contract.isolation }),
    steps,
  };
}

/** Our runner for a language; null where there is none yet. */
export function suiteRunnerOf(contract: ResolvedContract): SuiteRunner | null {
  switch (contract.language) {
    case 'python':
      return 'pytest';
    case 'javascript':
    case 'typescript':
      return 'node_test';
    case 'go':
    case 'rust':
      return null;
  }
}

/** The first step of a kind, or null. */
export function stepOf<K extends PlanStep['kind']>(
  plan: GatePlan,
  kind: K,
): Extract<PlanStep, { kind: K }> | null {
  const found = plan.steps.find((step): step is Extract<PlanStep, { kind: K }> => step.kind === kind);
  return found ?? null;
}

/** The limits that the report states: those of the first sandboxed step. */
export function planLimits(plan: GatePlan): GateLimits {
  return stepOf(plan, 'suite')?.limits ?? stepOf(plan, 'examples')?.limits ?? DEFAULT_LIMITS;
}

function limitsOf({ environment }: ResolvedContract): GateLimits {
  const { memory_mb, max_processes, test_timeout_ms } = environment;
  const testTimeoutMs = test_timeout_ms ?? DEFAULT_LIMITS.testTimeoutMs;
  // A test that may take longer than a whole suite does needs a longer suite.
  const wallMs = environment.wall_ms ?? Math.max(DEFAULT_LIMITS.wallMs, (test_timeout_ms ?? 0) * 2);
  return {
    ...DEFAULT_LIMITS,
    wallMs,
    testTimeoutMs: Math.min(testTimeoutMs, wallMs),
    memoryBytes: memory_mb === undefined ? DEFAULT_LIMITS.memoryBytes : memory_mb * MIB,
    processesMax: max_processes ?? DEFAULT_LIMITS.processesMax,
  };
}
