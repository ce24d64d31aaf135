/** Contracts as a person would write them: the last seed as YAML. */
import { stringify } from 'yaml';
import type { Contracts } from '../../schemas/contract.ts';

/** A document that reads as the same contracts. */
export function contractsText(contracts: Contracts): string {
  return stringify(contracts, { lineWidth: 110 });
}
