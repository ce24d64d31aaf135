/** Puts stub sources into trees. */
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { StubKind } from '../../schemas/report.ts';
import type { StubTrees } from './stub-build.ts';

const encoder = new TextEncoder();

/** A text file of a tree. */
export function textFile(path: string, text: string): SandboxFile {
  return { path, bytes: encoder.encode(text) };
}

/** One file a stub, at the contract's main file. */
export function stubTrees(contentFile: string, sources: Readonly<Record<StubKind, string>>): StubTrees {
  return {
    raise: [textFile(contentFile, sources.raise)],
    none: [textFile(contentFile, sources.none)],
    wrong: [textFile(contentFile, sources.wrong)],
  };
}

/** Empty `__init__.py` files of the packages around a module, as the scaffold has them; the source root is no package. */
export function initFiles({
  contentFile,
  sourceRoot,
}: Pick<ResolvedContract, 'contentFile' | 'sourceRoot'>): SandboxFile[] {
  const folders = contentFile.split('/').slice(0, -1);
  const packages = folders.map((_, depth) => folders.slice(0, depth + 1).join('/'));
  return packages
    .filter((folder) => folder !== sourceRoot)
    .map((folder) => `${folder}/__init__.py`)
    .filter((path) => path !== contentFile)
    .map((path) => textFile(path, ''));
}

/** The last line of what a program printed: modules that it imports may have printed before. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
