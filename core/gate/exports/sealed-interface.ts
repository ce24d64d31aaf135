/** What a node of a sealed stage offers to later ones (design part 6, SEAL). */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { ExportedInterface } from '../../../schemas/stage.ts';
import type { ModuleSymbols, SourceSymbol } from '../../ports/symbols.ts';
import { raiseName } from '../suite/clauses.ts';

/** Full signatures from the sources; raises, guarantees and assumptions from the contract. */
export function sealedInterface(
  contract: ResolvedContract,
  modules: readonly ModuleSymbols[],
): ExportedInterface {
  const { raises, guarantees, assumptions } = contract.interface;
  return {
    exports: exportSignatures(modules),
    raises: raises.map(raiseName),
    guarantees: [...guarantees],
    assumptions: [...assumptions],
  };
}

/** Public functions, classes with their public members, values and types that the modules define, each in one line. */
function exportSignatures(modules: readonly ModuleSymbols[]): string[] {
  const lines = modules.flatMap((module) => module.exported.filter(isPublic).flatMap(linesOf));
  return [...new Set(lines)];
}

function linesOf(symbol: SourceSymbol): string[] {
  const members = symbol.kind === 'class' ? symbol.members.filter(isPublic) : [];
  return [symbol.signature, ...members.map((member) => `${symbol.name}: ${member.signature}`)];
}

/** Names that other modules or bases define, and private ones, are no exports of this one. */
function isPublic(symbol: SourceSymbol): boolean {
  return (
    !/^[_#]/u.test(symbol.name) &&
    !symbol.decorators.some((each) => each === 'import' || each === 'inherited')
  );
}
