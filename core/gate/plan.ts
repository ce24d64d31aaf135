/** Which plan judges a node (design part 8). First form: the language default; profiles and CI ingestion resolve to the same form. */
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

function limitsOf(contract: ResolvedContract): GateLimits {
  const wallMs = contract.environment.wall_ms ?? DEFAULT_LIMITS.wallMs;
  const memoryMb = contract.environment.memory_mb;
  return {
    ...DEFAULT_LIMITS,
    wallMs,
    testTimeoutMs: Math.min(DEFAULT_LIMITS.testTimeoutMs, wallMs),
    memoryBytes: memoryMb === undefined ? DEFAULT_LIMITS.memoryBytes : memoryMb * MIB,
  };
}
