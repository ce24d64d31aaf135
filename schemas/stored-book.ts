/** The object that `contractsRef` names: contracts as written and as resolved, frozen by one seed. */
import { z } from 'zod';
import { Contracts, ResolvedContract } from './contract.ts';
import { GatePlan } from './gate-plan.ts';
import { LayerLock } from './layer.ts';
import { withPresentNames } from './older-names.ts';

/** The project's own gate plan, as its `verify.yaml` resolved at seed. */
export const ProjectPlan = z.strictObject({
  /** Path that it was read from. */
  file: z.string().min(1),
  plan: GatePlan,
  /** Globs of paths that are not judged. */
  leaveOut: z.array(z.string()),
});
export type ProjectPlan = z.infer<typeof ProjectPlan>;

/** The contracts as written: their nodes may have names of before. */
const StoredContracts = z.preprocess((value) => {
  const nodes: unknown = (value as { readonly nodes?: unknown } | null)?.nodes;
  return Array.isArray(nodes) ? { ...(value as object), nodes: nodes.map(withPresentNames) } : value;
}, Contracts);

export const StoredBook = z.strictObject({
  contracts: StoredContracts,
  resolved: z.array(z.preprocess(withPresentNames, ResolvedContract)),
  /** What their packages were resolved into; null or absent: none are required. */
  layer: LayerLock.nullable().default(null),
  /** Null or absent: the project has no `verify.yaml`. */
  plan: ProjectPlan.nullable().default(null),
});
export type StoredBook = z.infer<typeof StoredBook>;
