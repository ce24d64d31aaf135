/** The object that `contractsRef` names: contracts as written and as resolved, frozen by one seed. */
import { z } from 'zod';
import { Contracts, ResolvedContract } from './contract.ts';
import { LayerLock } from './layer.ts';

export const StoredBook = z.strictObject({
  contracts: Contracts,
  resolved: z.array(ResolvedContract),
  /** What their packages were resolved into; null or absent: none are required. */
  layer: LayerLock.nullable().default(null),
});
export type StoredBook = z.infer<typeof StoredBook>;
