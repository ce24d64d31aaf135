/** The symbols port over ast-grep's parsers. */
import type { Language } from '../../schemas/ids.ts';
import type { ModuleSymbols, SourceSymbol, SymbolsPort } from '../../core/ports/symbols.ts';
import { calledNames } from './called-names.ts';
import { ecmaDeclaration, ecmaModule } from './ecma-symbols.ts';
import { playedThrough } from './ecma-through.ts';
import { expectationsOf } from './expectations.ts';
import { goDeclaration, goModule } from './go-symbols.ts';
import { hardCodedOf, watchedOf } from './hard-coded.ts';
import { mutantsOf } from './mutants.ts';
import { pythonDeclaration, pythonModule } from './python-symbols.ts';
import { rustDeclaration, rustModule } from './rust-symbols.ts';
import { statementAt } from './statement-at.ts';

/** Reads every language of contracts. */
export function createSymbols(): SymbolsPort {
  return {
    languages: ['python', 'javascript', 'typescript', 'go', 'rust'],
    module: readModule,
    declaration: readDeclaration,
    mutants: mutantsOf,
    hardCoded: hardCodedOf,
    expectations: expectationsOf,
    watched: watchedOf,
    playedThrough: (language, file, text) =>
      language === 'javascript' || language === 'typescript' ? playedThrough(file, text) : text,
    calls: calledNames,
    statementAt,
  };
}

function readModule(language: Language, file: string, text: string): ModuleSymbols {
  switch (language) {
    case 'python':
      return pythonModule(file, text);
    case 'javascript':
      return ecmaModule('JavaScript', file, text);
    case 'typescript':
      return ecmaModule(file.endsWith('.tsx') ? 'Tsx' : 'TypeScript', file, text);
    case 'go':
      return goModule(file, text);
    case 'rust':
      return rustModule(file, text);
  }
}

function readDeclaration(language: Language, text: string): readonly SourceSymbol[] | null {
  switch (language) {
    case 'python':
      return pythonDeclaration(text);
    case 'javascript':
    case 'typescript':
      return ecmaDeclaration(text);
    case 'go':
      return goDeclaration(text);
    case 'rust':
      return rustDeclaration(text);
  }
}
