/** Words that every part of a gate plan shares: levels, limits, where a part came from. */
import { z } from 'zod';

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

/** Where a part of the plan came from. */
export const PlanSource = z.strictObject({
  kind: z.enum(['profile', 'workflow', 'language_default', 'contract']),
  detail: z.string(),
});
export type PlanSource = z.infer<typeof PlanSource>;
