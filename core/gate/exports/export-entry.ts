/** The module that other code imports, as one: a Go package is all files of its folder, and re-exports are followed within the node. */
import type { Frame } from '../../../schemas/runner-report.ts';
import type { ModuleSymbols, SourceSymbol } from '../../ports/symbols.ts';
import type { ExportCheckInput } from './types.ts';

export interface Placed {
  readonly symbol: SourceSymbol;
  readonly file: string;
}

export interface Entry {
  readonly file: string;
  readonly exported: readonly Placed[];
  readonly deleted: readonly { readonly name: string; readonly line: number; readonly file: string }[];
  readonly openEnded: boolean;
  readonly modules: readonly ModuleSymbols[];
}

/** Null when the node has no entry file. */
export function entryModule(input: ExportCheckInput): Entry | null {
  const entry = input.modules.find((module) => module.file === input.entryFile);
  const language = input.contract.language;
  if (language === 'go') {
    const folder = folderOf(input.contract.contentFile);
    const files = input.modules.filter(
      (module) => folderOf(module.file) === folder && !module.file.endsWith('_test.go'),
    );
    const first = entry ?? files[0];
    return first === undefined ? null : goPackage(first.file, files);
  }
  if (entry === undefined) return null;
  // Another file of a Rust node may have an `impl` of the type.
  const isOpen = language === 'rust' && input.modules.length > 1;
  return {
    file: entry.file,
    exported: entry.exported.map((symbol) => ({
      symbol: isOpen ? { ...symbol, openMembers: true } : symbol,
      file: entry.file,
    })),
    deleted: entry.deleted.map((each) => ({ ...each, file: entry.file })),
    openEnded: entry.openEnded,
    modules: [entry],
  };
}

/** Methods may stand in another file than their type. */
function goPackage(file: string, files: readonly ModuleSymbols[]): Entry {
  const all = files.flatMap((module) => module.exported.map((symbol) => ({ symbol, file: module.file })));
  const isMethods = ({ symbol }: Placed): boolean => symbol.decorators.includes('methods');
  const exported = all.flatMap((placed): Placed[] => {
    const { symbol } = placed;
    const parts = all.filter((other) => other.symbol.name === symbol.name && other !== placed);
    if (isMethods(placed) && parts.length > 0) return [];
    const members = [...symbol.members, ...parts.flatMap((other) => other.symbol.members)];
    return [{ ...placed, symbol: { ...symbol, members } }];
  });
  return { file, exported, deleted: [], openEnded: files.some((module) => module.openEnded), modules: files };
}

/** A name that the entry takes over from another file of the node is judged there. */
export function definitionOf(found: Placed, entry: Entry, input: ExportCheckInput): Placed {
  if (!found.symbol.decorators.includes('import')) return found;
  const name = found.symbol.origin?.name ?? found.symbol.name;
  const definitions = input.modules
    .filter((module) => module.file !== entry.file && isNamed(module.file, found.symbol.origin?.module ?? ''))
    .flatMap((module) =>
      module.exported
        .filter((candidate) => candidate.name === name && !candidate.decorators.includes('import'))
        .map((symbol) => ({ symbol, file: module.file })),
    );
  const [only, ...others] = definitions;
  return only === undefined || others.length > 0 ? found : only;
}

/** `._impl`, `shop._impl` and `./_impl.js` name `shop/_impl.py` or `shop/_impl.js` by their last word. */
function isNamed(file: string, module: string): boolean {
  const stem = file
    .replace(/(\/__init__|\/mod|\/index)?\.[^./]+$/u, '')
    .split('/')
    .at(-1);
  const word = module
    .replace(/\.[cm]?[jt]sx?$/u, '')
    .split(/[./]|::/u)
    .filter((part) => part !== '')
    .at(-1);
  return word === undefined || stem === word || module.includes('::');
}

/** Where a missing name occurs all the same: in a comment, a text, an inner scope. */
export function mentionOf(name: string, entry: Entry): Frame | null {
  for (const module of entry.modules) {
    const line = module.words.get(name);
    if (line !== undefined) return { file: module.file, line };
  }
  return null;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
