/** Which files of a projection are whose, and which of them no agent may write (gate.md part 1). Pure over lists of paths. */
import { isConftest, isReservedPath } from '../contract/reserved-paths.ts';
import { matchesAnyGlob } from '../globs.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import type { Finding } from '../../schemas/report.ts';
import { finding } from './finding.ts';

/** True for a file of the suite that must yield ids; others in the tests folder are helpers. */
export function isTestFile(path: string, language: Language): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (language) {
    case 'python':
      return /^(test_.*|.*_test)\.py$/u.test(name);
    case 'javascript':
    case 'typescript':
      return /\.(test|spec)\.[cm]?[jt]sx?$/u.test(name);
    case 'go':
      return name.endsWith('_test.go');
    case 'rust':
      return name.endsWith('.rs');
  }
}

/** True for a file that the node's builder owns. */
export function isNodeFile(path: string, contract: ResolvedContract): boolean {
  return matchesAnyGlob(contract.files, path) && !isSuiteFile(path, contract);
}

/** True for a file that the node's test author owns. */
export function isSuiteFile(path: string, contract: ResolvedContract): boolean {
  return contract.tests !== 'none' && matchesAnyGlob(contract.tests, path);
}

/** What a change touches beyond its write set: only own files, no scaffold among them. */
export function writeSetFindings(
  contract: ResolvedContract,
  role: 'builder' | 'test_author',
  changedPaths: readonly string[],
): Finding[] {
  return changedPaths.flatMap((path) => {
    const isOwn = role === 'builder' ? isNodeFile(path, contract) : isSuiteFile(path, contract);
    if (!isOwn) return [finding('write_set', 'L0', `${path} is outside the write set of "${contract.id}"`)];
    if (!isReservedPath(path) && (role === 'test_author' || !isConftest(path))) return [];
    return [
      finding('scaffold_touched', 'L0', `${path} steers imports or the runner: only a person may write it`),
    ];
  });
}

/** The source that other code imports: the contract's, or the same module in another honest form. Null when there is none. */
export function entryFileOf(contract: ResolvedContract, paths: readonly string[]): string | null {
  if (paths.includes(contract.contentFile)) return contract.contentFile;
  const stem = contract.contentFile.replace(/\.[^./]+$/u, '');
  const candidates = contract.language === 'python' ? [`${stem}/__init__.py`] : [];
  return candidates.find((path) => paths.includes(path)) ?? null;
}

/** True for a source whose symbols can be read. */
export function isSource(path: string, language: Language): boolean {
  const endings: Readonly<Record<Language, RegExp>> = {
    python: /\.py$/u,
    javascript: /\.[cm]?js$/u,
    typescript: /\.[cm]?tsx?$/u,
    go: /\.go$/u,
    rust: /\.rs$/u,
  };
  return endings[language].test(path);
}
