/** Stubs from a contract's declarations (gate.md parts 2 and 3); `seed` refuses a contract for which this finds problems. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { javascriptStubs } from './javascript-stubs.ts';
import { pythonStubs } from './python-stubs.ts';
import type { RunInSandbox, StubBuild, StubDependency } from './stub-build.ts';

/**
 * Three stub trees and the exported names, or every problem with a suggestion. Dependencies are tried in the order given.
 * @throws {RangeError} for languages without stubs; passes on what `runInSandbox` throws.
 */
export async function buildStubs(
  contract: ResolvedContract,
  runInSandbox: RunInSandbox,
  dependencies: readonly StubDependency[] = [],
): Promise<StubBuild> {
  switch (contract.language) {
    case 'python':
      return pythonStubs(contract, runInSandbox, dependencies);
    case 'javascript':
    case 'typescript':
      return javascriptStubs(contract, runInSandbox, dependencies);
    case 'go':
    case 'rust':
      throw new RangeError(
        `Cannot build stubs for node "${contract.id}": language must be python, javascript or typescript, current value is ${contract.language}`,
      );
  }
}
