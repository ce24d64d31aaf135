/** What the check of exports is asked, and what it finds. */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { ModuleSymbols, SourceSymbol } from '../../ports/symbols.ts';

export interface ExportCheckInput {
  readonly contract: ResolvedContract;
  /** Symbols of all declarations. */
  readonly declared: readonly SourceSymbol[];
  /** Every source file of the node that was read. */
  readonly modules: readonly ModuleSymbols[];
  /** The file that other code imports; null when the node has none. */
  readonly entryFile: string | null;
}

export interface ExportCheck {
  readonly findings: Finding[];
  /** Extra exports and what the syntax could not show. */
  readonly warnings: Finding[];
}
