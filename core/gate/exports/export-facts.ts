/** What a contract's declarations ask of a suite: which exports can be called and which are their own stub (gate.md part 3). */
import type { StubExport } from '../../ports/gate.ts';

export interface ExportFact {
  readonly name: string;
  /** Must have a test that is red on `raise` and one that is red on `none`. */
  readonly callable: boolean;
  /** Must have a test that is red on `wrong`: reached, or covered as the author says. */
  readonly declaration: boolean;
  /** What a call gives back can be wrong: must have a test that is red on `wrong`. */
  readonly answers: boolean;
  /** Does nothing observable, as the contract says. */
  readonly inert?: boolean;
  /** Clauses that speak of it. */
  readonly clauseIds: readonly string[];
}

/** Facts of every export that runs: an alias has nothing to be red about. */
export function exportFacts(exports: readonly StubExport[]): ExportFact[] {
  return exports.filter((entry) => entry.kind !== 'alias').map(factOf);
}

function factOf(entry: StubExport): ExportFact {
  return {
    name: entry.name,
    callable: entry.callable && !entry.inert,
    declaration: isData(entry) && !entry.inert,
    answers: entry.callable && !entry.inert && !entry.fixed,
    inert: entry.inert,
    clauseIds: [entry.clauseId],
  };
}

/** A data class, exception or constant is its own stub: only `wrong` can turn a test of it red. */
function isData(entry: StubExport): boolean {
  switch (entry.kind) {
    case 'dataclass':
    case 'enum':
    case 'exception':
    case 'constant':
      return true;
    case 'function':
    case 'method':
    case 'class':
    case 'alias':
      return false;
  }
}
