/** Resolved contracts for tests of the gate. */
import { ContractNode, type ResolvedContract } from '../../schemas/contract.ts';

/** A Python node `price.money` with one function, one raise and one guarantee, changed by `change`. */
export function gateContract(change: Partial<ResolvedContract> = {}): ResolvedContract {
  const node = ContractNode.parse({
    id: 'price.money',
    stage: 'core',
    description: "parse_money(text) -> int: '12.30' to whole cents",
    interface: {
      exports: ['def parse_money(text: str) -> int: ...'],
      raises: ['ValueError'],
      guarantees: ['Exactly two decimals, else ValueError'],
    },
  });
  return {
    ...node,
    language: 'python',
    mode: 'A',
    files: ['price/money.py', 'price/money/**'],
    tests: ['tests/price_money/**'],
    contentFile: 'price/money.py',
    importLine: 'from price.money import parse_money',
    ...change,
  };
}
