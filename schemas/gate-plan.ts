/**
 * The gate plan: one internal form for everything that judges (design part 8). A resolved plan is data, stored with the
 * run, hashed into the report key, and outside every agent's write set (G5).
 */
import { z } from 'zod';
import { Language } from './ids.ts';
import { RunDimension } from './run-dimension.ts';

/** L0 contract checks, L1 test commands, L2 black-box fixtures, L3 clean-room sanity. */
export const GateLevel = z.enum(['L0', 'L1', 'L2', 'L3']);
export type GateLevel = z.infer<typeof GateLevel>;

/** Limits of one sandboxed command. They hold together; hitting one is named in the report (G9). */
export const GateLimits = z.strictObject({
  wallMs: z.int().positive().max(3_600_000),
  /** Deadline of a single test inside the runner. */
  testTimeoutMs: z.int().positive().max(3_600_000),
  memoryBytes: z.int().positive(),
  diskBytes: z.int().positive(),
  filesMax: z.int().positive(),
  processesMax: z.int().positive(),
  outputBytes: z.int().positive(),
  /** The runner's report file, larger is refused. */
  reportBytes: z.int().positive(),
  cpus: z.number().positive().max(64),
});
export type GateLimits = z.infer<typeof GateLimits>;

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
]);
export type PlanStep = z.infer<typeof PlanStep>;

/** Where a part of the plan came from. */
export const PlanSource = z.strictObject({
  kind: z.enum(['profile', 'workflow', 'language_default', 'contract']),
  detail: z.string(),
});
export type PlanSource = z.infer<typeof PlanSource>;

/** The least isolation that a plan accepts: what the sandbox proved at start must be as strong. */
export const IsolationDemand = z.enum(['partial', 'hardened']);
export type IsolationDemand = z.infer<typeof IsolationDemand>;

export const GatePlan = z.strictObject({
  version: z.literal(1),
  language: Language,
  sources: z.array(PlanSource),
  environment: PlanEnvironment,
  /** `required` refuses the in-process tier (gate.md part 11). */
  wall: z.enum(['default', 'required', 'in_process']),
  /** Absent: any level that was proven. */
  isolation: IsolationDemand.optional(),
  steps: z.array(PlanStep),
});
export type GatePlan = z.infer<typeof GatePlan>;
