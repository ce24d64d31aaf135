/**
 * The gate plan: one internal form for everything that judges (design part 8). A resolved plan is data, stored with the
 * run, hashed into the report key, and outside every agent's write set (G5).
 */
import { z } from 'zod';
import { GateLimits, PlanSource } from './gate-limits.ts';
import { Language } from './ids.ts';
import { RunDimension } from './run-dimension.ts';
import { RepositoryStep } from './repository-steps.ts';

export { GateLevel, GateLimits } from './gate-limits.ts';

/** What a judged process finds in its environment; nothing of the host gets in. */
export const PlanEnvironment = z.strictObject({
  timeZone: z.string().min(1),
  locale: z.string().min(1),
  /** The second run's seed is the other one (gate.md part 4). */
  hashSeeds: z.tuple([z.string(), z.string()]),
  variables: z.record(z.string(), z.string()),
  /** What the second run varies; absent in plans older than it: the hash seed. */
  free: z.array(RunDimension).optional(),
});
export type PlanEnvironment = z.infer<typeof PlanEnvironment>;

export const SuiteRunner = z.enum(['pytest', 'node_test']);
export type SuiteRunner = z.infer<typeof SuiteRunner>;

/** One thing that judges. Each kind names the level that it belongs to. */
export const PlanStep = z.discriminatedUnion('kind', [
  /** Only the node's own files differ from the base; no scaffold, conftest or plugin among them. */
  z.strictObject({ kind: z.literal('write_set'), level: z.literal('L0') }),
  /** The suite in the tree is the locked one, byte for byte. */
  z.strictObject({ kind: z.literal('suite_lock'), level: z.literal('L0') }),
  /** The sources define what the contract declares. */
  z.strictObject({ kind: z.literal('exports'), level: z.literal('L0') }),
  /** Of a pure stage: neither the sources nor what runs in plain ask for files, network, processes, clock, chance or output (design part 8). */
  z.strictObject({ kind: z.literal('pure'), level: z.literal('L0') }),
  /** The locked suite in our own runner. `repeats` 2 compares two runs, the second under other conditions. */
  z.strictObject({
    kind: z.literal('suite'),
    level: z.literal('L1'),
    runner: SuiteRunner,
    limits: GateLimits,
    repeats: z.union([z.literal(1), z.literal(2)]),
  }),
  /** The contract's examples, a person's. */
  z.strictObject({
    kind: z.literal('examples'),
    level: z.literal('L1'),
    runner: SuiteRunner,
    limits: GateLimits,
  }),
  ...RepositoryStep.options,
]);
export type PlanStep = z.infer<typeof PlanStep>;

/** The least isolation that a plan accepts: what the sandbox proved at start must be as strong. */
export const IsolationDemand = z.enum(['partial', 'hardened']);
export type IsolationDemand = z.infer<typeof IsolationDemand>;

export const GatePlan = z.strictObject({
  version: z.literal(1),
  /** Null for a repository: its profile may hold several. */
  language: Language.nullable(),
  sources: z.array(PlanSource),
  environment: PlanEnvironment,
  /** `required` refuses the in-process tier (gate.md part 11). */
  wall: z.enum(['default', 'required', 'in_process']),
  /** Absent: any level that was proven. */
  isolation: IsolationDemand.optional(),
  steps: z.array(PlanStep),
});
export type GatePlan = z.infer<typeof GatePlan>;
