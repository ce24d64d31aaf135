/** The symbols port: what a source or a declaration defines, read from its syntax alone (design part 8, L0). */
import type { OwnNames } from '../contract/own-names.ts';
import type { Language } from '../../schemas/ids.ts';
import type { SuiteWords } from '../gate/suite/contradiction.ts';
import type { Dice, Expectation } from './expectations.ts';
import type { DeclaredExport, HardCoded, Mutant } from './mutants.ts';

export interface SymbolParam {
  readonly name: string;
  readonly kind: 'positional_only' | 'positional' | 'keyword_only' | 'var_positional' | 'var_keyword';
  readonly optional: boolean;
  /** As written, without its colon; null where none is written. */
  readonly annotation: string | null;
}

/** How a member is reached: on an instance, on its class, or as a value that a method computes. */
export type MemberAccess = 'instance' | 'class' | 'static' | 'property';

/** `opaque`: bound by an expression whose nature the syntax does not show (a decorator, a call, another module). `module`: another module itself. */
export type SymbolKind = 'function' | 'class' | 'constant' | 'type' | 'module' | 'opaque';

export interface SourceSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** From 1, in the file it was found in. */
  readonly line: number;
  readonly isAsync: boolean;
  /** Null where the syntax does not show them. */
  readonly params: readonly SymbolParam[] | null;
  readonly returns: string | null;
  readonly bases: readonly string[];
  /** As written; `import` marks a name of another module, `inherited` a member of a base, `methods` a Go or Rust type known by its methods only. */
  readonly decorators: readonly string[];
  /** Methods and fields of a class. */
  readonly members: readonly SourceSymbol[];
  /** True when members may come from elsewhere: bases, mixins, assignments that the syntax does not resolve. */
  readonly openMembers: boolean;
  /** Of a method or property; null for all else and where the syntax does not show it. */
  readonly access: MemberAccess | null;
  /** A property that can be assigned. */
  readonly settable: boolean;
  /** Where an imported name comes from, as written; null for what is defined here. */
  readonly origin: { readonly module: string; readonly name: string } | null;
  /** A function that is not `async` but returns what another call made: it may be a promise or a coroutine. */
  readonly mayReturnPromise: boolean;
  /** The symbol's text up to its body, in one line. */
  readonly signature: string;
}

export interface ModuleSymbols {
  readonly file: string;
  /** Bound and exported at the end of the file. */
  readonly exported: readonly SourceSymbol[];
  /** Bound once, but deleted later. */
  readonly deleted: readonly { readonly name: string; readonly line: number }[];
  /** Lines that do not parse. */
  readonly errorLines: readonly number[];
  /** True when names may come from elsewhere (`import *`, `export *`, `__getattr__`, `globals()`). */
  readonly openEnded: boolean;
  /** First line of every word of the text, comments and strings too: where a missing name occurs all the same. */
  readonly words: ReadonlyMap<string, number>;
}

/** A call of something that the file does not define: `time.time` after any form of import, `open`, `new Date`. */
export interface CalledName {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly argCount: number;
  /** Names of keyword arguments. */
  readonly keywords: readonly string[];
}

export interface SymbolsPort {
  /** Languages that can be read. Others are refused by `module` with a RangeError. */
  readonly languages: readonly Language[];
  /** Reads a whole source file. Never throws for what the text holds. */
  module(language: Language, file: string, text: string): ModuleSymbols;
  /** Reads one declaration (`.pyi` or `.d.ts` statement). Null when it is none. */
  declaration(language: Language, text: string): readonly SourceSymbol[] | null;
  /** Small changes of a source, each alone. Empty where the language has none, or the text does not parse. */
  mutants(language: Language, file: string, text: string): readonly Mutant[];
  /** The source with each of `exports` that it defines hard-coded, each alone. Empty where the text does not parse. */
  hardCoded(
    language: Language,
    file: string,
    text: string,
    exports: readonly DeclaredExport[],
  ): readonly HardCoded[];
  /** What the tests of a suite expect, each thing changed; `own` are names of the contracts. Empty where the text does not parse. */
  expectations(
    language: Language,
    file: string,
    text: string,
    own: OwnNames,
    dice: Dice,
  ): readonly Expectation[];
  /** The source in which each of `exports` asks the room what stands in its place; null where it defines none of them. */
  watched(language: Language, file: string, text: string, exports: readonly DeclaredExport[]): string | null;
  /** A suite in which an error of one statement ends no test; as it is where that is done where it runs, or it does not parse. */
  playedThrough(language: Language, file: string, text: string): string;
  /** What a source calls of the language and its library. Empty where the language is not read. */
  calls(language: Language, file: string, text: string): readonly CalledName[];
  /** What stands at a line (from 1) of a suite; null where nothing does, or the language is not read. */
  statementAt(language: Language, text: string, line: number): SuiteWords | null;
}
