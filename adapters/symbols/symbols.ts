/** The symbols port over ast-grep's parsers. */
import type { Language } from '../../schemas/ids.ts';
import type { ModuleSymbols, SourceSymbol, SymbolsPort } from '../../core/ports/symbols.ts';
import { ecmaDeclaration, ecmaModule } from './ecma-symbols.ts';
import { pythonDeclaration, pythonModule } from './python-symbols.ts';

/** Reads Python, JavaScript and TypeScript. */
export function createSymbols(): SymbolsPort {
  return {
    languages: ['python', 'javascript', 'typescript'],
    module: readModule,
    declaration: readDeclaration,
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
    case 'rust':
      throw new RangeError(
        `Cannot read symbols of "${file}": language must be python, javascript or typescript, current value is ${language}`,
      );
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
    case 'rust':
      throw new RangeError(
        `Cannot read declarations: language must be python, javascript or typescript, current value is ${language}`,
      );
  }
}
