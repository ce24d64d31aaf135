/** The object that `contractsRef` names: contracts as written and as resolved, frozen by one seed. */
import { z } from 'zod';
import { Contracts, ResolvedContract } from './contract.ts';

export const StoredBook = z.strictObject({ contracts: Contracts, resolved: z.array(ResolvedContract) });
export type StoredBook = z.infer<typeof StoredBook>;
