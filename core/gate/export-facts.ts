/** What a contract's declarations ask of a suite: which exports can be called and which are their own stub (gate.md part 3). */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { SourceSymbol } from '../ports/symbols.ts';
import type { Clause } from './clauses.ts';
import { declaredExceptions } from './known-types.ts';

export interface ExportFact {
  readonly name: string;
  /** Must have a test that is red on `raise` and one that is red on `none`. */
  readonly callable: boolean;
  /** Must have a test that is red on `wrong`. */
  readonly declaration: boolean;
  /** Clauses that speak of it. */
  readonly clauseIds: readonly string[];
}

/** Bases of a class whose values are data: such a class is its own stub. */
const DATA_BASES =
  /\b(Exception|BaseException|Error|Warning|\w*Error|Enum|IntEnum|StrEnum|Flag|IntFlag|NamedTuple|TypedDict)\b/u;
const LIFECYCLE = new Set(['__init__', '__post_init__', 'constructor']);

/** One fact for each export that runs: types alone have nothing to be red about. */
export function exportFacts(
  contract: ResolvedContract,
  declared: readonly SourceSymbol[],
  clauses: readonly Clause[],
): ExportFact[] {
  const facts = new Map<string, ExportFact>();
  for (const symbol of declared) {
    if (symbol.kind !== 'type') facts.set(symbol.name, factOf(symbol, contract, clauses));
  }
  for (const name of declaredExceptions(contract)) {
    if (!facts.has(name)) {
      facts.set(name, {
        name,
        callable: false,
        declaration: true,
        clauseIds: clausesFor(name, clauses),
      });
    }
  }
  return [...facts.values()];
}

function factOf(symbol: SourceSymbol, contract: ResolvedContract, clauses: readonly Clause[]): ExportFact {
  const inert = contract.interface.inert.includes(symbol.name);
  const clauseIds = clausesFor(symbol.name, clauses);
  if (symbol.kind !== 'class') {
    return {
      name: symbol.name,
      callable: symbol.kind === 'function' && !inert,
      declaration: symbol.kind !== 'function' && !inert,
      clauseIds,
    };
  }
  const behaves = symbol.members.some((member) => member.kind === 'function' && !LIFECYCLE.has(member.name));
  const isData =
    symbol.decorators.some((text) => text.includes('dataclass')) ||
    symbol.bases.some((base) => DATA_BASES.test(base));
  return {
    name: symbol.name,
    callable: behaves && !inert,
    declaration: (isData || !behaves) && !inert,
    clauseIds,
  };
}

function clausesFor(name: string, clauses: readonly Clause[]): string[] {
  return clauses.filter((clause) => clause.exportName === name).map((clause) => clause.id);
}
