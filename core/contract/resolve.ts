/** From a checked contract to the resolved one that every other part reads: defaults filled, files and import line known. */
import type { ContractNode, Contracts, ResolvedContract } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import { declaredName, declaredNames } from './declaration.ts';
import { contentFileOf, defaultLayout, modulePathOf, relativeSpecifier } from './layout.ts';

/** All nodes in the order written. Expects contracts that `checkContracts` found nothing wrong with. */
export function resolveContracts(contracts: Contracts): ResolvedContract[] {
  const { language, source_root: sourceRoot } = contracts.project;
  const pure = new Set(contracts.stages.filter(({ kind }) => kind === 'pure').map(({ id }) => id));
  return contracts.nodes.map((node) => ({
    ...resolveNode(node, language, sourceRoot),
    ...(pure.has(node.stage) && { pure: true as const }),
  }));
}

/** One node; packages of the project are not repeated in it. */
export function resolveNode(node: ContractNode, language: Language, sourceRoot?: string): ResolvedContract {
  const layout = defaultLayout(language, node.id, sourceRoot);
  const files = node.files ?? [...layout.files];
  const contentFile =
    node.files === undefined
      ? layout.contentFile
      : (contentFileOf(language, node.id, node.files, sourceRoot) ?? layout.contentFile);
  const tests = node.tests ?? [...layout.tests];
  return {
    ...node,
    language,
    // A node of type `test` is a suite over its dependencies: there is no surface to find.
    mode: node.interface.exports.length > 0 || node.type === 'test' ? 'A' : 'B',
    files,
    tests,
    contentFile,
    ...(sourceRoot !== undefined && { sourceRoot }),
    importLine: importLineOf(language, contentFile, node.interface.exports, testsFolder(tests), sourceRoot),
  };
}

/**
 * How a file in folder `fromFolder` imports the node, with the names that `exports` declare (`...` where there are none
 * yet). Python names the module from the source root, so the folder does not matter there.
 */
export function importLineOf(
  language: Language,
  contentFile: string,
  exports: readonly string[],
  fromFolder: string,
  sourceRoot?: string,
): string {
  const declared = declaredNames(language, exports);
  const names = declared.length > 0 ? declared.join(', ') : '...';
  const modulePath = modulePathOf(language, contentFile, sourceRoot);
  switch (language) {
    case 'python':
      return `from ${modulePath.join('.')} import ${names}`;
    case 'javascript':
    case 'typescript':
      return `import ${scriptClause(exports)} from '${relativeSpecifier(fromFolder, contentFile)}';`;
    case 'go':
      return `import "project/${modulePath.join('/')}"`;
    case 'rust':
      return `use project::${modulePath.slice(modulePath[0] === 'src' ? 1 : 0).join('::')}::{${names}};`;
  }
}

/** What stands between `import` and `from`: a default export has no braces, and its importer gives it a name. */
function scriptClause(exports: readonly string[]): string {
  const found = exports.flatMap((text) => declaredName('javascript', text) ?? []);
  const [fallback] = found.filter(({ isDefault }) => isDefault);
  const named = [
    ...new Set(found.filter(({ isDefault }) => isDefault === undefined).map(({ name }) => name)),
  ];
  if (fallback === undefined) return `{ ${named.join(', ') || '...'} }`;
  const name = fallback.name === 'default' ? 'it' : fallback.name;
  return named.length === 0 ? name : `${name}, { ${named.join(', ')} }`;
}

/** Folder from which the import line is written: that of the suite, or of a suite by default where there is none. */
function testsFolder(tests: readonly string[] | 'none'): string {
  const [first = 'tests/x/**'] = tests === 'none' ? [] : tests;
  const fixed = first.split('*')[0] ?? '';
  return fixed.slice(0, Math.max(0, fixed.lastIndexOf('/')));
}
