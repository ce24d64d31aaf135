/** Files of an order that later steps read again: what a step stored is parsed like everything that lay on a disk. */
import { z } from 'zod';
import { GatePlan } from './gate-plan.ts';
import { RepositoryReport } from './repository-report.ts';

/** `plan.json`: the frozen plan. */
export const FrozenPlan = z.strictObject({
  plan: GatePlan,
  leaveOut: z.array(z.string()),
  planFrom: z.string(),
});
export type FrozenPlan = z.infer<typeof FrozenPlan>;

/** Tests that one command of a plan ran. */
const RanTests = z.strictObject({
  step: z.string(),
  names: z.array(z.string()).nullable(),
  red: z.array(z.string()).optional(),
  count: z.int().min(0),
  /** Absent in what older versions stored. */
  passed: z.int().min(0).optional(),
});

/** `base-report.json`: what the base itself came to. */
export const BaseReport = z.strictObject({ report: RepositoryReport, ran: z.array(RanTests) });
export type BaseReport = z.infer<typeof BaseReport>;
