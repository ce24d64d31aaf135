/** What every part of a board is drawn from. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { SessionDoc } from '../ledger/session-doc.ts';

export interface BoardShared {
  readonly doc: SessionDoc;
  readonly contracts: ReadonlyMap<string, ResolvedContract>;
}

/** Contracts by their ids. */
export function sharedOf(doc: SessionDoc, contracts: readonly ResolvedContract[]): BoardShared {
  return { doc, contracts: new Map(contracts.map((contract) => [contract.id, contract])) };
}
