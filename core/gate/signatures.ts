/** Signatures of a sealed stage, read from the sources (design part 6, SEAL). */
import type { ModuleSymbols, SourceSymbol } from '../ports/symbols.ts';

/** Public functions, classes with their public members, values and types that the modules define, each in one line. */
export function exportSignatures(modules: readonly ModuleSymbols[]): string[] {
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
