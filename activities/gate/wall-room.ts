/** What a run behind the glass wall adds: which files lie on which side, and what each side is told (gate.md parts 10 and 11). */
import { declaredNames } from '../../core/contract/declaration.ts';
import { isNodeFile, isSuiteFile } from '../../core/gate/gate-files.ts';
import { declaredExceptions } from '../../core/gate/known-types.ts';
import { mayExit, pythonModule } from '../../core/gate/wall.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateLimits } from '../../schemas/gate-plan.ts';

/** Programs of the wall, all in the runner's folder. */
export type WallProgram = 'wall_pytest' | 'wall_builder' | 'wall_examples' | 'wall_scan';

/** Part of a test's limit that one call may take, and of the wall limit that all calls together may. */
const CALL_SHARE = 0.9;
const BUDGET_SHARE = 0.8;

export interface WallSides {
  /** For the trusted side: the suite, and packages that hold nothing. */
  readonly trusted: readonly SandboxFile[];
  /** For the builder's side: everything but the suite. */
  readonly guest: readonly SandboxFile[];
}

/** The command of a program of the wall. */
export function wallArgv(program: WallProgram): readonly string[] {
  return ['python3', '-s', '-P', '-B', `${RUNNER_MOUNT}/${program}.py`];
}

/** Who sees what: code lies on the builder's side only, the suite on the trusted side only. */
export function wallSides(
  files: readonly SandboxFile[],
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
): WallSides {
  const isCode = (path: string): boolean =>
    [contract, ...dependencies].some((node) => isNodeFile(path, node));
  const suite = files.filter((file) => isSuiteFile(file.path, contract));
  const packages = files.filter(
    (file) =>
      file.path.endsWith('/__init__.py') &&
      file.bytes.byteLength === 0 &&
      !isCode(file.path) &&
      !isSuiteFile(file.path, contract),
  );
  return {
    trusted: [...suite, ...packages],
    guest: files.filter((file) => !isSuiteFile(file.path, contract)),
  };
}

/** `wall` of the runner's input: the declarations that the trusted side makes types of, and deadlines. */
export function wallInput(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[],
  limits: GateLimits,
): Readonly<Record<string, unknown>> {
  const nodes = [contract, ...dependencies.filter((each) => each.id !== contract.id)];
  const offers = nodes.map((node) => ({
    module: pythonModule(node.contentFile),
    names: [...declaredNames(node.language, node.interface.exports), ...declaredExceptions(node)],
  }));
  return {
    modules: nodes.map((node, index) => ({
      module: offers[index]?.module,
      imports: node.interface.imports,
      exports: node.interface.exports,
      raises: node.interface.raises,
      offered: offers.filter((_offer, other) => other !== index),
    })),
    exits: mayExit(contract),
    callTimeoutMs: Math.round(limits.testTimeoutMs * CALL_SHARE),
    budgetMs: Math.round(limits.wallMs * BUDGET_SHARE),
  };
}
